import { expect, test, untilServed } from "../support/journey";

test.use({ sharesWorker: true });

test("a page's tab title equals its link preview's title, in both channels (FOUND-1b, FOUND-1e)", async ({
  page,
  worker,
}) => {
  for (const [host, team] of [
    ["127.0.0.1", "/?participant=101"],
    ["laurentides.localhost", "/?participant=mont-tremblant-hockey-femmes"],
  ] as const) {
    const origin = worker.origin.replace("127.0.0.1", host);
    await page.goto(`${origin}/schedule`);
    const event = await page.locator('#root a[href^="/watch/"]').first().getAttribute("href");
    for (const path of [event ?? "", team]) {
      const html = await page.evaluate(async (of) => (await fetch(of)).text(), path);
      const served = /<title>(.*?)<\/title>/.exec(html)?.[1];
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
      await expect(page, path).toHaveTitle(served ?? "");
    }
  }
});

test("without a network stored data is visible, and no page offers to watch (START-6, LIM-3)", async ({
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
  for (const [path, html] of stored) {
    await page.goto(path);
    // In the site itself: the worker's first screen isn't stored yet.
    await expect(page.locator("#root").getByText(html).first(), path).toBeVisible();
  }
  // The log-in and the preview of a paid event need the network as well.
  await page.goto("/watch/2");
  const main = page.getByRole("main");
  const login = main.locator(".panel, .watch__bar").getByRole("link", { name: "LOGIN TO WATCH" });
  const preview = main.getByRole("button", { name: /^Watch preview/ });
  await expect(login.first()).toBeVisible();
  await expect(preview).toBeEnabled();
  await context.setOffline(true);
  await expect(login).toHaveCount(0);
  await expect(preview).toBeDisabled();
  await context.setOffline(false);
  await page.goto("/vod_library/1");
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toBeEnabled();
  await context.setOffline(true);
  await expect(main.getByRole("button", { name: "Connection required" })).toBeDisabled();
  await context.setOffline(false);
  await page.goto("/watch/25");
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toBeEnabled();
  await context.setOffline(true);
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toHaveCount(0);
  await expect(main.getByRole("button", { name: "Connection required" })).toBeDisabled();
  for (const [path, html] of stored) {
    await page.goto(path);
    await expect(main.getByText(html).first(), path).toBeVisible();
  }
});

test("a link's language persists on later visits, and a redirected page isn't recorded as the first (FOUND-1d, FOUND-1e)", async ({
  page,
}) => {
  const canonical = page.locator("link[rel=canonical]");
  const ofTheFirst = page.locator('meta[property^="og:"], script[type="application/ld+json"], link[hreflang]');
  await page.goto("/watch/1?lang=fr");
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  await expect(canonical).toHaveAttribute("href", /\/watch\/1\?lang=fr$/);
  await expect(page.getByRole("link", { name: "Aller au contenu" })).toBeAttached();
  await page.getByRole("banner").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page).toHaveTitle("Northfield Sports Network");
  await expect(canonical).toHaveCount(0);
  await expect(ofTheFirst).toHaveCount(0);
  // From now on the service worker answers, with the same shell for every page.
  await untilServed(page);
  await page.goto("/watch/1?lang=fr");
  await expect(page.getByRole("link", { name: "Aller au contenu" })).toBeAttached();
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
});
