// @vitest-environment jsdom
import { configureStore } from "@reduxjs/toolkit";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Provider } from "react-redux";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it } from "vitest";
import { aBootstrap, settings } from "../../sagas/testing/resources";
import { rootReducer } from "../../slices";
import { analyticsActions, selectConsent } from "../../slices/analytics";
import { queryActions } from "../../slices/queries";
import { Notices } from "./Notices";
import { useConsentChange } from "./useConsent";

const QUESTION = "Allow analytics?";
const device = { device_type: "desktop", user_agent: "t", resolution: "1x1", origin_url: "http://t" };

function Foot() {
  const change = useConsentChange();
  return change ? <button onClick={change.onChange}>{change.label}</button> : null;
}

function open(consent: boolean, do_not_track = false) {
  const store = configureStore({ reducer: rootReducer });
  const answer = aBootstrap({ settings: settings({ analytics: { consent, respect_dnt: true } }) });
  store.dispatch(analyticsActions.deviceKnown({ ...device, do_not_track }));
  store.dispatch(queryActions.loaded({ method: "api.getBootstrap", args: {}, answer, asked_at: 0, at: 0 }));
  render(
    <Provider store={store}>
      <MemoryRouter>
        <Notices />
        <Foot />
      </MemoryRouter>
    </Provider>,
  );
  const press = (name: string) => act(() => fireEvent.click(screen.getByRole("button", { name, hidden: true })));
  return { press, consent: () => selectConsent(store.getState()) };
}

describe("whether a visit may be recorded (ANA-7)", () => {
  afterEach(cleanup);

  it("is asked where the channel says so, answered once, and can be changed", () => {
    const { press, consent } = open(true);
    expect(screen.getByText(QUESTION)).toBeTruthy();
    press("Allow");
    expect([consent(), screen.queryByText(QUESTION)]).toEqual(["given", null]);
    press("Turn off analytics");
    expect([consent(), screen.queryByText(QUESTION)]).toEqual(["refused", null]);
    press("Turn on analytics");
    expect(consent()).toBe("given");
  });

  it("is refused by a No, and left open by closing the question", () => {
    const first = open(true);
    first.press("Don’t allow");
    expect(first.consent()).toBe("refused");
    cleanup();
    const second = open(true);
    second.press("Dismiss");
    expect([second.consent(), screen.queryByText(QUESTION)]).toEqual(["unasked", null]);
  });

  it.each([
    ["the channel does not want it", false, false],
    ["the browser has said no already, and the channel heeds it", true, true],
  ])("is not asked where %s", (_, consent, dnt) => {
    open(consent, dnt);
    expect(screen.queryByText(QUESTION)).toBeNull();
    expect(screen.queryByRole("button", { name: /record/ })).toBeNull();
  });
});
