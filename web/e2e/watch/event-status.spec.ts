import type { Page } from "@playwright/test";
import { copiedChannels } from "../support/channels";
import { expect, test } from "../support/journey";

/** Free, both: one begins 25 seconds after its worker, the other one is over by then. */
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
    startsIn(BEGINS, 25);
    startsIn(ENDS, -35, { duration_s: 60 });
    await use(["--channels", channels.path]);
  },
});
test.afterAll(() => channels.remove());

test("an event goes from upcoming to live, another one from live to finished, on pages that stay open (EVENT-7)", async ({
  page,
  context,
}) => {
  const [over, live, upcoming, finished] = [
    await context.newPage(),
    await context.newPage(),
    await context.newPage(),
    await context.newPage(),
  ];
  const button = (of: Page, name: string | RegExp) => of.getByRole("main").getByRole("button", { name, exact: true });
  const listed = (of: Page, id: number) => of.getByRole("main").locator(`a[href="/watch/${id}"]`);
  await Promise.all([
    page.goto(`/watch/${BEGINS}`),
    over.goto(`/watch/${ENDS}`),
    live.goto("/live"),
    upcoming.goto("/upcoming"),
    finished.goto("/vod"),
  ]);
  await expect(listed(upcoming, BEGINS).first()).toBeVisible();
  await expect(listed(live, ENDS).first()).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Lakeview @ Pine Valley" })).toBeVisible();
  await expect(button(page, /^Watch(?: live)?$/)).toHaveCount(0);
  await expect(button(over, "Watch live")).toBeVisible();
  // Neither page is loaded anew.
  await expect(button(page, "Watch live")).toBeVisible({ timeout: 30_000 });
  await expect(button(over, "Watch")).toBeVisible({ timeout: 15_000 });
  for (const [list, names, lacks] of [
    [live, BEGINS, ENDS],
    [finished, ENDS, BEGINS],
    [upcoming, null, BEGINS],
  ] as const) {
    // A page that is not looked at waits until it is.
    await list.bringToFront();
    if (names !== null) await expect(listed(list, names).first()).toBeVisible({ timeout: 15_000 });
    await expect(listed(list, lacks)).toHaveCount(0);
  }
});
