import { type Endpoints, send } from "./endpoint";

const isText = (data: unknown): boolean => typeof data === "string" && data !== "";

/** All other datalake calls go through the outbox. */
export const analytics: Endpoints<"api.getAnalyticsSession"> = {
  async "api.getAnalyticsSession"(_, call) {
    const request = { method: "GET", path: "/datalake/hash/", public: true, fromOrigin: true } as const;
    return (await send(call, { ...request, fits: isText })).data as string;
  },
};
