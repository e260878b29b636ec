import { expect, test, untilServed } from "../support/journey";

test.use({ sharesWorker: true });

test("what is not there says so in its title, and by its status (ROUTE-3)", async ({ page }) => {
  for (const [path, title] of [
    ["/watch/99999", /^This event could not be found\./],
    ["/vod_library/99999", /^This video could not be found\./],
    ["/share/99999/0190a6e0-0000-7000-8000-000000000007", /^This video could not be found\./],
    ["/?participant=nobody", /^This page is lost/],
  ] as const) {
    await page.goto(path);
    await expect(page, path).toHaveTitle(title);
    expect((await page.request.get(path)).status(), path).toBe(404);
  }
  await expect(page.getByRole("heading", { level: 1, name: "This page is lost" })).toBeVisible();
  for (const path of [
    "/?group=nobody",
    "/?sport=nothing",
    "/?division=nothing",
    "/watch_library/99999",
    "/watch_library",
  ])
    expect((await page.request.get(path)).status(), path).toBe(404);
  // What is there has the title that its link is shown with.
  for (const [path, title] of [
    ["/?sport=hockey", "Hockey"],
    ["/?sport=hockey&division=womens-hockey", "Hockey · Women’s"],
    ["/?group=northfield", "Northfield Kestrels"],
    ["/?participant=101", "Northfield Kestrels · Women’s basketball"],
  ] as const) {
    const answer = await page.request.get(path);
    expect(await answer.text(), path).toContain(`<title>${title} · `);
  }
  await page.goto("/?sport=hockey&division=womens-hockey");
  await expect(page.getByRole("heading", { level: 1, name: "Hockey · Women’s" })).toBeVisible();
  await expect(page).toHaveTitle("Hockey · Women’s · Northfield Sports Network");
  await page.goto("/simulate");
  await expect(page).toHaveTitle(/^Replay of a recorded log/);
});

for (const [host, team] of [
  ["127.0.0.1", "/?participant=101"],
  ["laurentides.localhost", "/?participant=mont-tremblant-hockey-femmes"],
] as const)
  test(`a page's tab has the title that its link is shown with: ${host} (FOUND-1)`, async ({ page, worker }) => {
    const origin = worker.origin.replace("127.0.0.1", host);
    await page.goto(`${origin}/schedule`);
    const event = await page.getByRole("main").locator('a[href^="/watch/"]').first().getAttribute("href");
    for (const path of [event ?? "", team]) {
      const shown = await page.evaluate(async (of) => (await fetch(of)).text(), path);
      const served = /<title>(.*?)<\/title>/.exec(shown)?.[1];
      await page.goto(`${origin}/faq`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
      await expect(page, path).toHaveTitle(served ?? "");
    }
  });

test("a visitor's own clip leads to the login (ROUTE-3)", async ({ page }) => {
  await page.goto("/watch_library/1");
  await expect(page).toHaveURL(/\/login$/);
});

test("a last slash makes no other page (ROUTE-7, ROUTE-10)", async ({ page }) => {
  for (const path of ["/about", "/contacts"]) {
    await page.goto(`${path}/`);
    await expect(page.getByRole("main").getByRole("heading", { level: 1 })).not.toHaveText("");
    await expect(page.getByRole("main").getByRole("paragraph").first()).toHaveText(/\w{3}.{40}/);
    await expect(page.getByText("This page has nothing to show yet.")).toHaveCount(0);
  }
});

test("a phone has the whole menu at the foot of every page (NAV-7)", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/faq");
  const foot = page.getByRole("contentinfo");
  for (const name of ["Home", "Schedule", "Library", "Packages", "About"])
    await expect(foot.getByRole("link", { name, exact: true })).toHaveCount(1);
  await foot.getByRole("link", { name: "Packages", exact: true }).click();
  await expect(page).toHaveURL(/\/packages$/);
});

test("without a network what is stored is shown, and no page offers to watch (START-6, LIM-3)", async ({
  page,
  context,
}) => {
  const stored = [
    ["/faq", "What do I need to watch?"],
    ["/packages", "Kestrels winter pass"],
    ["/vod_library", "Ten plays of the week"],
  ] as const;
  await page.goto("/");
  await untilServed(page);
  for (const [path, shown] of stored) {
    await page.goto(path);
    // The site's own: what the page itself brings is not stored yet.
    await expect(page.locator("#root").getByText(shown).first(), path).toBeVisible();
  }
  // The log-in and the preview of a paid event need the network as well.
  await page.goto("/watch/2");
  const main = page.getByRole("main");
  const login = main.locator(".panel, .watch__bar").getByRole("link", { name: "LOGIN TO WATCH" });
  const preview = main.getByRole("button", { name: /^Watch the preview/ });
  await expect(login.first()).toBeVisible();
  await expect(preview).toBeEnabled();
  await context.setOffline(true);
  await expect(login).toHaveCount(0);
  await expect(preview).toBeDisabled();
  await context.setOffline(false);
  await page.goto("/vod_library/1");
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toBeEnabled();
  await context.setOffline(true);
  await expect(main.getByRole("button", { name: "Needs a connection" })).toBeDisabled();
  await context.setOffline(false);
  await page.goto("/watch/25");
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toBeEnabled();
  await context.setOffline(true);
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toHaveCount(0);
  await expect(main.getByRole("button", { name: "Needs a connection" })).toBeDisabled();
  for (const [path, shown] of stored) {
    await page.goto(path);
    await expect(main.getByText(shown).first(), path).toBeVisible();
  }
});
