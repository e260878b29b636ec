import { noAnswer } from "../failure";
import { type Endpoints, send } from "./endpoint";

/** Everything else of the datalake goes through the outbox. */
export const analytics: Endpoints<"api.getAnalyticsSession"> = {
  async "api.getAnalyticsSession"(_, call) {
    const { data } = await send(call, { method: "GET", path: "/datalake/hash/", public: true, fromOrigin: true });
    if (typeof data !== "string" || data === "") throw noAnswer("unexpected_answer");
    return data;
  },
};
