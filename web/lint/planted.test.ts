// Breaks each of the project's rules on purpose, since an untested rule may not work.

import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packages } from "./packages.js";
import { arrows, pure } from "./rooms.js";
import { allowed, faults } from "./testing/faults";

const web = resolve(import.meta.dirname, "..");
const root = resolve(web, "..");
let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "touchline-planted-")));
  mkdirSync(join(folder, "web"));
  for (const part of ["lint", ".oxlintrc.json"])
    cpSync(join(web, part), join(folder, "web", part), { recursive: true });
  symlinkSync(join(web, "node_modules"), join(folder, "web/node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plant(path: string, text: string): string {
  const file = join(folder, "web", path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const plantedCrate = `[package]
name = "planted"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
getrandom = "0.3"
jiff = "0.2"
rand = "0.9"
rustls-pki-types = { version = "1", features = ["std"] }
uuid = { version = "1", features = ["v4", "v7"] }
[lints.clippy]
disallowed_methods = "deny"
disallowed_types = "deny"
unwrap_used = "deny"
`;

const slug = (words: string) => words.replaceAll(/\W+/g, "-");

/** The lint messages for each planted file, from one run. */
function lint(files: string[]): { status: number | null; said: (file: string) => string } {
  const run = spawnSync(join(web, "node_modules/.bin/oxlint"), ["--deny-warnings", "--format=json", ...files], {
    cwd: join(folder, "web"),
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { filename: string; message: string }[] };
  const said = (file: string) =>
    diagnostics
      .filter(({ filename }) => resolve(folder, "web", filename) === file)
      .map(({ message }) => message)
      .join("\n");
  return { status: run.status, said };
}

describe("a planted fault fails the lint", () => {
  const planted = Object.entries(faults).flatMap(([rule, list]) =>
    list.map(
      ([name, ...fault], index) => [`${rule}: ${name}`, `${fault[0]}/${slug(rule)}${index}.ts`, ...fault] as const,
    ),
  );
  let said: ReturnType<typeof lint>["said"];
  beforeAll(() => {
    const run = lint(planted.map(([, path, , text]) => plant(path, `${text}\n`)));
    expect(run.status).not.toBe(0);
    said = run.said;
  });
  it.each(planted)("%s", (_name, path, _folder, _text, says) => {
    expect(said(join(folder, "web", path))).toMatch(says);
  });
});

it("the same code where it is allowed passes the lint", () => {
  const files = allowed.map(([name, room, text]) => plant(`${room}/${slug(name)}.ts`, `${text}\n`));
  const { status, said } = lint(files);
  expect(files.map(said)).toEqual(files.map(() => ""));
  expect(status).toBe(0);
});

it("no comment can switch off a rule of the folders", () => {
  const rooms = [join(web, "src"), join(web, "sw"), join(web, "replay")];
  const switchesOff =
    /(ox|es)lint-disable(?!(-next-line|-line)?\s+[\w-]+\/[\w-]+ -- )|(ox|es)lint-disable.*touchline\//;
  const files = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
      .map((file) => join(room, file)),
  );
  expect(files.filter((file) => switchesOff.test(readFileSync(file, "utf8")))).toEqual([]);
  expect("// oxlint-disable-next-line").toMatch(switchesOff);
  expect("/* eslint-disable react/a, touchline/ambient -- why */").toMatch(switchesOff);
  expect("// oxlint-disable-next-line react/a -- why").not.toMatch(switchesOff);
});

describe("the folders", () => {
  const under = (path: string) =>
    readdirSync(join(web, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);

  it("are those under src/, the service worker and the replayer", () => {
    expect(Object.keys(arrows).sort()).toEqual([...under("src"), "replay", "sw"].sort());
    expect(Object.keys(packages).sort()).toEqual(Object.keys(arrows).sort());
  });

  it("that are pure are those that compile without the DOM", () => {
    const { include } = JSON.parse(readFileSync(join(web, "tsconfig.core.json"), "utf8")) as { include: string[] };
    expect(include.toSorted()).toEqual([...pure].map((room) => `src/${room}`).sort());
  });
});

it.each([
  ["window", "export const t = window.innerWidth;"],
  ["document", "export const t: unknown = document;"],
  ["fetch", 'export const t = () => fetch("/x");'],
])("%s doesn't exist where the core compiles", (name, text) => {
  const config = join(folder, `${name}.json`);
  cpSync(join(web, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
  cpSync(join(web, "tsconfig.core.json"), join(folder, "core.json"));
  writeFileSync(
    config,
    JSON.stringify({
      extends: "./core.json",
      compilerOptions: { composite: false, tsBuildInfoFile: null },
      include: [plant(`core/${name}.ts`, text)],
      exclude: [],
    }),
  );
  const run = spawnSync(join(web, "node_modules/.bin/tsc"), ["-p", config], { encoding: "utf8" });
  expect(run.stdout).toMatch(RegExp(`error TS.*'${name}'`));
  expect(run.status).not.toBe(0);
});

describe("the worker's rules", () => {
  it("clippy rejects ambient time, randomness and panics, however they are called", { timeout: 180_000 }, () => {
    const source = readFileSync(join(web, "lint/testing/ambient.rs"), "utf8");
    // Under target/, so that the dependencies are compiled once.
    const crate = join(root, "target/planted");
    mkdirSync(join(crate, "src"), { recursive: true });
    for (const file of ["clippy.toml", "Cargo.lock"]) cpSync(join(root, file), join(crate, file));
    writeFileSync(join(crate, "Cargo.toml"), plantedCrate);
    writeFileSync(join(crate, "src/lib.rs"), source);
    const run = spawnSync("cargo", ["clippy", "--quiet", "--target-dir", join(crate, "target")], {
      cwd: crate,
      encoding: "utf8",
    });
    const refused = [...run.stderr.matchAll(/disallowed (?:method|type) `(.*)`/g)].map(([, path]) => path);
    const listed = [...readFileSync(join(root, "clippy.toml"), "utf8").matchAll(/path = "(.*?)"/g)];
    const calls = source.split("\n").flatMap((line, index) => (/\w\(.*\);$/.test(line) ? [index + 1] : []));
    const linesRefused = [...run.stderr.matchAll(/src\/lib\.rs:(\d+):/g)].map(([, line]) => Number(line));
    expect(calls.filter((line) => !linesRefused.includes(line))).toEqual([]);
    expect(calls.length).toBeGreaterThan(20);
    expect([...new Set(refused)].sort()).toEqual(listed.map(([, path]) => path).sort());
    expect(refused.filter((path) => path === "std::time::SystemTime::now")).toHaveLength(2);
    expect(run.stderr).toMatch(/ambient time: take a Clock/);
    expect(run.stderr).toMatch(/used `unwrap\(\)`/);
    expect(run.status).not.toBe(0);
  });

  it("the domain may not use the real clock and entropy either", () => {
    const paths = (file: string) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/path = "(.*?)"/g)].map(([, path]) => path);
    // A crate's own clippy.toml replaces the workspace's.
    const ambient = ["SystemClock", "SystemEntropy", "Clock", "Entropy", "SharedClock", "SharedEntropy"];
    expect(paths("worker/domain/clippy.toml").sort()).toEqual(
      [...paths("clippy.toml"), ...ambient.map((name) => `touchline_protocol::ambient::${name}`)].sort(),
    );
  });

  it("the four middle crates don't name each other", () => {
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
      "touchline-disk": [],
      "touchline-http": [],
      "touchline-domain": ["touchline-protocol"],
      "touchline-store": ["touchline-domain", "touchline-protocol"],
      "touchline-channel": [
        "touchline-disk",
        "touchline-domain",
        "touchline-http",
        "touchline-protocol",
        "touchline-store",
      ],
      "touchline-sync": ["touchline-protocol"],
      "touchline-datalake": ["touchline-disk", "touchline-protocol"],
      "touchline-upstream": ["touchline-http", "touchline-protocol", "touchline-store"],
      touchline: [
        "touchline-channel",
        "touchline-datalake",
        "touchline-disk",
        "touchline-http",
        "touchline-protocol",
        "touchline-store",
        "touchline-sync",
        "touchline-upstream",
      ],
    });
  });
});
