import { copiedChannels } from "../support/channels";
import { expect, test, untilServed } from "../support/journey";

const channels = copiedChannels();
channels.setEvent(1, (event) => ({ ...event, participant_ids: [101, 102] }));
const pages = channels.read<{ id: number }[]>("pages.json");
channels.write("pages.json", [
  ...pages,
  { id: 901, url: "/équipe/à-propos", alt_name: "equipe", name: "À propos de l’équipe", content: "Douze joueuses." },
  {
    id: 902,
    url: "/caf%C3%A9",
    alt_name: "cafe",
    name: "Le café",
    content: "Ouvert dès midi. [Chez les Laurentides](/schedule?channel=laurentides&date=2026-01-01)",
  },
]);
const menu = channels.read<{ header: object[] }>("menu.json");
channels.write("menu.json", {
  ...menu,
  header: [...menu.header, { name: "Sister site", url: "/faq?channel=laurentides" }],
});

channels.write("storage/settings/player.json", { start_level: 0 });

// One copy of the channels for all: the first to end would take it from the others.
test.describe.configure({ mode: "default" });
test.use({ flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

test("the team at home is named last whatever the order, and a pass by how long it holds (EVENT-2, PKG-1)", async ({
  page,
}) => {
  await page.goto("/watch/1");
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText(/Harbor City.*@.*Northfield/);
  await expect(page.locator(".watch__teams .team-card").first()).toContainText("Harbor City");
  await page.goto("/packages");
  const card = (name: string) => page.getByRole("article").filter({ has: page.getByRole("heading", { name }) });
  await expect(card("Kestrels winter pass")).toContainText("Season pass");
  await expect(card("Weekend pass")).not.toContainText("Season pass");
  // Passes have a page of their own, which leads back to all (ROUTE-2).
  await page.getByRole("link", { name: "Passes only" }).click();
  await expect(page).toHaveURL("/passes");
  await expect(card("Kestrels winter pass")).toBeVisible();
  await page.getByRole("link", { name: "All packages and subscriptions" }).click();
  await expect(page).toHaveURL("/packages");
  // What the channel tells of its schools stands under its own words (CALL-4).
  await page.goto("/?group=northfield");
  await expect(page.getByText("Conference: Prairie Conference")).toBeVisible();
  // A division narrows the schedule, says so, and is taken away (NAV-8).
  await page.goto("/upcoming?division=womens-hockey");
  const rows = page.locator(".events-by-day .fixture-row");
  await expect(rows.first()).toContainText("Women’s hockey");
  const narrowed = await rows.count();
  await expect(rows.filter({ hasText: "Women’s hockey" })).toHaveCount(narrowed);
  const division = page.getByRole("combobox", { name: "Division" });
  await expect(division.getByRole("option", { selected: true })).toHaveText("Hockey · Women’s");
  await division.selectOption("");
  await expect(page).toHaveURL("/upcoming");
  await expect(rows.filter({ hasText: /basketball/i }).first()).toBeVisible();
  // So does it the home page.
  await page.goto("/?sport=hockey&division=womens-hockey");
  await expect(page.getByRole("heading", { level: 1, name: "Hockey · Women’s" })).toBeVisible();
  const cards = page.getByRole("main").getByRole("article");
  await expect(cards.first()).toContainText("Women’s hockey");
  await expect(cards.filter({ hasNotText: "Women’s hockey" })).toHaveCount(0);
});

test("a content page is found by an address with accents; its link to another channel leads to that site (ROUTE-10, NAV-8)", async ({
  page,
  worker,
}) => {
  for (const [path, text] of [
    ["/équipe/à-propos", "Douze joueuses."],
    ["/%C3%A9quipe/%C3%A0-propos/", "Douze joueuses."],
    ["/café", "Ouvert dès midi."],
  ] as const) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await expect(page.getByText(text), path).toBeVisible();
  }
  // The service worker answers addresses of this site: it lets this one go.
  await untilServed(page);
  await page.getByRole("link", { name: "Chez les Laurentides" }).click();
  const { port } = new URL(worker.origin);
  await expect(page).toHaveURL(`http://laurentides.localhost:${port}/schedule?channel=laurentides&date=2026-01-01`);
  await expect(page.getByRole("heading", { level: 1, name: "Calendrier" })).toBeVisible();
  // So does an entry of the menu.
  await page.goto("/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Sister site" }).click();
  await expect(page).toHaveURL(`http://laurentides.localhost:${port}/faq?channel=laurentides`);
  // A name of no channel changes nothing.
  await page.goto("/café?channel=nobody");
  await expect(page.getByText("Ouvert dès midi.")).toBeVisible();
});

test("the player begins with the quality that the channel's settings file says (SET-1)", async ({ page }) => {
  const first = page.waitForRequest(/\/v\d\/[^/]*seg_/);
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  expect((await first).url()).toMatch(/\/v1\//);
});
