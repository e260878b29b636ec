// @vitest-environment jsdom
import { configureStore } from "@reduxjs/toolkit";
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Suspense } from "react";
import { Provider } from "react-redux";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rootReducer } from "../../slices";
import { connectionInputs } from "../../slices/connection";
import { part, watchStyles } from "../lazyWithRetry";
import { Boundary } from "./Boundary";

// A busy machine is slow: a wait ends with what it waits for.
configure({ asyncUtilTimeout: 60_000 });

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
      <Boundary location="a">
        <Broken />
      </Boundary>,
    );
    expect(screen.getByRole("alert")).toBeTruthy();
    // It is inside the page's own main element.
    expect(screen.queryByRole("main")).toBeNull();
    rerender(
      <Boundary location="b">
        <p>another page</p>
      </Boundary>,
    );
    expect(screen.getByText("another page")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a screen that cannot be fetched", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Advances in steps, since the UI changes in between. */
  async function pass(time = 0): Promise<void> {
    for (let remaining = time; remaining >= 0; remaining -= 1_000)
      await act(() => vi.advanceTimersByTimeAsync(Math.min(remaining, 1_000)));
  }

  async function open({ quiet = false, online = false } = {}) {
    const network = { isThere: false, asked: 0 };
    const store = configureStore({ reducer: rootReducer });
    const Screen = part(async () => {
      network.asked += 1;
      if (!network.isThere) throw new TypeError("Failed to fetch dynamically imported module");
      return { default: () => <p>a new screen</p> };
    });
    if (!online) store.dispatch(connectionInputs.wentOffline());
    const boundary = (place: string) => (
      <Provider store={store}>
        <Boundary location={place} quiet={quiet}>
          <Suspense>
            <Screen />
          </Suspense>
        </Boundary>
      </Provider>
    );
    const { rerender } = render(boundary("a"));
    await pass();
    const goTo = async (place: string) => {
      rerender(boundary(place));
      await pass();
    };
    const comeOnline = async () => {
      act(() => void store.dispatch(connectionInputs.cameOnline()));
      await pass();
    };
    return { network, store, goTo, comeOnline };
  }

  it("says that it needs a connection, and comes by itself when there is one", async () => {
    const { network, comeOnline } = await open();
    expect(screen.getByText("Not available offline")).toBeTruthy();
    await pass(60_000);
    expect(network.asked).toBe(1);
    network.isThere = true;
    await comeOnline();
    expect(screen.getByText("a new screen")).toBeTruthy();
  });

  it("comes by itself when the network is reached only some time after the browser says that it is there", async () => {
    const { network, comeOnline } = await open();
    await comeOnline();
    expect(network.asked).toBe(2);
    expect(screen.queryByRole("alert")).toBeNull();
    await pass(60_000);
    // After this long, the viewer sees an error.
    expect(screen.getByRole("alert")).toBeTruthy();
    network.isThere = true;
    await pass(30_000);
    expect(screen.getByText("a new screen")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("is asked for at once each time the network comes back", async () => {
    const { network, store, comeOnline } = await open();
    await comeOnline();
    await pass(60_000);
    act(() => void store.dispatch(connectionInputs.wentOffline()));
    await pass();
    const before = network.asked;
    network.isThere = true;
    await comeOnline();
    expect(network.asked).toBe(before + 1);
    expect(screen.getByText("a new screen")).toBeTruthy();
  });

  it("is fetched anew when the viewer asks, and when they come again", async () => {
    const { network, goTo } = await open();
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await pass();
    expect(network.asked).toBe(2);
    expect(screen.getByText("Not available offline")).toBeTruthy();
    network.isThere = true;
    await goTo("b");
    expect(screen.getByText("a new screen")).toBeTruthy();
  });

  it("is fetched again where the browser never said that there was no network", async () => {
    const { network } = await open({ online: true });
    network.isThere = true;
    await pass(1_000);
    expect(screen.getByText("a new screen")).toBeTruthy();
  });

  it("is asked for ever more rarely, and by nobody who has gone elsewhere", async () => {
    const { network, goTo } = await open({ online: true });
    await pass(10 * 60_000);
    expect(network.asked).toBeLessThan(30);
    await goTo("b");
    cleanup();
    const before = network.asked;
    await pass(10 * 60_000);
    expect(network.asked).toBe(before);
  });

  it("leaves the page standing where it is only a part of it", async () => {
    const { network, comeOnline } = await open({ quiet: true });
    expect(document.body.textContent).toBe("");
    network.isThere = true;
    await comeOnline();
    expect(screen.getByText("a new screen")).toBeTruthy();
  });
});

it("a style sheet that failed to load is fetched again with the screen, which does not come without it", async () => {
  watchStyles(document);
  const links = () => [...document.head.querySelectorAll("link")].map(({ href }) => new URL(href).pathname);
  const last = () => document.head.querySelector("link[rel=stylesheet]:last-of-type") as HTMLLinkElement;
  for (const [rel, href] of [
    ["icon", "/icon.svg"],
    ["stylesheet", "/assets/screen.css"],
  ] as const)
    document.head.append(Object.assign(document.createElement("link"), { rel, href }));
  for (const link of [...document.head.querySelectorAll("link")]) link.dispatchEvent(new Event("error"));
  expect(links()).toEqual(["/icon.svg"]);

  const store = configureStore({ reducer: rootReducer });
  const Screen = part(async () => ({ default: () => <p>a new screen</p> }));
  render(
    <Provider store={store}>
      <Boundary location="a">
        <Suspense>
          <Screen />
        </Suspense>
      </Boundary>
    </Provider>,
  );
  await waitFor(() => expect(links()).toEqual(["/icon.svg", "/assets/screen.css"]));
  last().dispatchEvent(new Event("error"));
  await waitFor(() => expect(links()).toEqual(["/icon.svg"]));
  expect(screen.queryByText("a new screen")).toBeNull();
  await waitFor(() => expect(links()).toEqual(["/icon.svg", "/assets/screen.css"]));
  last().dispatchEvent(new Event("load"));
  expect(await screen.findByText("a new screen")).toBeTruthy();
  expect(links()).toEqual(["/icon.svg", "/assets/screen.css"]);
});
