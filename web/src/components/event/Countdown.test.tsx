// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Countdown } from "./Countdown";

const START = Date.parse("2026-11-21T12:00:00Z");

describe("a countdown", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: START });
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it("ticks each second down to the start, and then says so", () => {
    render(<Countdown until={START + 62_000} />);
    expect(screen.getByRole("timer").textContent).toBe("00hours01min02sec");
    act(() => {
      vi.advanceTimersByTime(3_000);
    });
    expect(screen.getByRole("timer").textContent).toBe("00hours00min59sec");
    act(() => {
      vi.advanceTimersByTime(59_000);
    });
    expect(screen.queryByRole("timer")).toBeNull();
    expect(screen.getByText("Starting now")).toBeTruthy();
  });

  it("counts days and hours while the start is far, and its label says it in words", () => {
    render(<Countdown until={START + (26 * 3_600 + 5 * 60) * 1_000} />);
    const timer = screen.getByRole("timer");
    expect(timer.textContent).toBe("1day02hours05min");
    expect(timer.getAttribute("aria-label")).toBe("Starts in 26 h");
  });
});
