// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import { replayText } from "../../eventlog/replay";
import { program } from "../../sagas/program";
import { journey, type Page } from "../testing/journey";

// A recording has nothing that looks like an address, a phone number or a card, whichever field it is typed into.

/** Typed into each field, one after the other. Each digit and letter is typed as a viewer pauses. */
const TYPED = {
  name: "Quillonius Zabberwick",
  address: "quill.zabber@viewer.example",
  phone: "+1 (416) 555-0182",
  card: "5555 5555 5555 4444",
} as const;

/** Traces of each. A name is private only in fields for names. */
const PRIVATE = [/quill\.zabber/i, /viewer(?:@|%40|\.example)/i, /416\D{0,3}555/, /555\D{0,3}0182/, /5555\D{0,3}5555/];
const NAME = /Quillonius|Zabberwick/i;

/** Pages with text fields, and the presses that open them. */
const PAGES: readonly (readonly [path: string, opening: readonly (string | RegExp)[], hasNames?: true])[] = [
  ["/search", []],
  ["/vod_library", []],
  ["/passes", []],
  ["/packages", []],
  ["/buy?event_id=24", [/^Add (?:a )?promo code/]],
  ["/contacts", [], true],
  ["/profile/edit", [], true],
  ["/profile/sessions/add", [], true],
  ["/watch/25", ["Watch", "Clip"]],
];

const FIELDS =
  "input:not([type=checkbox], [type=radio], [type=range], [type=hidden], [type=date], [readonly]), textarea";

const tracesIn = (log: string, patterns: readonly RegExp[]): string[] =>
  log.split("\n").flatMap((line) => {
    const found = patterns.map((pattern) => line.match(pattern)).find((match) => match !== null);
    return found ? [line.slice(0, 300)] : [];
  });

/** Types into every field of the page, and sends each field's form. */
async function typeEverywhere(page: Page, text: string): Promise<void> {
  const fields = () => page.all(FIELDS) as HTMLInputElement[];
  const count = fields().length;
  for (let at = 0; at < count; at += 1) {
    const field = fields()[at];
    if (field === undefined) continue;
    for (const length of [Math.ceil(text.length * 0.7), text.length]) {
      fireEvent.input(field, {
        target: { value: text.slice(0, field.maxLength > 0 ? Math.min(length, field.maxLength) : length) },
      });
      await page.pass(500);
    }
    const form = field.closest("form");
    if (form) fireEvent.submit(form);
    else if (page.can("Create clip")) {
      if (page.can("Goal")) await page.press("Goal");
      await page.press("Create clip");
    }
    await page.pass(100);
  }
}

for (const [path, opening, hasNames] of PAGES)
  journey(`a recording has nothing private that was typed at ${path} (LOG-2)`, async (page) => {
    await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
    await page.goto(path);
    await page.main.appears();
    let presses = opening;
    for (const text of Object.values(TYPED)) {
      // The last one may have opened a result, or closed its form.
      if (!page.browser.address.startsWith(path.replace(/\?.*/, ""))) page.browser.back();
      for (const press of presses) if (page.main.all(FIELDS).length === 0) await page.press(press);
      presses = opening.slice(-1);
      await page.browser.until(() => expect(page.main.all(FIELDS)).not.toHaveLength(0));
      await typeEverywhere(page, text);
    }
    const log = await page.exportedLog();
    expect(tracesIn(log, hasNames ? [...PRIVATE, NAME] : PRIVATE)).toEqual([]);
    expect(replayText(program, log)).toMatchObject({ status: 0 });
    // The next page starts from a snapshot.
    await page.reload();
    await page.main.appears();
    expect(tracesIn(await page.exportedLog(), PRIVATE)).toEqual([]);
  });
