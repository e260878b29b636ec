// @vitest-environment jsdom
import { configureStore } from "@reduxjs/toolkit";
import { act, cleanup, render, screen } from "@testing-library/react";
import { Provider } from "react-redux";
import { createMemoryRouter, Outlet, RouterProvider, useLocation } from "react-router";
import { afterEach, describe, expect, it } from "vitest";
import { createAccount } from "../../api/account";
import { memory } from "../../api/testing/channel";
import type { Profile } from "../../contracts/resources";
import { AccountContext } from "../../ports/account";
import { rootReducer } from "../../slices";
import { authActions } from "../../slices/auth";
import { loginActions } from "../../slices/login";
import { navigationActions } from "../../slices/navigation";
import { startupActions } from "../../slices/startup";
import { Guard } from "./Guard";

const user: Profile = {
  id: 7,
  email_verified: true,
  temporary_password: false,
  trial_period_used: false,
  is_geo_blocked: false,
  capabilities: [],
  featureCount: { clips: 0, downloads: 0 },
};

function Here() {
  const { pathname, search } = useLocation();
  return <p>{`at ${pathname}${search}`}</p>;
}

function open(entries: string[], loggedIn: Profile | null) {
  const store = configureStore({ reducer: rootReducer });
  const account = createAccount({ database: memory(), newHandle: () => "h", personStored: () => undefined });
  store.dispatch(startupActions.began({ shown: true }));
  if (loggedIn) store.dispatch(loginActions.submitted({ way: "login", handle: "h" }));
  if (loggedIn) store.dispatch(authActions.succeeded({ way: "login", user: loggedIn }));
  if (loggedIn) store.dispatch(loginActions.ended());
  const router = createMemoryRouter(
    [
      {
        element: (
          <Guard>
            <Outlet />
          </Guard>
        ),
        children: [{ path: "*", element: <Here /> }],
      },
    ],
    { initialEntries: entries },
  );
  render(
    <AccountContext.Provider value={account}>
      <Provider store={store}>
        <RouterProvider router={router} />
      </Provider>
    </AccountContext.Provider>,
  );
  return { store, router };
}

describe("the guard of the pages (NAV)", () => {
  afterEach(cleanup);

  it("sends a visitor to log in, and back to what they asked for once they have", async () => {
    const { store } = open(["/buy?package_id=3"], null);
    expect(await screen.findByText("at /login")).toBeTruthy();
    act(() => {
      store.dispatch(loginActions.submitted({ way: "login", handle: "h" }));
      store.dispatch(authActions.succeeded({ way: "login", user }));
      store.dispatch(loginActions.ended());
    });
    expect(await screen.findByText("at /buy?package_id=3")).toBeTruthy();
  });

  it("waits for the answer to a login that an earlier page sent, and lets the viewer in", async () => {
    const { store, router } = open(["/"], null);
    await screen.findByText("at /");
    act(() => void store.dispatch(loginActions.submitted({ way: "login", handle: "h" })));
    await act(() => router.navigate("/buy?package_id=3"));
    expect(screen.queryByText("at /login")).toBeNull();
    act(() => void store.dispatch(authActions.profileLoaded({ user })));
    expect(await screen.findByText("at /buy?package_id=3")).toBeTruthy();
  });

  it("sends to what was asked for who turned out to be logged in as the login page opened", async () => {
    const { store, router } = open(["/"], user);
    await screen.findByText("at /");
    await act(() => router.navigate("/login", { state: { from: "/buy?package_id=3" } }));
    expect(await screen.findByText("at /buy?package_id=3")).toBeTruthy();
    expect(store.getState().auth.at).toBe("authenticated");
  });

  it("sends a logged-in viewer away from the login page", async () => {
    open(["/login"], user);
    expect(await screen.findByText("at /")).toBeTruthy();
  });

  it("keeps a viewer with a temporary password at profile edit", async () => {
    const { router } = open(["/upcoming"], { ...user, temporary_password: true });
    expect(await screen.findByText("at /profile/edit")).toBeTruthy();
    await act(() => router.navigate("/"));
    expect(await screen.findByText("at /profile/edit")).toBeTruthy();
  });

  it("goes back one step from login to buying, for a visitor", async () => {
    const { router } = open(["/watch/3"], null);
    await screen.findByText("at /watch/3");
    await act(() => router.navigate("/login"));
    await act(() => router.navigate("/buy?package_id=3"));
    expect(await screen.findByText("at /login")).toBeTruthy();
    // One step back, without a second login page in the history.
    await act(() => router.navigate(-1));
    expect(await screen.findByText("at /watch/3")).toBeTruthy();
  });

  it("leaves an unknown path for the 404 page", async () => {
    open(["/no/such/page"], null);
    expect(await screen.findByText("at /404")).toBeTruthy();
  });

  it("leads back without the private part of a query that an earlier page recorded (LOG-2)", async () => {
    const { store } = open(["/login"], null);
    await screen.findByText("at /login");
    const query = { q: "[private abcdefghijkl]", trk: "[private]", sport: "hockey" };
    const page = { name: "search", path: "/search", params: {}, query } as const;
    act(() => {
      store.dispatch(navigationActions.pageOpened({ page, remembered: true, trk: null }));
      store.dispatch(loginActions.submitted({ way: "login", handle: "h" }));
      store.dispatch(authActions.succeeded({ way: "login", user }));
      store.dispatch(loginActions.ended());
    });
    expect(await screen.findByText("at /search?sport=hockey")).toBeTruthy();
  });

  it("leads nowhere but to this site after a login", async () => {
    const { store, router } = open(["/"], null);
    await screen.findByText("at /");
    await act(() => router.navigate("/login", { state: { from: "//elsewhere.example/" } }));
    await screen.findByText("at /login");
    act(() => {
      store.dispatch(loginActions.submitted({ way: "login", handle: "h" }));
      store.dispatch(authActions.succeeded({ way: "login", user }));
      store.dispatch(loginActions.ended());
    });
    expect(await screen.findByText("at /")).toBeTruthy();
  });
});
