import "fake-indexeddb/auto";
import { expect, it, vi } from "vitest";
import { withoutPersonal } from "../api";
import { bench, memory, ok } from "../api/testing/channel";
import { channelOf } from "./client";
import { accepting, drain, openBrowser, removal, seen, session } from "./testing/browser";

it.each([
  ["a batch's", seen(1), "/datalake/batch", { results: null }],
  ["a list's", removal(1, 5), "/favorites", { id: 1 }],
])(
  "%s answer of another shape counts as none: the item stays, and the error log gets a line (ERR-7)",
  async (_, item, url, data) => {
    const database = memory();
    await database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
    const { api, reports } = bench(() => ok(data), database);
    const { outbox } = openBrowser().tab(accepting, { channel: channelOf(api, withoutPersonal) });
    await outbox.put(item);
    expect(await drain(outbox, session)).toEqual({ left: 1, retry_after_ms: null });
    await vi.waitFor(
      () => expect(reports).toMatchObject([{ status: 0, url, message: expect.stringMatching(/^unexpected_answer: /) }]),
      { timeout: 60_000 },
    );
  },
);
