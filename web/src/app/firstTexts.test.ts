import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { first } from "../i18n/en";
import { rest } from "../i18n/en/rest";

const SRC = resolve(import.meta.dirname, "..");
/** Modules that render before any screen and the remaining texts are fetched. */
const INITIAL_MODULES = [
  "app/main.tsx",
  "app/report/ReportDialog.tsx",
  "simulate/Simulate.tsx",
  "components/picture/Scene.tsx",
  "screens/shell/OpenPopup.tsx",
];

const fileOf = (path: string): string | undefined =>
  [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((one) => /\.tsx?$/.test(one) && existsSync(one));

/** Files that `file` imports statically, including itself. */
function reach(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^;]*?from "(\.[^"]+)";/gm);
  for (const [, path = ""] of imports) {
    const next = fileOf(resolve(dirname(file), path));
    if (next !== undefined) reach(next, reached);
  }
  return reached;
}

describe("the texts of the first page", () => {
  const files = [...new Set(INITIAL_MODULES.flatMap((path) => [...reach(resolve(SRC, path))]))];
  const texts = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bt\(\s*["'`](\w+)\./g)].map(([, section = ""]) => ({
      file: relative(SRC, file),
      section,
    })),
  );

  it("hold everything that is said there: the rest is not at hand yet", () => {
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter(({ section }) => !(section in first))).toEqual([]);
  });

  it("hold no section that only other screens say", () => {
    const needed = new Set(texts.map(({ section }) => section));
    // Server messages, and the messages of field errors.
    const always = ["server", "general", "validation", "notFound", "common"];
    expect(Object.keys(first).filter((section) => !needed.has(section) && !always.includes(section))).toEqual([]);
  });

  it("are not said twice", () => {
    expect(Object.keys(rest).filter((section) => section in first)).toEqual([]);
  });
});
