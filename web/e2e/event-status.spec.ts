import type { Page } from "@playwright/test";
import { copiedChannels } from "./support/channels";
import { expect, test } from "./support/journey";

/** Free, both: one begins twelve seconds after its worker, the other one is over by then. */
const [BEGINS, ENDS] = [5, 25];
const channels = copiedChannels();
const startsIn = (id: number, seconds: number, more: object = {}) =>
  channels.setEvent(id, ({ starts_in_s: _, starts_on: __, ...event }) => ({
    ...event,
    event_utc_ts: Math.floor(Date.now() / 1_000) + seconds,
    ...more,
  }));

test.use({
  flags: async ({ browserName: _ }, use) => {
    startsIn(BEGINS, 12);
    startsIn(ENDS, -48, { duration_s: 60 });
    await use(["--channels", channels.path]);
  },
});
test.afterAll(() => channels.remove());

test("an event goes from upcoming to live, another one from live to finished, on pages that stay open (EVENT-7)", async ({
  page,
  context,
}) => {
  const over = await context.newPage();
  const button = (of: Page, name: string | RegExp) => of.getByRole("main").getByRole("button", { name, exact: true });
  const listed = (id: number) => page.getByRole("main").locator(`a[href="/watch/${id}"]`);
  await Promise.all([page.goto(`/watch/${BEGINS}`), over.goto(`/watch/${ENDS}`)]);
  await expect(page.getByRole("heading", { level: 1, name: "Lakeview @ Pine Valley" })).toBeVisible();
  await expect(button(page, /^Watch(?: live)?$/)).toHaveCount(0);
  await expect(button(over, "Watch live")).toBeVisible();
  // Neither page is loaded anew.
  await expect(button(page, "Watch live")).toBeVisible({ timeout: 15_000 });
  await expect(button(over, "Watch")).toBeVisible({ timeout: 15_000 });
  await page.goto("/live");
  await expect(listed(BEGINS).first()).toBeVisible();
  await expect(listed(ENDS)).toHaveCount(0);
  await page.goto("/vod");
  await expect(listed(ENDS).first()).toBeVisible();
});
