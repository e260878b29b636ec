import { readOutbox, waitingAnalytics } from "../support/analytics";
import { untilQuiet } from "../support/idle";
import { expect, test, untilServed } from "../support/journey";
import { readLake } from "../support/records";

/** An event is in the lake some seconds after it is sent. */
const PATIENCE = { timeout: 30_000, intervals: [500, 1_000] };

const visits = (data: string): (string | null)[] =>
  readLake(data).flatMap(({ event, page }) => (event === "visit" ? [page] : []));

test.describe("a channel that asks for consent (ANA-7)", () => {
  test.use({ baseURL: async ({ worker }, use) => use(worker.origin.replace("127.0.0.1", "laurentides.localhost")) });

  test("hears nothing before it is given, hears what follows, and never what waited when it was taken back", async ({
    page,
    worker,
  }) => {
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/datalake/")) asked.push(request.url());
    });
    const open = (name: string) => page.getByRole("contentinfo").getByRole("link", { name, exact: true }).click();
    const again = page.getByRole("button", { name: "Permettre d’enregistrer mes visites" });
    await page.goto("/");
    await expect(page.getByText("Ce site peut-il enregistrer votre utilisation ?")).toBeVisible();
    await open("À propos");
    await expect(page).toHaveURL(/about/);
    await untilQuiet(page);
    expect([asked, await waitingAnalytics(page)]).toEqual([[], 0]);

    await page.getByRole("button", { name: "Oui", exact: true }).click();
    await expect.poll(() => visits(worker.data), PATIENCE).toEqual(["/about"]);

    // What is recorded now waits: the way to the datalake is closed.
    await page.route("**/datalake/batch", (route) => route.abort());
    await open("Confidentialité");
    await expect.poll(() => waitingAnalytics(page)).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Ne plus enregistrer mes visites" }).click();
    await expect(again).toBeVisible();
    await expect.poll(() => waitingAnalytics(page)).toBe(0);
    await page.unroute("**/datalake/batch");
    await open("Conditions");

    // Who agrees again is told of from there on; by then all that was sent before has arrived.
    await open("FAQ");
    await again.click();
    await expect.poll(() => visits(worker.data).length, PATIENCE).toBeGreaterThan(1);
    expect(visits(worker.data)).toEqual(["/about", "/faq"]);
    const rows = readLake(worker.data);
    expect(rows.filter(({ table }) => table === "session")).toHaveLength(2);
    // ANA-8. Another channel of this worker has the same pages.
    expect(new Set(rows.map(({ channel }) => channel))).toEqual(new Set(["laurentides"]));
    expect(rows.every(({ app_version }) => app_version !== null)).toBe(true);
  });
});

test.describe("a page that is gone (ANA-6)", () => {
  test("has its events sent by the service worker, each once", async ({ page, worker }) => {
    // Of the page alone, its last requests too: the service worker has a fetch of its own.
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
    await expect.poll(() => visits(worker.data), PATIENCE).toEqual(["/", "/packages", "/", "/packages"]);
    const ids = readLake(worker.data).map(({ event_id }) => event_id);
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  });
});

test.describe("a site on the developer's own machine (ANA-3)", () => {
  test.use({ flags: ["--analytics-allow-localhost", "false"] });

  test("records what happens there, and asks for nothing and sends nothing", async ({ page, context }) => {
    const asked: string[] = [];
    context.on("request", (request) => {
      if (request.url().includes("/datalake/")) asked.push(request.url());
    });
    await page.goto("/");
    for (const name of ["Packages", "Home"]) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
    }
    await expect.poll(() => waitingAnalytics(page)).toBeGreaterThan(2);
    await untilQuiet(page);
    expect({ asked, profile: (await readOutbox(page)).profile }).toEqual({ asked: [], profile: null });
  });
});
