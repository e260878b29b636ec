// @vitest-environment jsdom
import { gzipSync } from "node:zlib";
import { legacy_createStore as createStore } from "@reduxjs/toolkit";
import { cleanup, configure, fireEvent, render, screen } from "@testing-library/react";
import { Provider } from "react-redux";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { committedLog } from "../../replay/testing/recordings";
import type { Accepted } from "../eventlog/accepted";
import type { ActionLine } from "../eventlog/envelope";
import { parseLog } from "../eventlog/parse";
import { logText } from "../eventlog/testing/logText";
import { program } from "../sagas/program";
import { findingsOf } from "./findings";
import type { Question } from "./outcome";
import { Component } from "./Simulate";

// A busy machine is slow: a wait ends with what it waits for.
configure({ asyncUtilTimeout: 60_000 });

let accepted: readonly Accepted[] = [];

/** A substitute for Worker, which jsdom lacks. */
class ReplayWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  postMessage({ text }: Question): void {
    queueMicrotask(() => this.onmessage?.({ data: findingsOf(program, text, accepted) }));
  }
  terminate(): void {
    this.onmessage = null;
  }
}

/** A substitute for ResizeObserver, which jsdom lacks. */
class StillObserver {
  observe(): void {}
  disconnect(): void {}
}

beforeEach(() => {
  vi.stubGlobal("Worker", ReplayWorker);
  vi.stubGlobal("ResizeObserver", StillObserver);
  window.history.replaceState(null, "", "/simulate?qa");
  const store = createStore(program.reducer as never);
  render(
    <Provider store={store}>
      <Component />
    </Provider>,
  );
});
afterEach(() => {
  cleanup();
  accepted = [];
  vi.unstubAllGlobals();
});

const log = committedLog("purchase-paid");
const all = log.trimEnd().split("\n");
const blobs = all.filter((line) => line.startsWith('{"blob":'));
/** The header and the lines, without the trailing blobs. */
const lines = all.slice(0, -blobs.length);

async function openFile(name: string, text: string): Promise<void> {
  fireEvent.change(screen.getByLabelText("Log file"), { target: { files: [new File([text], name)] } });
  await screen.findByText(new RegExp(`^${name}[,:] `));
}

it("a file that is read late says nothing over one that was opened after it", async () => {
  let read: (text: string) => void = () => undefined;
  const slow = new File([], "slow.jsonl");
  const bytes = new Promise<string>((resolve) => {
    read = resolve;
  });
  slow.arrayBuffer = async () => new TextEncoder().encode(await bytes).buffer as ArrayBuffer;
  fireEvent.change(screen.getByLabelText("Log file"), { target: { files: [slow] } });
  await openFile("broken.jsonl", "not a log\n");
  read(log);
  await new Promise((next) => setTimeout(next, 50));
  expect(screen.getByText("broken.jsonl: line 1: not JSON")).toBeDefined();
  expect(screen.getByText("No session is open")).toBeDefined();
});

it("a file that cannot be read clears what the page said of the one before", async () => {
  await openFile("good.jsonl", log);
  expect(await screen.findByText("Sagas the same")).toBeDefined();
  await openFile("bad.jsonl", "not a log\n");
  expect(screen.getByText("bad.jsonl: line 1: not JSON")).toBeDefined();
  expect(screen.queryByText(/the same/)).toBeNull();
  expect(screen.getByText("No session is open")).toBeDefined();
  await openFile("good.jsonl", log);
  expect(await screen.findByText("Sagas the same")).toBeDefined();
  expect(screen.queryByText(/bad\.jsonl/)).toBeNull();
});

it("the file that the worker stored is unpacked, and a damaged one is said to be", async () => {
  const packed = gzipSync(log);
  const file = (name: string, bytes: Uint8Array) => ({ target: { files: [new File([bytes as BlobPart], name)] } });
  fireEvent.change(screen.getByLabelText("Log file"), file("0195.jsonl.gz", packed));
  expect(await screen.findByText(/^0195\.jsonl, /)).toBeDefined();
  expect(await screen.findByText("Sagas the same")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Log file"), file("cut.jsonl.gz", packed.subarray(0, 500)));
  expect(await screen.findByText("cut.jsonl.gz: a damaged or truncated compressed file")).toBeDefined();
  expect(screen.queryByText("Sagas the same")).toBeNull();
});

it("a step has the number of its line in the file, as the command line tells it", async () => {
  const paid = lines.findIndex((line) => line.includes('"type":"purchase/orderSeen"') && line.includes('"paid"'));
  const read = parseLog(log);
  const forged = read.lines.with(paid - 1, {
    ...(read.lines[paid - 1] as ActionLine),
    payload: { ...((read.lines[paid - 1] as ActionLine).payload as object), status: "failed" },
  });
  await openFile("forged.jsonl", logText(read.header, forged));
  expect(await screen.findByText(`Sagas diverged at line ${paid + 1}`)).toBeDefined();
  expect(screen.getByText("The product diverged")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: `Go to line ${paid + 1}` }));
  expect(screen.getByRole("heading", { name: `Line ${paid + 1}, action` })).toBeDefined();
  expect(screen.getByRole("heading", { name: `Divergence at line ${paid + 1}` })).toBeDefined();
  const position = screen.getByRole("slider", { name: "Position" });
  expect(position.getAttribute("aria-valuenow")).toBe(`${paid + 1}`);
  fireEvent.keyDown(position, { key: "End" });
  expect(position.getAttribute("aria-valuenow")).toBe(`${lines.length}`);
});

it("a log that was edited is called so, and one that ends inside a turn says what is missing", async () => {
  await openFile("edited.jsonl", `${all.toSpliced(40, 1).join("\n")}\n`);
  expect(await screen.findByText("The log was edited")).toBeDefined();
  const placed = lines.findIndex((line) => line.includes('"origin":"saga","type":"purchase/'));
  await openFile("cut.jsonl", `${[...lines.slice(0, placed), ...blobs].join("\n")}\n`);
  expect(await screen.findByText(`Missing at line ${placed}: the log ends inside a turn`)).toBeDefined();
  expect(screen.getByText("Sagas the same")).toBeDefined();
});

it("a case is copied at the displayed step", async () => {
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard }));
  await openFile("Paid.jsonl", log);
  fireEvent.click(screen.getByRole("button", { name: "Copy as test" }));
  expect(await screen.findByText("Copied")).toBeDefined();
  expect(copied[0]).toContain("paid reaches the expected state at line 1,");
});

const current = (): number => Number(screen.getByRole("slider", { name: "Position" }).getAttribute("aria-valuenow"));

it("the keys work wherever the focus is, but in a field and on what they press or scroll", async () => {
  await openFile("good.jsonl", log);
  const press = (key: string, on: Element = document.body) => fireEvent.keyDown(on, { key });
  press("ArrowRight");
  press("ArrowRight");
  expect(current()).toBe(3);
  press("ArrowLeft", screen.getByRole("button", { name: "Open" }));
  expect(current()).toBe(2);
  press("ArrowRight", screen.getByRole("searchbox", { name: "Search" }));
  press("End", screen.getByRole("region", { name: /^State/ }));
  expect(current()).toBe(2);
  press("End");
  expect(current()).toBe(lines.length);
  const play = screen.getByRole("button", { name: "Play" });
  press(" ", play);
  expect(screen.queryByRole("button", { name: "Pause" })).toBeNull();
  press(" ");
  expect(screen.getByRole("button", { name: "Pause" })).toBeDefined();
  fireEvent.keyDown(document.body, { key: "Home", ctrlKey: true });
  press("Home");
  expect(current()).toBe(1);
});

it("a search tells its matches, and Enter goes to the next and to the first again", async () => {
  await openFile("good.jsonl", log);
  const field = screen.getByRole("searchbox", { name: "Search" });
  fireEvent.change(field, { target: { value: "90401 ORDERSEEN" } });
  const found = lines.flatMap((line, index) =>
    line.includes("90401") && /orderseen/i.test(line) && !line.includes('"kind":"checkpoint"') ? [index + 1] : [],
  );
  expect(found.length).toBeGreaterThan(1);
  expect(screen.getByText(`${found.length} matches`)).toBeDefined();
  const visited = [...found, found[0]].map(() => {
    fireEvent.keyDown(field, { key: "Enter" });
    return current();
  });
  expect(visited).toEqual([...found, found[0]]);
  fireEvent.keyDown(field, { key: "Enter", shiftKey: true });
  expect(current()).toBe(found.at(-1));
  fireEvent.change(field, { target: { value: "nothing-of-this" } });
  expect(screen.getByText("no matches")).toBeDefined();
});

it("the next problem is gone to and named, and a session without one says so", async () => {
  await openFile("declined.jsonl", committedLog("purchase-declined"));
  fireEvent.click(screen.getByRole("button", { name: "Next problem" }));
  expect(screen.getByText("api.applyCoupon: wrong_promo_code, checkout/couponRefused")).toBeDefined();
  fireEvent.keyDown(document.body, { key: "n" });
  expect(screen.getByText("purchase failed")).toBeDefined();
  await openFile("good.jsonl", log);
  expect(screen.getByRole("button", { name: "No problems" }).hasAttribute("disabled")).toBe(true);
});

it("the timeline and the step tell the same time, with idle time skipped or not", async () => {
  await openFile("good.jsonl", log);
  fireEvent.keyDown(document.body, { key: "End" });
  const clock = screen.getByText("Clock").nextElementSibling?.textContent;
  expect(clock).toMatch(/^\d+:\d\d\.\d$/);
  const timeline = () => screen.getByRole("slider", { name: "Position" }).getAttribute("aria-valuetext");
  expect(timeline()).toBe(`line ${lines.length} of ${lines.length}, ${clock}`);
  fireEvent.click(screen.getByRole("button", { name: "Skip idle" }));
  expect(timeline()).toBe(`line ${lines.length} of ${lines.length}, ${clock}`);
});

it("the screen comes first, at the size of the viewer's window", async () => {
  const read = parseLog(log);
  await openFile("wide.jsonl", logText({ ...read.header, window: [1280, 720] }, read.lines));
  expect(screen.getByRole("tab", { name: "Screen" }).getAttribute("aria-selected")).toBe("true");
  const { style } = screen.getByTitle(/^The site's screen/);
  expect([style.width, style.height]).toEqual(["1280px", "720px"]);
});

it("a step is compared with other steps and with another file", async () => {
  await openFile("good.jsonl", log);
  fireEvent.keyDown(document.body, { key: "PageUp" });
  fireEvent.click(screen.getByRole("button", { name: "Compare other steps or files with this step" }));
  expect(screen.getByRole("heading", { name: "State, line 11 to 11 0 fields changed" })).toBeDefined();
  fireEvent.keyDown(document.body, { key: "End" });
  expect(screen.getByRole("heading", { name: new RegExp(`^State, line 11 to ${lines.length} `) })).toBeDefined();
  expect(screen.getByText("Compared with line 11")).toBeDefined();
  await openFile("declined.jsonl", committedLog("purchase-declined"));
  expect(screen.getByText("Compared with line 11 of good.jsonl")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Go to the first different action" }));
  expect(current()).toBeGreaterThan(1);
  expect(screen.queryByText("Compared with line 11 of good.jsonl")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Stop comparing" }));
  expect(
    screen.getByRole("heading", { name: new RegExp(`^State, line ${current() - 1} to ${current()} `) }),
  ).toBeDefined();
});

it("an accepted difference is a warning, but not for a log of the build that brought it", async () => {
  const read = parseLog(log);
  const paid = read.lines.findIndex(({ type }) => type === "purchase/orderSeen");
  const line = read.lines[paid] as ActionLine;
  const other = read.lines.with(paid, { ...line, payload: { ...(line.payload as object), via: "poll" } });
  accepted = [
    {
      cause: "orders are polled",
      build: "0.2.0",
      why: "different-action",
      what: "purchase/orderSeen",
      paths: [],
    },
  ];
  await openFile("before.jsonl", logText(read.header, other));
  expect(await screen.findByText(`line ${paid + 2}: accepted since 0.2.0: orders are polled`)).toBeDefined();
  expect(screen.getByText("Sagas the same")).toBeDefined();
  await openFile("after.jsonl", logText({ ...read.header, build: "0.2.0" }, other));
  expect(await screen.findByText(`Sagas diverged at line ${paid + 2}`)).toBeDefined();
});
