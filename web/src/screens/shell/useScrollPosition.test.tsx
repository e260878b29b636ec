// @vitest-environment jsdom
import { act, cleanup, render } from "@testing-library/react";
import { useEffect } from "react";
import { MemoryRouter, type NavigateFunction, useNavigate } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useScrollPosition } from "./useScrollPosition";

let go: NavigateFunction;

function Page() {
  useScrollPosition();
  const navigate = useNavigate();
  useEffect(() => {
    go = navigate;
  }, [navigate]);
  return null;
}

/** Scroll positions since the last check. */
let moves: number[];

function scroll(top: number) {
  Object.defineProperty(window, "scrollY", { value: top, configurable: true });
  window.dispatchEvent(new Event("scroll"));
}

describe("the place on a page", () => {
  beforeEach(() => {
    moves = [];
    vi.spyOn(window, "scrollTo").mockImplementation(((_: number, top: number) => void moves.push(top)) as never);
    render(
      <MemoryRouter initialEntries={["/upcoming"]}>
        <Page />
      </MemoryRouter>,
    );
  });
  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
  });

  it("is left to the browser at first, is the top of a new page, and is found again on the way back", async () => {
    expect(moves).toEqual([]);
    scroll(740);
    await act(() => go("/watch/3"));
    expect(moves).toEqual([0]);
    scroll(120);
    await act(() => go(-1));
    expect(moves).toEqual([0, 740]);
    await act(() => go(1));
    expect(moves).toEqual([0, 740, 120]);
  });

  it("stays where the same page only changes its address", async () => {
    scroll(500);
    await act(() => go("/upcoming?sport=hockey", { replace: true }));
    expect(moves).toEqual([]);
    await act(() => go("/upcoming?sport=soccer"));
    expect(moves).toEqual([0]);
  });
});
