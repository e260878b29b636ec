import type { Page } from "@playwright/test";
import { seeded } from "../faults/script";
import { serveSite } from "../faults/touchline";
import { expect, expectNoSecret, test } from "../support/journey";
import { type LakeRow, readLake } from "../support/records";
import { watchKeys } from "../support/secrets";

/** Number of pages per tab. `make soak` uses 300. */
const ROUNDS = Number(process.env.FOUR_TABS_ROUNDS ?? 6);
const SEED = Number(process.env.FOUR_TABS_SEED ?? 20_261_121);
const TABS = 4;

test.use({ flags: ["--datalake-close-age-s", "1"] });

/** Goes to the other of two pages without a load, and returns once there. */
const walk = (page: Page, trk: string): Promise<void> =>
  page.evaluate(async (mark) => {
    const { title } = document;
    const to = location.pathname === "/login" ? "/registration" : "/login";
    history.pushState({}, "", `${to}?trk=${mark}`);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
    while (document.title === title) await new Promise((look) => setTimeout(look, 5));
  }, trk);

/** The visits that carry a mark; asserts that every event of the lake is there once. */
function marked(rows: readonly LakeRow[]): string[] {
  expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(rows.length);
  return rows.flatMap(({ event, trk }) => (event === "visit" && trk !== null ? [trk] : [])).sort();
}

test("four tabs that lose three of ten requests record every page once, including the last one as they close", async ({
  browser,
  worker,
}, info) => {
  info.setTimeout(120_000 + ROUNDS * 8_000);
  info.annotations.push({ type: "seed", description: String(SEED) });
  const network = await serveSite(seeded(SEED), worker);
  network.loss = 0.3;
  const context = await browser.newContext({ baseURL: network.origin });
  const keys = watchKeys(context);
  const visits: string[] = [];
  const next = (): string => {
    visits.push(`m${String(visits.length).padStart(4, "0")}`);
    return visits.at(-1) as string;
  };
  const tabs: Page[] = [];
  for (let at = 0; at < TABS; at += 1) {
    const page = await context.newPage();
    await page.goto(`/login?trk=${next()}`);
    await page.getByRole("main").waitFor();
    tabs.push(page);
  }
  for (let round = 0; round < ROUNDS; round += 1) for (const page of tabs) await walk(page, next());
  const arrived = () => marked(readLake(worker.data));
  const patience = { timeout: 60_000 + ROUNDS * 4_000, intervals: [2_000] };
  await expect.poll(arrived, patience).toEqual([...visits]);

  // Events of a tab's last moment are in flight when the tab is gone.
  network.loss = 0;
  for (const page of tabs) {
    await walk(page, next());
    await page.close();
  }
  await expect.poll(arrived, patience).toEqual([...visits]);
  const after = await context.newPage();
  await after.goto("/login");
  await after.getByRole("main").waitFor();
  expect(keys.keys()).not.toEqual([]);
  await expectNoSecret(context, keys);
  await context.close();
  network.close();
});
