import type { WorkboxPlugin } from "workbox-core";
import { isAnswer } from "./catalogue";

/** An answer that isn't the channel's, such as a captive portal's. */
class ForeignAnswerError extends Error {
  override readonly name = "ForeignAnswerError";
}

/**
 * A captive portal counts as no network: a cached copy answers if there is one. Without a copy the page gets the
 * portal's answer, and its client reports the fault.
 */
export const preferCached: WorkboxPlugin = {
  async fetchDidSucceed({ response, state }) {
    // A refusal comes from the channel, or from a proxy of its own.
    if (response.status !== 200 || (await isAnswer(response))) return response;
    if (state) state.foreign = response;
    throw new ForeignAnswerError(response.url);
  },
  handlerDidError: async ({ state }) => state?.foreign as Response | undefined,
};

/**
 * Files and images of the site are never HTML pages: a cached page would replace the file for as long as it is cached.
 */
export const rejectHtml: WorkboxPlugin = {
  async fetchDidSucceed({ response }) {
    if (/\bhtml\b/i.test(response.headers.get("content-type") ?? "")) throw new ForeignAnswerError(response.url);
    return response;
  },
};
