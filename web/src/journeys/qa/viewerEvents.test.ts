// @vitest-environment jsdom
import Ajv2020 from "ajv/dist/2020";
import { expect } from "vitest";
import schemas from "../../../../docs/contracts/events.json";
import { CARDS, journey, type Page } from "../testing/journey";

const ajv = new Ajv2020({ strict: false });

/** The viewer's events that the datalake has received, without visits; each matches its schema. */
function received(page: Page, path: string) {
  const events = [...page.channel.state.analytics.values()].filter((event) => event.path === path);
  return events.flatMap(({ body }) => {
    const { event, extras } = body as { event: string; extras?: object };
    if (extras !== undefined && !ajv.validate(schemas.$defs[event as keyof typeof schemas.$defs], extras))
      throw new Error(ajv.errorsText());
    return event === "visit" ? [] : [body as { event: string; extras?: object }];
  });
}

journey(
  "a search and an opened cancellation reach the datalake, without private words (ANA-15a, ANA-15b)",
  async (page) => {
    await page.signIn();
    await page.goto("/search?q=final");
    await page.pass(2_000);
    await page.goto("/search?q=514%20555-0199");
    await page.pass(2_000);
    await page.goto("/packages");
    await page.main.press("Start free trial");
    await page.enterCard(CARDS.pays);
    await page.press("Start free trial");
    await page.press("See my purchases");
    await page.main.press("Cancel subscription");
    await page.dialog().press("Keep subscription");
    const events = () => received(page, "/datalake/event/");
    await page.browser.until(() => expect(events()).toHaveLength(4));
    expect(events()).toMatchObject([
      { event: "searched", extras: { query: "final", results: expect.any(Number) } },
      { event: "searched", extras: { query: "[private]", results: 0 } },
      { event: "purchase" },
      { event: "cancellation_opened", extras: { subscription_id: "1" } },
    ]);
    expect(JSON.stringify(events())).not.toContain("0199");
  },
);

journey("a search is recorded once, and not again on the way back to it (ANA-15a)", async (page) => {
  await page.goto("/search?q=northfield");
  await page.pass(2_000);
  const searches = () => received(page, "/datalake/event/").filter(({ event }) => event === "searched");
  await page.browser.until(() => expect(searches()).toHaveLength(1));
  await page.within("header").press("Packages");
  await page.within("main h1", "Packages").appears();
  page.browser.back();
  await page.main.sees("Northfield Kestrels");
  await page.pass(4_000);
  await page.settles();
  expect(searches()).toHaveLength(1);
});

journey("what a viewer does before and after refusing is only counted (ANA-7, ANA-14b)", async (page) => {
  page.channel.state.catalogue.settings.analytics = { consent: true, respect_dnt: true };
  await page.goto("/search?q=final");
  await page.pass(2_000);
  await page.press("Don’t allow");
  await page.goto("/search?q=derby");
  await page.pass(2_000);
  const counts = () => received(page, "/datalake/count/");
  await page.browser.until(() => expect(counts()).toHaveLength(3));
  expect(counts()).toEqual([{ event: "searched" }, { event: "consent_refused" }, { event: "searched" }]);
  expect(received(page, "/datalake/event/")).toEqual([]);
  expect(JSON.stringify(page.channel.requests("POST /datalake/batch"))).not.toMatch(/profile|session|user/);
});
