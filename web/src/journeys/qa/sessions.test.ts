// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

const DAY_MS = 86_400_000;
const BATCH = "POST /datalake/batch";
const HASH = "GET /datalake/hash/";

interface Visit {
  readonly event: string;
  readonly session_uuid?: string;
  readonly extras: { readonly page: string };
}
const received = <T>(page: Page, path: string): T[] =>
  [...page.channel.state.analytics.values()].filter((event) => event.path === path).map(({ body }) => body as T);
const visits = (page: Page) => received<Visit>(page, "/datalake/event/").filter(({ event }) => event === "visit");
const sessions = (page: Page) =>
  received<{ session: string }>(page, "/datalake/session/").map(({ session }) => session);

journey("an event without a session waits for one (ANA-11b)", async (page) => {
  page.channel.fail(HASH, "away");
  await page.goto("/faq");
  await page.browser.until(() => expect(page.channel.pending).toBe(0));
  await page.pass(10_000);
  expect(page.channel.requests(BATCH)).toEqual([]);
  page.channel.heal();
  await page.goto("/packages");
  // It is requested again within a minute.
  await page.pass(60_000);
  await page.browser.until(() => expect(visits(page)).toHaveLength(2));
  const [session] = sessions(page);
  expect(session).toBeTruthy();
  expect(visits(page).map(({ session_uuid, extras }) => [session_uuid, extras.page])).toEqual([
    [session, "/faq"],
    [session, "/packages"],
  ]);
});

journey("events that wait for a day are sent in their own session (ANA-11a, ANA-11c)", async (page) => {
  await page.goto("/faq");
  await page.browser.until(() => expect(visits(page)).toHaveLength(1));
  page.channel.fail(BATCH, "away");
  await page.goto("/about");
  await page.within("main h1", "About").appears();
  await page.pass(2_000);
  vi.setSystemTime(Date.now() + DAY_MS);
  page.channel.heal();
  await page.goto("/packages");
  await page.browser.until(() => expect(visits(page)).toHaveLength(3));
  const [first, second] = sessions(page);
  expect(second).not.toBe(first);
  const sent = visits(page).map(({ session_uuid, extras }) => [extras.page, session_uuid]);
  expect(Object.fromEntries(sent)).toEqual({ "/faq": first, "/about": first, "/packages": second });
});

journey("an analytics call that stays silent is abandoned after 30 s, and repeated (ANA-2g)", async (page) => {
  page.channel.fail(BATCH, "silent", 1);
  await page.goto("/faq");
  await page.browser.until(() => expect(page.channel.requests(BATCH)).toHaveLength(1));
  expect(page.channel.pending).toBe(1);
  await page.pass(29_500);
  expect([page.channel.pending, page.channel.requests(BATCH).length]).toEqual([1, 1]);
  await page.pass(1_000);
  expect(page.channel.pending).toBe(0);
  await page.browser.until(() => expect(visits(page).map(({ extras }) => extras.page)).toEqual(["/faq"]));
});

journey("a sale reaches the tag manager's data layer in its e-commerce form (ANA-5a, SET-1a)", async (page) => {
  const layer = (): unknown[] => (window as { dataLayer?: unknown[] }).dataLayer ?? [];
  page.channel.state.catalogue.settings["google-analytics"] = "GTM-TEST1";
  await page.signIn();
  await page.goto("/buy?event_id=1");
  await page.enterCard(CARDS.pays);
  await page.press(/^Pay /);
  await page.sees(/^Paid\./);
  const [order] = page.channel.state.orders.charges;
  expect(order?.amount).toBe(859);
  await page.browser.until(() => expect(layer()).toContainEqual(expect.objectContaining({ event: "purchase" })));
  expect(layer()).toContainEqual(
    expect.objectContaining({ event: "page_view", page_path: expect.stringMatching(/^\/buy/) }),
  );
  expect(layer()).toContainEqual({
    event: "purchase",
    ecommerce: {
      transaction_id: expect.any(String),
      currency: "USD",
      value: 8.59,
      tax: 0.6,
      items: [expect.objectContaining({ item_id: "1", item_category: "event", price: 7.99, discount: 0, quantity: 1 })],
    },
  });
});

journey("a shared clip's page has no container, and analytics receive its id alone (ANA-5b, ANA-5c)", async (page) => {
  page.channel.state.catalogue.settings["google-analytics"] = "GTM-TEST1";
  const containers = (): number => document.querySelectorAll('script[src*="googletagmanager"]').length;
  const clip = { id: 4711, uuid: "0190b0aa-0000-7000-8000-0000000000aa" };
  await page.goto(`/share/${clip.id}/${clip.uuid}`);
  await page.sees("We couldn’t find this video.");
  await page.browser.until(() => expect(visits(page)).toHaveLength(1));
  expect(containers()).toBe(0);
  expect(visits(page)[0]?.extras.page).toBe("/share/4711");
  // Its scripts could read the address with which the page was opened.
  await page.within("header nav").press("Packages");
  await page.browser.until(() => expect(visits(page)).toHaveLength(2));
  expect(containers()).toBe(0);
  await page.goto("/faq");
  await page.browser.until(() => expect(containers()).toBe(1));
  // A page with the container is reloaded without it.
  window.history.pushState(null, "", `/share/${clip.id}/${clip.uuid}`);
  window.dispatchEvent(new PopStateEvent("popstate"));
  await page.sees("We couldn’t find this video.");
  await page.browser.until(() => expect(containers()).toBe(0));
  expect(JSON.stringify([...page.channel.state.analytics.values()])).not.toContain(clip.uuid);
  expect(JSON.stringify((window as { dataLayer?: unknown[] }).dataLayer)).not.toContain(clip.uuid);
});
