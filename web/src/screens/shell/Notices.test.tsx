// @vitest-environment jsdom
import { configureStore } from "@reduxjs/toolkit";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Provider } from "react-redux";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rootReducer } from "../../slices";
import { offerUndo } from "../undo";
import { Notices } from "./Notices";

const TEXT = "Removed from your favourites.";

describe("what was just taken away (FAV-3)", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    render(
      <Provider store={configureStore({ reducer: rootReducer })}>
        <MemoryRouter>
          <Notices />
        </MemoryRouter>
      </Provider>,
    );
  });
  afterEach(() => {
    act(() => offerUndo(null));
    cleanup();
    vi.useRealTimers();
  });

  const offer = () => {
    const undo = vi.fn<() => void>();
    act(() => offerUndo({ text: TEXT, undo }));
    return undo;
  };
  const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

  it("can be had back, once", () => {
    const undo = offer();
    fireEvent.click(screen.getByRole("button", { name: "Undo", hidden: true }));
    expect(undo).toHaveBeenCalledTimes(1);
    expect(screen.queryByText(TEXT)).toBeNull();
  });

  it("is gone for good after a moment, or when the notice is closed", () => {
    const undo = offer();
    pass(7_999);
    expect(screen.getByText(TEXT)).toBeTruthy();
    pass(1);
    expect(screen.queryByText(TEXT)).toBeNull();
    offer();
    fireEvent.click(screen.getByRole("button", { name: "Dismiss", hidden: true }));
    expect(screen.queryByText(TEXT)).toBeNull();
    expect(undo).not.toHaveBeenCalled();
  });

  it("waits as long as the viewer looks at it", () => {
    offer();
    const notice = screen.getByRole("listitem", { hidden: true });
    fireEvent.pointerEnter(notice);
    pass(60_000);
    expect(screen.getByText(TEXT)).toBeTruthy();
    fireEvent.pointerLeave(notice);
    pass(8_000);
    expect(screen.queryByText(TEXT)).toBeNull();
  });
});
