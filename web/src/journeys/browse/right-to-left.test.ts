// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

const RTL = /[\u0590-\u08ff]/;
const HEBREW = "מכבי תל אביב";
const ARABIC = "النصر";
/** The event to buy, and a live one with a score. */
const EVENT = 1;
const LIVE = 3;

const isIsolatedText = (text: string): boolean => !RTL.test(text.replace(/\u2068[^\u2068\u2069]*\u2069/g, ""));

/** Texts of the document that could change the direction of others. */
function unisolated(): string[] {
  const found: string[] = [];
  if (!isIsolatedText(document.title)) found.push(`title: ${document.title}`);
  for (const element of document.body.querySelectorAll("*")) {
    for (const name of ["aria-label", "title", "alt"]) {
      const value = element.getAttribute(name) ?? "";
      if (!isIsolatedText(value)) found.push(`${name}: ${value}`);
    }
    if (element.closest("bdi, option, svg, script")) continue;
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE && !isIsolatedText(node.textContent ?? ""))
        found.push(`<${element.tagName.toLowerCase()} class=${element.className}> ${node.textContent}`);
  }
  return found;
}

/** Titles on the page that have both sides, in the order of the markup. */
const titles = (page: Page, away: string, home: string): string[] =>
  page
    .all("h1, h2, h3, a.fixture-row__name")
    .map(({ textContent }) => textContent ?? "")
    .filter((text) => text.includes(`${away} @`) || text.includes(`@ ${away}`))
    .filter((text) => text.includes(home));

async function shows(page: Page, where: string, text: string): Promise<void> {
  await page.sees(text);
  await page.settles();
  expect(unisolated(), where).toEqual([]);
}

for (const [away, home] of [
  [HEBREW, "Northfield"],
  ["Northfield", HEBREW],
  [HEBREW, "הפועל חיפה"],
  [ARABIC, `FC ${HEBREW}`],
] as const)
  journey(`names keep their sides: ${away} @ ${home} (EVENT-9)`, async (page) => {
    const { catalogue } = page.channel.state;
    for (const event of catalogue.events.filter(({ id }) => id === EVENT || id === LIVE)) {
      const sides = event.participants;
      const [first, second] = sides;
      if (!first || !second) throw new Error("the event has two sides");
      const isTurned = first.id === event.home_team_id;
      // Its own copies: the fixture's teams play others as well.
      event.participants = [
        { ...first, name: `${isTurned ? home : away} FC`, short_name: isTurned ? home : away },
        { ...second, name: `${isTurned ? away : home} FC`, short_name: isTurned ? away : home },
      ];
      event.name = `${away} – ${home}`;
    }
    for (const team of catalogue.teams.slice(0, 3)) Object.assign(team, { name: `${HEBREW} FC`, short_name: HEBREW });
    for (const location of catalogue.locations) Object.assign(location, { name: "בלומפילד", city: "תל אביב" });
    await page.signIn();
    for (const path of ["/", "/schedule", "/live", `/watch/${EVENT}`, `/watch/${LIVE}`, `/watch_embed/${LIVE}`]) {
      await page.goto(path);
      await shows(page, path, home);
      for (const title of titles(page, away, home)) expect(title, path).toContain(`${away} @ ${home}`);
    }
    await page.goto(`/search?q=${encodeURIComponent(HEBREW)}`);
    await page.settles();
    expect(unisolated(), "search").toEqual([]);
    await page.goto(`/watch/${EVENT}`);
    await page.main.press(/^Buy for/);
    await page.enterCard(CARDS.pays);
    await shows(page, "buy", home);
    await page.press(/^Pay /);
    await page.sees("Paid. Enjoy the game.");
    await shows(page, "dialogue", home);
    await page.goto("/profile");
    await shows(page, "profile", home);
    await page.goto("/profile/transactions");
    await shows(page, "transactions", home);
  });
