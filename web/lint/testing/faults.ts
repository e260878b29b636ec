// Violations of web/'s rules, in every known form.

/** A fault's name, the folder that it is planted in, its text, and the expected message. */
export type Fault = [name: string, folder: string, text: string, says: RegExp];

const clock = /(Date|Date\.now|new Date\(\)|Date\.\[…\]|Date under another name|Date\(\)) is ambient/;
const chance = /Math(\.random|\.\[…\]| under another name) is ambient/;
const zone = /from parts, in the machine's zone, is ambient|of a text without a zone is ambient/;
const locale = /without a locale is ambient/;
const promise = /may not use promises/;
const computed = /a computed path/;

const time: Fault[] = [
  ["Date.now()", "src/machines", "export const t = Date.now();", clock],
  ['Date["now"]()', "src/machines", 'export const t = Date["now"]();', clock],
  ["Date[`now`]()", "src/machines", "export const t = Date[`now`]();", clock],
  ["Date[name]()", "src/machines", 'export const t = (name: "now") => Date[name]();', clock],
  ["Date?.now()", "src/machines", "export const t = Date?.now();", clock],
  ["(Date as …).now()", "src/machines", "export const t = (Date as DateConstructor).now();", clock],
  ["const { now } = Date", "src/slices", "const { now } = Date;\nexport const t = now();", clock],
  ["const D = Date", "src/slices", "const D = Date;\nexport const t = D.now();", clock],
  ["class extends Date", "src/slices", "class D extends Date {}\nexport const t = new D();", clock],
  ["Date passed on", "src/slices", "export const t = Reflect.construct(Date, []);", clock],
  ["{ Date }", "src/slices", "export const t = { Date };", clock],
  ["new Date()", "src/sagas", "export const t = new Date();", clock],
  ["new Date(...[])", "src/sagas", "export const t = new Date(...([] as unknown as [number]));", clock],
  ["Date()", "src/sagas", "export const t = Date();", clock],
  ["a date's constructor", "src/sagas", "export const t = new Date(0).constructor;", /constructor .* is ambient/],
  ["globalThis.Date.now()", "src/lib", "export const t = globalThis.Date.now();", /globalThis is ambient/],
  ["window.Date.now()", "src/lib", "export const t = window.Date.now();", /window is ambient/],
  ["self.Date.now()", "src/lib", "export const t = self.Date.now();", /self is ambient/],
  ["performance.now()", "src/eventlog", "export const t = performance.now();", /performance is ambient/],
  ["setTimeout", "src/sagas", "export const t = () => setTimeout(() => undefined, 5);", /setTimeout is ambient/],
  [
    "Intl.DateTimeFormat of now",
    "src/sagas",
    "export const t = new Intl.DateTimeFormat().format();",
    /Intl\.DateTimeFormat is ambient/,
  ],
  [
    "const { DateTimeFormat } = Intl",
    "src/sagas",
    "export const { DateTimeFormat } = Intl;",
    /Intl under another name/,
  ],
  ["the machine's zone", "src/slices", "export const t = new Date(0).getHours();", /getHours, .* is ambient/],
  ["the machine's locale", "src/slices", "export const t = (5).toLocaleString();", /toLocaleString, .* is ambient/],
];

const zoneAndLocale: Fault[] = [
  ["new Date(…parts)", "src/slices", "export const t = new Date(2026, 0, 1).getTime();", zone],
  ["new Date(…parts) in UTC's clothes", "src/slices", "export const t = new Date(2026, 0).toISOString();", zone],
  ["new Date(a local time)", "src/sagas", 'export const t = new Date("2026-01-01T10:00");', zone],
  ["new Date(a day in words)", "src/sagas", 'export const t = new Date("January 1, 2026");', zone],
  ["Date.parse(a local time)", "src/machines", 'export const t = Date.parse("2026-01-01T10:00");', zone],
  ["Date.parse(`a local time`)", "src/machines", "export const t = Date.parse(`2026-01-01 10:00:00`);", zone],
  ["Date.parse passed on", "src/machines", "export const t = [].map(Date.parse);", /Date\.parse under another name/],
  ["Intl.NumberFormat()", "src/sagas", "export const t = new Intl.NumberFormat();", locale],
  ["Intl.NumberFormat(undefined)", "src/sagas", "export const t = new Intl.NumberFormat(undefined, {});", locale],
  ["Intl.NumberFormat([])", "src/lib", "export const t = Intl.NumberFormat([]);", locale],
  ["Intl.PluralRules()", "src/lib", "export const t = new Intl.PluralRules();", locale],
  ["Intl.NumberFormat(...[])", "src/lib", "export const t = new Intl.NumberFormat(...([] as string[]));", locale],
  ["Intl.NumberFormat passed on", "src/lib", "export const t = Intl.NumberFormat;", /NumberFormat under another name/],
  ["a date as text", "src/slices", "export const t = new Date(0).toString();", /new Date\(\) as text/],
  ["a date as text, by String", "src/slices", "export const t = String(new Date(0));", /new Date\(\) as text/],
  ["a date as text, in a template", "src/slices", "export const t = `${new Date(0)}`;", /new Date\(\) as text/],
  ["a date's day", "src/slices", "export const t = new Date(0).getDay();", /getDay, .* is ambient/],
  ["a date's year", "src/slices", "export const t = new Date(0).getYear();", /getYear, .* is ambient/],
  ["a date's text", "src/slices", "export const t = new Date(0).toDateString();", /toDateString, .* is ambient/],
  [
    "a date in the locale",
    "src/slices",
    "export const t = new Date(0).toLocaleDateString();",
    /toLocaleDateString, .* is/,
  ],
];

const chanceAndWorld: Fault[] = [
  ["Math.random()", "src/slices", "export const t = Math.random();", chance],
  ['Math["random"]()', "src/slices", 'export const t = Math["random"]();', chance],
  ["Math[name]()", "src/slices", 'export const t = (name: "random") => Math[name]();', chance],
  ["const { random } = Math", "src/slices", "const { random } = Math;\nexport const t = random();", chance],
  ["const M = Math", "src/slices", "const M = Math;\nexport const t = M.random();", chance],
  ["crypto.randomUUID()", "src/ports", "export const t = crypto.randomUUID();", /crypto is ambient/],
  ["window", "src/sagas", "export const t = window.innerWidth;", /window is ambient/],
  ["fetch", "src/machines", 'export const t = () => fetch("/x");', /fetch is ambient/],
  ["fetch passed on", "src/machines", "export const t = { fetch };", /fetch is ambient/],
  ["eval", "src/machines", 'export const t = eval("5");', /eval is ambient/],
  ["Function", "src/machines", 'export const t = Function("return 5");', /Function is ambient/],
  ["import.meta", "src/slices", "export const t = import.meta.env;", /import\.meta is ambient/],
  ["declare const window", "src/sagas", "declare const window: { a: 5 };\nexport const t = window.a;", /window is/],
  [
    "declare function fetch",
    "src/sagas",
    "declare function fetch(): 5;\nexport const t = fetch();",
    /fetch is ambient/,
  ],
  ["declare class", "src/sagas", "declare class WebSocket {}\nexport const t = WebSocket;", /WebSocket is ambient/],
  ["declare global", "src/sagas", "declare global { const b: 5 }\nexport const t = 5;", /global is ambient/],
];

const promises: Fault[] = [
  ["an async function", "src/sagas", "export const t = async () => 5;", promise],
  ["an async method", "src/lib", "export const t = { async a() {} };", promise],
  ["an await", "src/sagas", "export const t = await 5;", promise],
  ["a for await", "src/sagas", "for await (const a of []) void a;\nexport {};", promise],
  ["a then", "src/sagas", "export const t = (p: PromiseLike<5>) => p.then(() => 5);", promise],
  ['a ["then"]', "src/sagas", 'export const t = (p: PromiseLike<5>) => p["then"](() => 5);', promise],
  ["a destructured then", "src/slices", "export const t = ({ then }: PromiseLike<5>) => then;", promise],
  ["Promise", "src/sagas", "export const t = Promise.resolve(5);", /Promise is ambient/],
  ["import()", "src/sagas", 'export const t = import("./purchase");', promise],
];

const packageFaults: Fault[] = [
  ["delay", "src/sagas", 'import { delay } from "typed-redux-saga";\nexport const t = delay;', /delay of typed/],
  [
    "delay renamed",
    "src/sagas",
    'import { delay as d } from "typed-redux-saga";\nexport const t = d;',
    /delay of typed/,
  ],
  [
    "delay as text",
    "src/sagas",
    'import { "delay" as d } from "typed-redux-saga";\nexport const t = d;',
    /delay of typed/,
  ],
  ["delay passed on", "src/sagas", 'export { delay } from "typed-redux-saga";', /delay of typed-redux-saga/],
  ["typed-redux-saga whole", "src/sagas", 'import * as e from "typed-redux-saga";\nexport const t = e;', /\* of typed/],
  ["all of it passed on", "src/sagas", 'export * from "typed-redux-saga";', /\* of typed-redux-saga/],
  [
    "redux-saga's effects whole",
    "src/sagas",
    'import * as effects from "redux-saga/effects";\nexport const t = effects.delay(5);',
    /sagas may not import redux-saga\/effects/,
  ],
  [
    "ports with all effects",
    "src/ports",
    'import * as e from "redux-saga/effects";\nexport const t = e;',
    /\* of redux/,
  ],
  ["delay behind its package", "src/sagas", 'import d from "@redux-saga/delay-p";\nexport const t = d;', /@redux-saga/],
  ["localforage", "src/sagas", 'import l from "localforage";\nexport const t = l;', /may not import localforage/],
  ["nanoid", "src/sagas", 'import { nanoid } from "nanoid";\nexport const t = nanoid;', /may not import nanoid/],
  [
    "nanoid of the toolkit",
    "src/slices",
    'import { nanoid } from "@reduxjs/toolkit";\nexport const t = nanoid;',
    /nanoid of/,
  ],
  [
    "createAsyncThunk",
    "src/slices",
    'import { createAsyncThunk } from "@reduxjs/toolkit";\nexport const t = createAsyncThunk;',
    /createAsyncThunk of @reduxjs\/toolkit/,
  ],
  [
    "react in a machine",
    "src/machines",
    'import { useState } from "react";\nexport const t = useState;',
    /import react:/,
  ],
  ["a package for its effect", "src/machines", 'import "hls.js";', /machines may not import hls\.js/],
  ["a package on demand", "src/components", 'export const t = import("hls.js");', /components may not import hls\.js/],
  ["a path from the root", "src/components", 'export * from "/src/slices/purchase";', /may not import \/src\/slices/],
];

const slice = "components may not import slices";
const arrows: Fault[] = [
  ["a slice in a machine", "src/machines", 'export * from "../slices/purchase";', /machines may not import slices/],
  ["a slice in a component", "src/components", 'export * from "../slices/purchase";', RegExp(slice)],
  ["a saga in a screen", "src/screens/deep", 'export * from "../../sagas/purchase";', /screens may not import sagas/],
  ["a saga in the service worker", "sw", 'export * from "../src/sagas/purchase";', /sw may not import sagas/],
  ["contracts in lib", "src/lib", 'export * from "../contracts/resources";', /lib may not import contracts/],
  ["a type of a slice", "src/components", 'import type { A } from "../slices/a";\nexport type B = A;', RegExp(slice)],
  ["typeof import()", "src/components", 'export type A = typeof import("../slices/a");', RegExp(slice)],
  ["import()", "src/components", 'export const t = () => import("../slices/a");', RegExp(slice)],
  ["import(`…`)", "src/components", "export const t = () => import(`../slices/a`);", RegExp(slice)],
  ["import(`…${a}`)", "src/components", "export const t = (a: string) => import(`../slices/${a}`);", computed],
  ["import(a)", "src/components", "export const t = (a: string) => import(a);", computed],
  ["import.meta.glob", "src/components", 'export const t = import.meta.glob("../slices/*");', computed],
  ["import = require()", "src/components", 'import a = require("../slices/a");\nexport const t = a;', RegExp(slice)],
  ["require()", "src/components", 'export const t = require("../slices/a");', RegExp(slice)],
  [
    "a Worker",
    "src/components",
    'export const t = new Worker(new URL("../slices/a.ts", import.meta.url));',
    RegExp(slice),
  ],
  [
    "a file outside the folders",
    "src/screens",
    'export * from "../../e2e/books";',
    /e2e\/books: it belongs to no folder/,
  ],
  ["a package by its path", "src/sagas", 'export * from "../../node_modules/redux-saga/x";', /it belongs to no folder/],
  ["an unlisted folder", "src/screens", 'export * from "../freeroom/x";', /src\/freeroom\/x: it belongs to no folder/],
  ["a module for tests only", "src/sagas", 'export * from "./testing/clock";', /it is for tests only/],
  ["a new folder under src", "src/freeroom", "export const t = Date.now();", /belongs to no folder in lint/],
  ["a new folder named as an object's part", "src/constructor", "export const t = 5;", /belongs to no folder in lint/],
  ["a test in a new folder", "src/testing", "export const t = 5;", /belongs to no folder in lint/],
  ["a file beside the folders", "src", "export const t = 5;", /belongs to no folder in lint/],
];

/** Each fault under the rule that it breaks. */
export const faults: Record<string, Fault[]> = {
  time,
  "zone and locale": zoneAndLocale,
  "chance and the world": chanceAndWorld,
  promises,
  taken: packageFaults,
  arrows,
};

/** Code that the rules must accept, so that they don't refuse too much: folder and text. */
export const allowed: [name: string, folder: string, text: string][] = [
  [
    "everything, in app",
    "src/app",
    'import { x } from "../sagas/purchase";\nexport const t = [x, Date.now(), window.innerWidth, import("../slices/a")];',
  ],
  [
    "time, chance and the language that a turn gives",
    "src/sagas",
    [
      'import { put, type SagaGenerator } from "typed-redux-saga";',
      "export function* t(at: number): SagaGenerator<void> {",
      '  yield* put({ type: "a/b", payload: [new Date(at).toISOString(), Date.parse("2026-01-01"), Math.floor(at)] });',
      "}",
      "export const u = (fetch: (date: Date) => void, d: unknown) => d instanceof Date && fetch(d);",
      'export const v = (locale: string) => [new Intl.NumberFormat("en"), new Intl.PluralRules(locale)];',
      'export const w = [new Date("2026-01-01T10:00Z"), new Date("2026-01-01T10:00:00.5-05:00"), new Date(Date.UTC(2026, 0))];',
      "export const x = (at: string, format: Intl.NumberFormat) => [new Date(at).getTime(), Date.parse(at), format];",
      "export const y = new Date(0).getTime().toString();",
    ].join("\n"),
  ],
  ["promises, in the event log", "src/eventlog", "export const t = async () => Promise.all([]);"],
  ["a test's own clock", "src/sagas/testing", "export const t = Date.now();"],
];
