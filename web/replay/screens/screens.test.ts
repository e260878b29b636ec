import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { State } from "../../src/eventlog/envelope";
import { createFold } from "../../src/eventlog/folding";
import { parseLog } from "../../src/eventlog/parse";
import { logText } from "../../src/eventlog/testing/logText";
import { program } from "../../src/sagas/program";
import type { RootState } from "../../src/slices";
import { acceptDifferences } from "../acceptDifferences";
import { record } from "../testing/recordings";
import { bundleToday, type Edit } from "./bundleScreens";
import { itemChanges } from "./itemChanges";
import type { Item } from "./items";
import { openScreens } from "./openScreens";
import { differencesOf } from "./renderScreens";
import { screenPoints } from "./screenPoints";

const folder = mkdtempSync(join(tmpdir(), "touchline-screens-"));
const removals = [() => rmSync(folder, { recursive: true })];
afterAll(() => {
  for (const remove of removals) remove();
});

async function bundled(edit?: Edit): Promise<string> {
  const { file, remove } = await bundleToday(edit);
  removals.push(remove);
  return file;
}

/** Actions of the compared lines: one for each screen, and the presses of Pay. */
const TYPES = ["navigation/pageOpened", "queries/left", "purchase/submitPressed"];

/** A session that buys an event with a declined card, and then with another one. */
const log = parseLog(await record("purchase-declined"));
const lines = screenPoints([program, program], log, Number.POSITIVE_INFINITY)
  .map(({ line }) => line)
  .filter((line) => TYPES.includes(log.lines[line - 2]?.type ?? ""));

const product = await bundled();
/**
 * A bundle with a wrong count and a wrong price, a refusal without its reason, and a button that is never disabled, but
 * does nothing.
 */
const faulty = await changed([
  ["screens/home/Schools.tsx", "count: groups.length", "count: 37"],
  ["screens/watch/BuyPanel.tsx", "chosen.basePrice + chosen.serviceFee", "10 * chosen.basePrice"],
  ["screens/buy/Paying.tsx", 'sentence(t, purchase.message) : ""', '"" : ""'],
  ["screens/buy/Buy.tsx", "disabled={!online || cards.chosen === null || earlier !== null || isChecking}", ""],
  ["screens/buy/Buy.tsx", "onClick={pay}", "onClick={() => undefined}"],
]);

/** A change of the product's code: its file, a text of it and the new text. */
type Change = readonly [file: string, from: string, to: string];

/** A bundle of a changed product. */
async function changed(changes: readonly Change[]): Promise<string> {
  const applied = new Set<Change>();
  const bundle = await bundled((file, text) =>
    changes.reduce((before, change) => {
      const [name, from, to] = change;
      if (file !== `src/${name}` || !before.includes(from)) return before;
      applied.add(change);
      return before.replace(from, to);
    }, text),
  );
  expect(applied.size).toBe(changes.length);
  return bundle;
}

/** The differences between what the product and another bundle say, by element. */
async function differencesTo(bundle: string) {
  const { differences, rendered, pressed } = await differencesOf(
    { program, bundle: product },
    { program, bundle },
    log,
    lines,
  );
  expect([rendered, pressed]).toEqual([9, 1]);
  const found = differences.flatMap(({ changes: ofScreen }) => ofScreen);
  return Object.fromEntries(found.map(({ path, was, is }) => [path, [was, is]]));
}

describe("the screens of two builds", () => {
  it("differ by what they say, by what is disabled, and by what a press does", async () => {
    expect(await differencesTo(faulty)).toEqual({
      "button home.allSchools": ["All 12 schools", "All 37 schools"],
      "text buy.buyFor": ["Buy for $10.74", "Buy for $99.90"],
      "text server.cardDeclined": ["Your card was declined.", undefined],
      "button buy.pay": ["Pay $10.74, disabled", "Pay $10.74"],
      "press of button buy.pay": ["purchase/submitPressed", undefined],
    });
  });

  it("are equal if only their elements differ", async () => {
    const refactored = await changed([
      [
        "screens/buy/Buy.tsx",
        '<p className="type-meta muted buy__final">{t("buy.final")}</p>',
        '<div><span className="buy__end">{t("buy.final")}</span></div>',
      ],
      [
        "components/basic/Button.tsx",
        '<span className="button__content">',
        '<span className="button__inner" data-look={look}>',
      ],
      ["screens/home/Schools.tsx", "{all ?", "{[all ?"],
      [
        "screens/home/Schools.tsx",
        "{ count: groups.length })}",
        "{ count: groups.length })].map((text) => `${text}`)}",
      ],
    ]);
    expect(await differencesTo(refactored)).toEqual({});
  });
});

it("texts are compared word by word, and shown whole", () => {
  const texts = (...all: string[]): Item[] => all.map((label) => ({ role: "text", label, state: [] }));
  expect(itemChanges(texts("5 of", "5 shown"), texts("5 of 5 shown"))).toEqual([]);
  expect(itemChanges(texts("a", "No card. Add one.", "b"), texts("a", "No card.", "b"))).toEqual([
    { path: "text “No card. Add one.”", was: "No card. Add one.", is: "No card." },
  ]);
  expect(itemChanges(texts("Paid 7.99"), texts("Paid 7.99", "Thank you"))).toEqual([
    { path: "text “Thank you”", is: "Thank you" },
  ]);
  expect(itemChanges(texts("Paid 7.99 on 3 May"), texts("Paid 1,079.90 on 3 May"))).toMatchObject([
    { path: "text “Paid # on # May”" },
  ]);
});

it("private values are stand-ins, also on a television's page", async () => {
  const folded = createFold(program, log);
  const login = log.lines.findIndex(({ type }) => type === "login/submitted");
  const [before, after] = [folded.stateAt(login), folded.stateAt(log.lines.length)];
  const screens = openScreens(product);
  const textOn = async (path: string, folding: State): Promise<string> => {
    const state = folding as unknown as RootState;
    const moved = { ...state, navigation: { ...state.navigation, current: { path, query: {} } } };
    const { items } = await screens.render({ state: moved as unknown as State, at: 0, locale: "en" });
    return items.map(({ label, state: marks }) => [label, ...marks].join(" ")).join("\n");
  };
  expect(await textOn("/profile/edit", after)).toContain("Email with ••••••");
  expect(await textOn("/device", before)).toContain("Your code: • • • • • •");
  screens.close();
});

it("a session is compared with the screens of its recording build, and a difference can be accepted", async () => {
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  // The checkout's own build isn't compared with itself.
  const login = log.lines.findIndex(({ type }) => type === "login/submitted");
  const toHome = log.lines
    .slice(0, login)
    .filter(({ kind }) => kind !== "checkpoint")
    .map((line, index) => ({ ...line, seq: index + 1 }));
  writeFileSync(join(folder, "log.jsonl"), logText({ ...log.header, build: `0.1.0+${head}` }, toHome));
  const options = { program, build: "0.2.0", folder, accepted: [], screens: faulty };
  const accepted = await acceptDifferences("more schools", ["log.jsonl"], options);
  const paths = expect.arrayContaining(["button home.allSchools"]);
  expect(accepted).toEqual([{ cause: "more schools", build: "0.2.0", why: "screen", what: null, paths }]);
});
