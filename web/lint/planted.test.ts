// The house rules, each broken once on purpose: a rule that does not bite is not a rule.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const web = resolve(import.meta.dirname, "..");
const root = resolve(web, "..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "touchline-planted-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plant(path: string, text: string): string {
  const file = join(folder, "web", path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function lint(file: string): { status: number | null; output: string } {
  const run = spawnSync(join(web, "node_modules/.bin/oxlint"), ["-c", join(web, ".oxlintrc.json"), file], {
    cwd: web,
    encoding: "utf8",
  });
  return { status: run.status, output: run.stdout + run.stderr };
}

describe("a planted fault fails the lint", () => {
  const faults: [name: string, path: string, text: string, says: RegExp][] = [
    ["Date.now() in a machine", "src/machines/a.ts", "export const t = Date.now();\n", /Date\.now is ambient/],
    ["new Date() in a saga", "src/sagas/b.ts", "export const t = new Date();\n", /reads the clock/],
    ["Math.random() in a slice", "src/slices/c.ts", "export const t = Math.random();\n", /Math\.random is ambient/],
    ["window in a saga", "src/sagas/d.ts", "export const t = window.innerWidth;\n", /window is the browser's/],
    ["fetch in a machine", "src/machines/e.ts", 'export const t = () => fetch("/x");\n', /fetch is the browser's/],
    [
      "setTimeout in a saga",
      "src/sagas/f.ts",
      "export const t = () => setTimeout(() => undefined, 5);\n",
      /setTimeout is the browser's/,
    ],
    ...["delay", "throttle", "debounce", "retry", "putResolve", "eventChannel", "cps", "apply"].map(
      (effect): [string, string, string, RegExp] => [
        `${effect} of redux-saga`,
        `src/sagas/g-${effect}.ts`,
        `import { ${effect} } from "redux-saga/effects";\nexport const t = ${effect};\n`,
        new RegExp(`${effect} cannot be replayed`),
      ],
    ),
    [
      "effects under a name of their own",
      "src/sagas/g1.ts",
      'import * as effects from "typed-redux-saga";\nexport const t = effects.delay;\n',
      /Import effects by their names/,
    ],
    [
      "a thunk in a slice",
      "src/slices/g2.ts",
      'import { createAsyncThunk } from "@reduxjs/toolkit";\nexport const t = createAsyncThunk;\n',
      /createAsyncThunk cannot be replayed/,
    ],
    [
      "a promise in a saga",
      "src/sagas/g3.ts",
      "export const t = () => Promise.resolve();\n",
      /never touches a promise/,
    ],
    ["an async function in a saga", "src/sagas/h.ts", "export const t = async () => 1;\n", /never touches a promise/],
    [
      "a machine that imports a slice",
      "src/machines/i.ts",
      'import { x } from "../slices/purchase";\nexport const t = x;\n',
      /machines may not import slices/,
    ],
    [
      "a component that imports a slice",
      "src/components/j.ts",
      'import { x } from "../slices/purchase";\nexport const t = x;\n',
      /components may not import slices/,
    ],
    [
      "a screen that imports a saga",
      "src/screens/deep/k.ts",
      'import { x } from "../../sagas/purchase";\nexport const t = x;\n',
      /screens may not import sagas/,
    ],
    [
      "a service worker that imports a saga",
      "sw/l.ts",
      'import { x } from "../src/sagas/purchase";\nexport const t = x;\n',
      /sw may not import sagas/,
    ],
    [
      "lib that imports contracts",
      "src/lib/m.ts",
      'export * from "../contracts/resources";\n',
      /lib may not import contracts/,
    ],
  ];
  it.each(faults)("%s", (_name, path, text, says) => {
    const { status, output } = lint(plant(path, text));
    expect(output).toMatch(says);
    expect(status).not.toBe(0);
  });

  it("and the same code where it is allowed does not", () => {
    const { status, output } = lint(
      plant(
        "src/app/ok.ts",
        'import { x } from "../sagas/purchase";\nexport const t = [x, Date.now(), window.innerWidth];\n',
      ),
    );
    expect(output).not.toMatch(/touchline/);
    expect(status).toBe(0);
  });
});

describe("the core compiles without the DOM", () => {
  it.each([
    ["window", "export const t = window.innerWidth;\n"],
    ["document", "export const t: unknown = document;\n"],
    ["fetch", 'export const t = () => fetch("/x");\n'],
  ])("%s does not exist there", (_name, text) => {
    const config = join(folder, "tsconfig.json");
    cpSync(join(web, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
    cpSync(join(web, "tsconfig.core.json"), join(folder, "core.json"));
    const file = plant("core/n.ts", text);
    writeFileSync(
      config,
      JSON.stringify({
        extends: "./core.json",
        compilerOptions: { composite: false, tsBuildInfoFile: null },
        include: [file],
        exclude: [],
      }),
    );
    const run = spawnSync(join(web, "node_modules/.bin/tsc"), ["-p", config], { encoding: "utf8" });
    expect(run.stdout).toMatch(/error TS/);
    expect(run.status).not.toBe(0);
  });
});

describe("the worker's rules", () => {
  it("ambient time, randomness and panics do not pass clippy", { timeout: 120_000 }, () => {
    const crate = join(folder, "crate");
    mkdirSync(join(crate, "src"), { recursive: true });
    cpSync(join(root, "clippy.toml"), join(crate, "clippy.toml"));
    writeFileSync(
      join(crate, "Cargo.toml"),
      '[package]\nname = "planted"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[lints.clippy]\ndisallowed_methods = "deny"\nunwrap_used = "deny"\n',
    );
    writeFileSync(
      join(crate, "src/lib.rs"),
      "pub fn t() -> std::time::SystemTime { std::time::SystemTime::now() }\npub fn u(x: Option<u8>) -> u8 { x.unwrap() }\n",
    );
    const run = spawnSync("cargo", ["clippy", "--offline", "-q"], { cwd: crate, encoding: "utf8" });
    expect(run.stderr).toMatch(/ambient time/);
    expect(run.stderr).toMatch(/unwrap/);
    expect(run.status).not.toBe(0);
  });

  it("the three middle crates do not name each other", () => {
    const metadata = JSON.parse(
      execFileSync("cargo", ["metadata", "--no-deps", "--offline", "--format-version", "1"], {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 64 << 20,
      }),
    ) as {
      packages: { name: string; dependencies: { name: string }[] }[];
    };
    const ours = Object.fromEntries(
      metadata.packages.map((p) => [
        p.name,
        p.dependencies
          .map((d) => d.name)
          .filter((n) => n.startsWith("touchline"))
          .sort(),
      ]),
    );
    expect(ours).toEqual({
      "touchline-protocol": [],
      "touchline-channel": ["touchline-protocol"],
      "touchline-sync": ["touchline-protocol"],
      "touchline-datalake": ["touchline-protocol"],
      touchline: ["touchline-channel", "touchline-datalake", "touchline-protocol", "touchline-sync"],
    });
  });
});
