// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useRailTravel } from "./railTravel";

const WIDTH = 400;
const LENGTH = 2_000;
let offset = 0;

function Rail() {
  const list = useRef<HTMLUListElement>(null);
  const { before, after } = useRailTravel(list);
  const measured = (rail: HTMLUListElement | null) => {
    list.current = rail;
    if (!rail) return;
    Object.defineProperties(rail, {
      clientWidth: { value: WIDTH },
      scrollWidth: { value: WIDTH + LENGTH },
      scrollLeft: { get: () => offset },
      scrollTo: { value: (to: { left: number }) => (offset = to.left) },
      scrollBy: { value: (by: { left: number }) => (offset += by.left) },
      style: { value: {} },
    });
  };
  return (
    <>
      <ul ref={measured} />
      <button type="button" {...before}>
        back
      </button>
      <button type="button" {...after}>
        on
      </button>
    </>
  );
}

const hold = (name: string) => fireEvent.pointerDown(screen.getByText(name));
function letGo(name: string) {
  fireEvent.pointerUp(window);
  fireEvent.click(screen.getByText(name));
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

describe("the buttons of a rail (VOD-2)", () => {
  beforeEach(() => {
    offset = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
    render(<Rail />);
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it("turn a page when they are pressed", async () => {
    hold("on");
    await pass(100);
    letGo("on");
    expect(offset).toBe(0.9 * WIDTH);
  });

  it("go along the whole rail in 5000 ms when they are held, and stop where they are let go", async () => {
    hold("on");
    await pass(300 + 2_500);
    expect(offset / LENGTH).toBeCloseTo(0.5, 1);
    await pass(2_600);
    expect(offset).toBe(LENGTH);
    letGo("on");
    hold("back");
    await pass(300 + 1_000);
    letGo("back");
    const where = offset;
    expect(where / LENGTH).toBeCloseTo(0.8, 1);
    await pass(1_000);
    expect(offset).toBe(where);
  });

  it("turn a page by a key after a hold that was let go beside them", async () => {
    hold("on");
    await pass(1_300);
    fireEvent.pointerUp(window);
    await pass(1);
    const where = offset;
    fireEvent.click(screen.getByText("on"));
    expect(offset).toBe(where + 0.9 * WIDTH);
  });
});
