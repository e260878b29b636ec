import type { WorkboxPlugin } from "workbox-core";
import { isAnswer } from "./catalogue";

/** An answer that came, and is not the channel's: a captive portal put its own in between. */
class ForeignAnswer extends Error {
  override readonly name = "ForeignAnswer";
}

/**
 * A captive portal is a network that does not reach the channel: where a copy is kept that answers, as it does without a
 * network. Where none is, the page gets what came, and its client says what is wrong with it.
 */
export const preferKept: WorkboxPlugin = {
  async fetchDidSucceed({ response, state }) {
    // What is refused is refused by the channel, or by a proxy of its own.
    if (response.status !== 200 || (await isAnswer(response))) return response;
    if (state) state.foreign = response;
    throw new ForeignAnswer(response.url);
  },
  handlerDidError: async ({ state }) => state?.foreign as Response | undefined,
};

/** No file of the site and no picture is a page: one that was kept would stand in for the file for as long as that is kept. */
export const noPage: WorkboxPlugin = {
  async fetchDidSucceed({ response }) {
    if (/\bhtml\b/i.test(response.headers.get("content-type") ?? "")) throw new ForeignAnswer(response.url);
    return response;
  },
};
