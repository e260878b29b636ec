// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { useEffect } from "react";
import { BrowserRouter, type NavigateFunction, useNavigate } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useEntryState } from "./entryState";
import { useScrollPosition } from "./useScrollPosition";

let go: NavigateFunction;
/** Called by the page's observer of its size. */
let resized: () => void;

class Observer {
  constructor(callback: () => void) {
    resized = callback;
  }
  observe(): void {}
  disconnect(): void {
    resized = () => undefined;
  }
}

function Page() {
  useScrollPosition();
  const navigate = useNavigate();
  const [pages, setPages] = useEntryState<number>("pages", 1);
  useEffect(() => {
    go = navigate;
  }, [navigate]);
  return (
    <main>
      <button type="button" onClick={() => setPages(pages + 1)}>
        {pages}
      </button>
    </main>
  );
}

/** Scroll positions since the last check. */
let moves: number[];

function scroll(top: number) {
  Object.defineProperty(window, "scrollY", { value: top, configurable: true });
  window.dispatchEvent(new Event("scroll"));
  // A press stores the position at once.
  window.dispatchEvent(new Event("click"));
}

/** The height of the page's content. */
const setHeight = (height: number) =>
  Object.defineProperty(document.documentElement, "scrollHeight", { value: height, configurable: true });

/** Travels in the browser's history, which is asynchronous. */
const travel = (by: number) =>
  act(async () => {
    const arrived = new Promise((done) => window.addEventListener("popstate", done, { once: true }));
    window.history.go(by);
    await arrived;
  });

const open = () =>
  render(
    <BrowserRouter>
      <Page />
    </BrowserRouter>,
  );
const pages = () => screen.getByRole("button");

describe("the position on a page", () => {
  beforeEach(() => {
    moves = [];
    vi.stubGlobal("ResizeObserver", Observer);
    vi.spyOn(window, "scrollTo").mockImplementation(((_: number, top: number) => void moves.push(top)) as never);
    setHeight(5_000);
    window.history.pushState(null, "", "/upcoming");
    open();
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it("is left to the browser at first, is the top of a new page, and is restored by back and forward (LIST-7)", async () => {
    expect(moves).toEqual([]);
    scroll(740);
    await act(() => go("/watch/3"));
    expect(moves).toEqual([0]);
    scroll(120);
    await travel(-1);
    expect(moves).toEqual([0, 740]);
    window.dispatchEvent(new Event("wheel"));
    await travel(1);
    expect(moves).toEqual([0, 740, 120]);
  });

  it("is restored after a reload of the next page, once the list is as long as it was, and not after an input (LIST-7)", async () => {
    act(() => pages().click());
    act(() => pages().click());
    scroll(3_000);
    await act(() => go("/watch/3"));
    expect(pages().textContent).toBe("1");
    cleanup();
    open();
    moves = [];
    setHeight(800);
    await travel(-1);
    expect(pages().textContent).toBe("3");
    setHeight(5_000);
    moves = [];
    resized();
    expect(moves).toEqual([3_000]);
    window.dispatchEvent(new Event("wheel"));
    resized();
    expect(moves).toEqual([3_000]);
  });

  it("stays where the same page only changes its address", async () => {
    scroll(500);
    await act(() => go("/upcoming?sport=hockey", { replace: true }));
    expect(moves).toEqual([]);
    await act(() => go("/upcoming?sport=soccer"));
    expect(moves).toEqual([0]);
  });
});
