import type { Bootstrap, ContentPage, CustomForm, Geo, Participant, Popup, Slide } from "../../contracts/resources";
import { PortError } from "../../ports/error";
import { type Endpoints, read, readArray, send, valuesOf } from "./endpoint";

export const channelData: Endpoints<
  | "api.getBootstrap"
  | "api.getParticipants"
  | "api.getPage"
  | "api.listSlides"
  | "api.listPopups"
  | "api.getGeo"
  | "api.getCustomForm"
  | "api.submitCustomForm"
> = {
  "api.getBootstrap": (_, call) => read<Bootstrap>(call, "/channel-bootstrap-data"),
  "api.getParticipants": (_, call) => readArray<Participant>(call, "/participants", { no_limit: 1 }),
  "api.getPage": ({ id }, call) => read<ContentPage>(call, `/pages/${id}`),
  "api.listSlides": ({ type }, call) => readArray<Slide>(call, "/slides/web", { type }),
  "api.listPopups": (_, call) => readArray<Popup>(call, "/popups"),
  "api.getGeo": (_, call) => read<Geo>(call, "/geo"),
  async "api.submitCustomForm"({ handle }, call) {
    const { alias, values } = valuesOf(call, handle) as { alias: string; values: { [name: string]: string } };
    const path = `/custom-forms/${encodeURIComponent(alias)}`;
    await send(call, { method: "POST", path, body: { answers: values }, idempotencyKey: handle });
    call.account.forget(handle);
    return null;
  },
  async "api.getCustomForm"({ alias }, call) {
    const crash = { on: ["4xx", "5xx"], allow: [404] } as const;
    try {
      return await read<CustomForm>(call, `/custom-forms/${encodeURIComponent(alias)}`, { crash, skipLog: [404] });
    } catch (error) {
      if (error instanceof PortError && error.status === 404) return null;
      throw error;
    }
  },
};
