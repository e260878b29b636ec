// @vitest-environment jsdom
import "fake-indexeddb/auto";
import { expect, it } from "vitest";
import { openDatabase } from "./database";

function pageEvent(type: "pagehide" | "pageshow"): void {
  window.dispatchEvent(Object.assign(new Event(type), { persisted: true }));
}

it("a page in the back-forward cache holds no lock, and its writes run again when it returns (PWA-3)", async () => {
  const former = openDatabase("pages", ["numbers"]).store("numbers");
  const next = openDatabase("pages", ["numbers"]).store("numbers");
  await former.setItem("n", 0);
  const increment = () => former.update(["n"], ([n]) => new Map([["n", Number(n) + 1]]));
  const before = increment();
  pageEvent("pagehide");
  // The document's listeners still write.
  const last = new Promise<void>((resolve) =>
    document.addEventListener("visibilitychange", () => resolve(increment()), { once: true }),
  );
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await next.setItem("n", 10);
  expect(await next.getItem("n")).toBe(10);
  pageEvent("pageshow");
  await Promise.all([before, last]);
  expect(await next.getItem("n")).toBe(12);
});

it("a page that closes for good keeps what it committed, and rolls nothing back", async () => {
  const numbers = openDatabase("closed", ["numbers"]).store("numbers");
  await numbers.setItem("n", 0);
  const write = numbers.update(["n"], ([n]) => new Map([["n", Number(n) + 1]]));
  window.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: false }));
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await write;
  expect(await numbers.getItem("n")).toBe(1);
});
