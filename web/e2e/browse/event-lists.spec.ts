import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../support/journey";

test.use({ sharesWorker: true });

const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../fixtures/channels/northfield", file), "utf8"));

/** How the demo says when an event is: seconds after its worker's first start, or days, at a time of day. */
interface Start {
  readonly starts_in_s?: number;
  readonly starts_on?: { readonly day: number };
}

interface Upcoming {
  readonly id: number;
  readonly gender: string;
  readonly sport: string;
  readonly city: string;
  readonly state: string;
}

/** What is to come in the demo, by what its lists are filtered by. */
const UPCOMING: readonly Upcoming[] = read("events.json")
  .filter(({ starts_in_s = 0, starts_on }: Start) => starts_in_s > 0 || (starts_on?.day ?? 0) > 0)
  .map((event: { id: number; location_id: number; participant_ids: number[] }) => {
    const team = read("participants.json").find(({ id }: { id: number }) => id === event.participant_ids[0]);
    const place = read("locations.json").find(({ id }: { id: number }) => id === event.location_id);
    return { id: event.id, ...team.properties, city: place.city, state: place.state };
  });

const PHONE = { width: 390, height: 844 };

test("events are live, upcoming or on demand, as cards or as a table that stays, and are filtered (LIST-1 to LIST-4, LIM-2, CALL-5)", async ({
  page,
}) => {
  await page.goto("/live");
  const tabs = page
    .getByRole("navigation", { name: "Which events" })
    .or(page.getByRole("main").getByRole("navigation"));
  await expect(page.getByRole("main").getByText("Harbor City @ Northfield").first()).toBeVisible();
  await tabs
    .first()
    .getByRole("link", { name: /^Upcoming/ })
    .click();
  await expect(page.getByRole("main").getByText("Westhaven @ Northfield").first()).toBeVisible();
  await expect(page.getByRole("main").getByText("Harbor City @ Northfield")).toHaveCount(0);
  // By sport, kept in the address.
  await page.getByLabel("Sport").first().selectOption({ label: "Hockey" });
  await expect(page).toHaveURL(/sport=hockey/);
  await expect(page.getByRole("main").getByText("Westhaven @ Northfield").first()).toBeVisible();
  await expect(page.getByRole("main").getByText("Granite Falls @ Easton")).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("main").getByText("Granite Falls @ Easton")).toHaveCount(0);
  await page.getByRole("button", { name: "Clear" }).first().click();
  await expect(page.getByRole("main").getByText("Granite Falls @ Easton").first()).toBeVisible();
  // By gender, state and city, each alone and together: what the channel's folder has of them, and nothing else.
  const listed = async () =>
    new Set(
      await page
        .getByRole("main")
        .locator(".fixture-row--columns .fixture-row__name")
        .evaluateAll((links) => links.map((link) => Number(link.getAttribute("href")?.split("/").at(-1)))),
    );
  for (const [choices, fits] of [
    [{ Gender: "Women" }, ({ gender }) => gender === "female"],
    [{ Gender: "All", State: "IA" }, ({ state }) => state === "IA"],
    [{ State: "All", City: "Harbor City" }, ({ city }) => city === "Harbor City"],
    [
      { City: "All", Gender: "Men", Sport: "Soccer", State: "IA" },
      ({ gender, sport, state }) => gender === "male" && sport === "soccer" && state === "IA",
    ],
  ] as [{ [filter: string]: string }, (of: Upcoming) => boolean][]) {
    for (const [name, label] of Object.entries(choices)) {
      const before = page.url();
      await page.getByRole("combobox", { name, exact: true }).selectOption({ label });
      await expect(page).not.toHaveURL(before);
    }
    const wanted = UPCOMING.filter(fits).map(({ id }) => id);
    expect(wanted.length, JSON.stringify(choices)).toBeGreaterThan(0);
    await expect.poll(listed, JSON.stringify(choices)).toEqual(new Set(wanted));
  }
  await expect(page).toHaveURL(/gender=male/);
  await page.getByRole("button", { name: "Clear" }).first().click();
  await expect.poll(listed).toEqual(new Set(UPCOMING.map(({ id }) => id)));
  // A list comes first; the other look is kept over a reload.
  await expect(page.locator(".fixture-row--columns").first()).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Cards" }).click();
  await expect(page.locator(".events-by-day .event-card").first()).toBeVisible();
  await page.reload();
  await expect(page.locator(".events-by-day .event-card").first()).toBeVisible();
  await expect(page.locator(".fixture-row--columns")).toHaveCount(0);
  // It is stored under its prefixed name, with the day on which it goes.
  // The state is stored within a second or two.
  const days = () =>
    page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve) => {
          request.onsuccess = () => resolve(request.result);
        });
      const database = await done(indexedDB.open("touchline-state"));
      const { preferences } = await done(
        database.transaction("snapshots").objectStore("snapshots").get("persist:browser"),
      );
      database.close();
      const all = Object.entries(preferences.chosen as { [name: string]: { expires_at: number } });
      return all.map(([name, { expires_at }]) => [name, Math.round((expires_at - Date.now()) / 86_400_000)]);
    });
  await expect.poll(days).toEqual([["touchline.list_view", 360]]);
});

test("two filters that are pressed before the address has changed are both kept (LIST-3)", async ({ page }) => {
  await page.goto("/upcoming");
  await expect(page.locator("#root .fixture-row--columns").first()).toBeVisible();
  await page.evaluate(() => {
    for (const [name, value] of Object.entries({ Sport: "hockey", Gender: "female" })) {
      const label = [...document.querySelectorAll("label")].find((one) => one.textContent === name);
      const select = label?.control as HTMLSelectElement;
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
  await expect(page).toHaveURL(/sport=hockey/);
  await expect(page).toHaveURL(/gender=female/);
});

test("a visitor reads what it takes to watch (EVENT-4)", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/watch/1");
  await expect(page.getByRole("main").getByRole("link", { name: "LOGIN TO WATCH" }).first()).toBeVisible();
  await page.goto("/watch/3");
  await expect(page.getByRole("main").getByRole("link", { name: "REGISTER TO WATCH FREE" }).first()).toBeVisible();
});
