// @vitest-environment jsdom
import { expect } from "vitest";
import { journey } from "../testing/journey";

const TITLES = { "/schedule": "Schedule", "/upcoming": "Upcoming", "/live": "Live", "/vod": "On demand" };

journey("each listed address has its own title (ROUTE-4)", async (page) => {
  for (const [path, title] of Object.entries(TITLES)) {
    await page.goto(path);
    await page.within("main h1", "Schedule").appears();
    await page.browser.until(() => expect(document.title.split(" · ")[0], path).toBe(title));
  }
});

journey("a review is promised only where something can be submitted (LIM-4, FORM-1)", async (page) => {
  page.channel.state.catalogue.forms.length = 0;
  await page.goto("/contacts");
  await page.main.sees("Contacts");
  await page.browser.until(() => expect(page.channel.requests("GET /api/custom-forms/{alias}")).toHaveLength(1));
  await page.pass(500);
  expect(page.main.has("reviewed within 5 business days")).toBe(false);
});
