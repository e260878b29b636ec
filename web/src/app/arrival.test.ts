// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { takeArrival } from "./arrival";
import { createContainerGate } from "./containerGate";

const LINK = "?email=vera%40example.test&expires=1&signature=s3cret";

describe("a link that carries secrets (LOG-2)", () => {
  const open = (address: string) => {
    window.history.replaceState({ key: "first" }, "", address);
    return takeArrival(window);
  };
  const here = () => `${location.pathname}${location.search}${location.hash}`;

  it.each([
    [`/password-reset${LINK}`, "/password-reset"],
    [`/confirm-account-deletion${LINK}&trk=spring#top`, "/confirm-account-deletion?trk=spring#top"],
    [`/verify-email${LINK}`, "/verify-email"],
    ["/auth/login/google/callback?code=c0de&state=st4te&scope=email", "/auth/login/google/callback?scope=email"],
  ])("leaves none of them in the address: %s", (address, left) => {
    const arrival = open(address);
    expect(here()).toBe(left);
    expect(arrival?.params).toEqual(Object.fromEntries(new URL(address, location.href).searchParams));
    // The router's history entry is unchanged.
    expect(window.history.state).toEqual({ key: "first" });
  });

  it.each(["/?code=c0de&state=x", "/login?email=vera", "/password-reset", "/vod?signature=1"])(
    "is none of them: %s",
    (address) => {
      expect(open(address)).toBeNull();
      expect(here()).toBe(address);
    },
  );
});

describe("the tag manager's container (ANA-5)", () => {
  const open = vi.fn();
  const reload = vi.fn();
  beforeEach(() => {
    open.mockClear();
    reload.mockClear();
  });
  const gate = (hadSecrets = false) => createContainerGate({ open, reload, hadSecrets });

  it("is loaded once, whichever comes first: the page or the word that it may be", () => {
    const one = gate();
    one.want("GTM-1");
    expect(open).not.toHaveBeenCalled();
    one.reach("/");
    one.reach("/vod");
    one.want("GTM-1");
    expect(open.mock.calls).toEqual([["GTM-1"]]);
    const other = gate();
    other.reach("/some-page-of-the-channel");
    other.want("GTM-2");
    expect(open.mock.calls).toEqual([["GTM-1"], ["GTM-2"]]);
    expect(reload).not.toHaveBeenCalled();
  });

  it.each(["/login", "/registration", "/password-reset", "/auth/login/google/callback", "/profile/edit"])(
    "is not loaded on %s, and the page is loaded anew that had it before",
    (pathname) => {
      const one = gate();
      one.reach(pathname);
      one.want("GTM-1");
      expect(open).not.toHaveBeenCalled();
      one.reach("/");
      expect(open).toHaveBeenCalledTimes(1);
      expect(reload).not.toHaveBeenCalled();
      one.reach(pathname);
      expect(reload).toHaveBeenCalledTimes(1);
    },
  );

  it("is not loaded on a shared clip's page, nor after it where the page began there", () => {
    const later = gate();
    later.reach("/");
    later.want("GTM-1");
    later.reach("/share/7/0190a6e0");
    expect([open.mock.calls.length, reload.mock.calls.length]).toEqual([1, 1]);
    const first = gate();
    first.reach("/share/7/0190a6e0");
    first.want("GTM-1");
    first.reach("/");
    expect(open).toHaveBeenCalledTimes(1);
  });

  it("is never loaded on a page that a link with secrets opened", () => {
    const one = gate(true);
    one.want("GTM-1");
    one.reach("/password-reset");
    one.reach("/");
    expect(open).not.toHaveBeenCalled();
  });
});
