// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const SUBMIT = "POST /api/custom-forms/{alias}";

async function fillIn(page: Page): Promise<void> {
  await page.fill("Your name", VERA.first_name);
  await page.fill("Your email address", VERA.email);
  await page.select("Topic", "Watching");
  await page.fill("Message", "The sound is missing.");
}

journey("a channel's forms are on their pages, and check their fields (FORM-1a, FORM-1b)", async (page) => {
  const { forms } = page.channel.state.catalogue;
  const [contact] = forms;
  if (!contact) throw new Error("the channel has no form");
  for (const [at, alias] of ["season-guide", "about"].entries())
    forms.push({ ...contact, id: 2 + at, alias, name: `Ask about ${alias}` });
  for (const [path, name, alias] of [
    ["/contacts", "Contact us", "contact"],
    ["/season-guide", "Ask about season-guide", "season-guide"],
    ["/about", "Ask about about", "about"],
  ] as const) {
    await page.goto(path);
    await page.main.sees(name);
    await page.main.press("Send");
    await page.main.sees("Field is required.");
    await fillIn(page);
    await page.fill("Your email address", "vera@viewer");
    await page.main.press("Send");
    await page.main.sees("A valid email address is required");
    expect(page.channel.requests(SUBMIT).filter(({ params }) => params.alias === alias)).toEqual([]);
    await page.fill("Your email address", VERA.email);
    await page.main.press("Send");
    await page.main.sees(/^Sent\./);
    expect(page.channel.state.forms.at(-1)).toMatchObject({ alias, answers: { email: VERA.email } });
  }
  await page.goto("/privacy_policy");
  await page.within("main h1", "Privacy policy").appears();
  await page.settles();
  expect(page.main.can("Send")).toBe(false);
});

journey("a form is sent once, however often its button is pressed (FORM-1c)", async (page) => {
  await page.goto("/contacts");
  await page.main.sees("Contact us");
  await fillIn(page);
  const button = page.main.all("form button[type=submit]")[0] as HTMLButtonElement;
  // The first answer is lost, so that the form is also sent again by itself or by another press.
  page.channel.fail(SUBMIT, "lost", 1);
  for (let press = 0; press < 5; press += 1) button.click();
  await page.browser.until(() => expect(page.channel.requests(SUBMIT).length).toBeGreaterThan(0));
  button.click();
  await page.pass(3_000);
  if (page.main.can("Send") && !page.main.has(/^Sent\./)) await page.main.press("Send");
  await page.main.sees(/^Sent\./);
  expect(page.channel.state.forms).toHaveLength(1);
  const keys = page.channel.requests(SUBMIT).map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(1);
});
