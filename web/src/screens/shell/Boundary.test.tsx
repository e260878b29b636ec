// @vitest-environment jsdom
import { configureStore } from "@reduxjs/toolkit";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Suspense } from "react";
import { Provider } from "react-redux";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rootReducer } from "../../slices";
import { connectionInputs } from "../../slices/connection";
import { part } from "../arrivals";
import { Boundary } from "./Boundary";

function Broken(): never {
  throw new Error("a screen that broke");
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("the boundary of a page", () => {
  it("says that a screen broke, until the viewer is elsewhere", () => {
    const { rerender } = render(
      <Boundary place="a">
        <Broken />
      </Boundary>,
    );
    expect(screen.getByRole("alert")).toBeTruthy();
    // It stands within the page's own.
    expect(screen.queryByRole("main")).toBeNull();
    rerender(
      <Boundary place="b">
        <p>another page</p>
      </Boundary>,
    );
    expect(screen.getByText("another page")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a screen that cannot be fetched", () => {
  function open(quiet = false) {
    const network = { isThere: false };
    const store = configureStore({ reducer: rootReducer });
    const Screen = part(async () => {
      if (!network.isThere) throw new TypeError("Failed to fetch dynamically imported module");
      return { default: () => <p>a new screen</p> };
    });
    store.dispatch(connectionInputs.wentOffline());
    const shown = (place: string) => (
      <Provider store={store}>
        <Boundary place={place} quiet={quiet}>
          <Suspense>
            <Screen />
          </Suspense>
        </Boundary>
      </Provider>
    );
    const { rerender } = render(shown("a"));
    return { network, store, goTo: (place: string) => rerender(shown(place)) };
  }

  it("says that it needs a connection, and comes by itself when there is one", async () => {
    const { network, store } = open();
    expect(await screen.findByText("You’re offline.")).toBeTruthy();
    network.isThere = true;
    act(() => void store.dispatch(connectionInputs.cameOnline()));
    expect(await screen.findByText("a new screen")).toBeTruthy();
  });

  it("is fetched anew when the viewer asks, and when they come again", async () => {
    const { network, goTo } = open();
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByText("You’re offline.")).toBeTruthy();
    network.isThere = true;
    goTo("b");
    expect(await screen.findByText("a new screen")).toBeTruthy();
  });

  it("is a crash with a connection: the site's build may be gone", async () => {
    const { store } = open();
    await screen.findByText("You’re offline.");
    act(() => void store.dispatch(connectionInputs.cameOnline()));
    expect(await screen.findByRole("alert")).toBeTruthy();
  });

  it("leaves the page standing where it is only a part of it", async () => {
    const { network, store } = open(true);
    await act(async () => undefined);
    expect(document.body.textContent).toBe("");
    network.isThere = true;
    act(() => void store.dispatch(connectionInputs.cameOnline()));
    expect(await screen.findByText("a new screen")).toBeTruthy();
  });
});
