import { waitingAnalytics } from "../support/analytics";
import { expect, test, untilServed } from "../support/journey";
import { type LakeRow, readLake } from "../support/records";

test.use({ flags: ["--datalake-close-age-s", "1"] });

/** An event is in the lake a second or two after it arrived. */
const POLLING = { timeout: 30_000, intervals: [500, 1_000] };

test("the service worker sends a closed page's events, each once (ANA-6, ANA-8)", async ({ page, worker }) => {
  // Covers the page's requests only, including its last: the service worker has its own fetch.
  await page.addInitScript(() => {
    const whole = window.fetch;
    window.fetch = (input, init) =>
      String(input instanceof Request ? input.url : input).includes("/datalake/batch")
        ? Promise.reject(new TypeError("Failed to fetch"))
        : whole(input, init);
  });
  await page.goto("/");
  await untilServed(page);
  for (const name of ["Packages", "Home", "Packages"]) {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
  }
  // The session, and four visits.
  await expect.poll(() => waitingAnalytics(page)).toBe(5);
  await page.close();
  let rows: LakeRow[] = [];
  const visits = () => {
    rows = readLake(worker.data);
    return rows.flatMap(({ event, page }) => (event === "visit" ? [page] : []));
  };
  await expect.poll(visits, POLLING).toEqual(["/", "/packages", "/", "/packages"]);
  const ids = rows.map(({ event_id }) => event_id);
  expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  // Another channel of this worker has the same pages.
  expect(new Set(rows.map(({ channel }) => channel))).toEqual(new Set(["northfield"]));
  expect(rows.every(({ app_version }) => app_version !== null)).toBe(true);
});
