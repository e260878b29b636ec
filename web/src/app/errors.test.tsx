// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Method, PortError } from "../ports/ask";
import {
  aBootstrap,
  aClip,
  anEvent,
  anOrder,
  aPackage,
  aProfile,
  aSubscription,
  paid,
} from "../sagas/testing/resources";
import { refusing, type Script, viewer } from "../sagas/testing/world";
import { type ShownPage, showPage } from "./testing/page";
import { SAID } from "./testing/sentences";

/** jsdom lays nothing out: nothing is ever seen. */
class NeverSeen {
  observe(): void {}
  disconnect(): void {}
}

beforeEach(() => void vi.stubGlobal("IntersectionObserver", NeverSeen));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const list = <T,>(data: T[]) => ({ data, meta: { total: data.length, limit: 20, offset: 0 } });
const card = { id: "pm", brand: "visa", exp_month: 12, exp_year: 2030 } as const;
const subscribed = paid({
  id: 9,
  type: "subscription",
  product: { id: 60, name: "Monthly" },
  subscription: { status: "active", auto_renew: "active", current_period_end: "2026-10-21T00:00:00.000Z" },
});
const teams = ["Rams", "Kestrels"].map((name, index) => ({
  id: 21 + index,
  name,
  short_name: name,
  alias: name.toLowerCase(),
  images: {},
  color: "#224466",
  properties: {},
}));

/** A channel where all is well. */
const well: Script = {
  "api.getEvent": ({ id }) => anEvent({ id, participants: teams as never }),
  "api.listEvents": () => list([]),
  "api.listHomeRails": () => [],
  "api.listOrders": () => list([subscribed]),
  "api.listCards": () => [card],
  "api.listUserClips": () => [aClip({ status: "ready" })],
  "api.listFavourites": () => [],
  "api.listSlides": () => [],
  "api.listSessions": () => [
    { id: 3, name: "Television", last_seen_at: "2026-09-21T12:00:00.000Z", current: false } as never,
  ],
  "api.listPackages": () => [],
  "api.listSubscriptions": () => [aSubscription()],
  "api.getOrder": () => anOrder(),
};
const loggedIn: Script = { ...well, ...viewer(aProfile({ capabilities: ["watch", "clipping", "download_clip"] })) };

const fill = (label: string | RegExp, value: string): void =>
  void fireEvent.change(screen.getByLabelText(label), { target: { value } });
/**
 * Presses the first button of that name, or one that begins so, where it ends in a blank. Roles would be worked out for
 * the whole page: too slow for so many presses.
 */
function click(name: string): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("main button")];
  const nameOf = (one: HTMLElement): string => one.getAttribute("aria-label") ?? one.textContent;
  const button = buttons.find((one) => (name.endsWith(" ") ? nameOf(one).startsWith(name) : nameOf(one) === name));
  if (button === undefined) throw new Error(`there is no button ${name}`);
  fireEvent.click(button);
}

/** A call that a screen makes. */
interface Row {
  readonly method: Method;
  readonly path: string;
  readonly script?: Script;
  /** What the viewer does first, once. */
  begin?(): void;
  press(page: ShownPage): void | Promise<void>;
  /** What a worker answers that is well again, and what the page shows then. */
  readonly answer: unknown;
  goesOn(page: ShownPage): void;
  /** What is shown of a sentence, where it is not the sentence itself. */
  readonly shown?: (message: string) => string;
}

const says = (words: string | RegExp) => void screen.getAllByText(words);
const LINK = "?email=v%40viewer.example&expires=1&signature=s";

const rows: readonly Row[] = [
  {
    method: "api.login",
    path: "/login",
    script: well,
    begin() {
      fill("Email", "v@viewer.example");
      fill(/^Password/, "correct horse");
    },
    press: () => click("Log in"),
    answer: aProfile(),
    goesOn: ({ router }) => expect(router.state.location.pathname).toBe("/"),
  },
  {
    method: "api.register",
    path: "/registration",
    script: well,
    begin() {
      fill("First name", "Vera");
      fill("Last name", "Quiet");
      fill("Email", "v@viewer.example");
      fill(/^Password(?! again)/, "correct horse");
      fill("Password again", "correct horse");
      fireEvent.click(screen.getByRole("checkbox"));
    },
    press: () => click("Register"),
    answer: aProfile(),
    goesOn: ({ router }) => expect(router.state.location.pathname).toBe("/"),
  },
  {
    method: "api.socialLogin",
    path: "/login",
    script: well,
    press: async (page) => {
      await page.go("/login");
      await page.go("/auth/login/google/callback?code=c&state=s");
    },
    answer: aProfile(),
    goesOn: ({ world }) => expect(world.state().auth.at).toBe("authenticated"),
  },
  {
    method: "api.verifyEmail",
    path: "/",
    script: well,
    press: async (page) => {
      await page.go("/");
      await page.go(`/verify-email${LINK}`);
    },
    // ERR-9: the site's own words for it.
    shown: (message) =>
      message === "Email already verified."
        ? "Your email already verified."
        : "Verification your email address failed.",
    answer: null,
    goesOn: () => says("Your email is confirmed."),
  },
  {
    method: "api.requestPasswordReset",
    path: "/password-reset-request",
    script: well,
    begin: () => fill("Email", "v@viewer.example"),
    press: () => click("Send the link"),
    answer: null,
    goesOn: () => says(/^If that email has an account/),
  },
  {
    method: "api.resetPassword",
    path: `/password-reset${LINK}`,
    script: well,
    begin() {
      fill(/^New password/, "correct horse");
      fill("Password again", "correct horse");
    },
    press: () => click("Save the password"),
    answer: null,
    goesOn: () => says(/^Your password was changed/),
  },
  {
    method: "api.requestAccountDeletion",
    path: "/profile/edit",
    begin: () => click("Delete my account…"),
    press: () => click("Send me the link"),
    answer: null,
    goesOn: () => says(/^The link is on its way to/),
  },
  {
    method: "api.confirmAccountDeletion",
    path: `/confirm-account-deletion${LINK}`,
    press: () => click("Delete my account"),
    answer: null,
    goesOn: () => says("Your account was deleted."),
  },
  {
    method: "api.updateProfile",
    path: "/profile/edit",
    begin() {
      fill("First name", "Vera");
      fill("Last name", "Quiet");
    },
    press: () => click("Save"),
    answer: aProfile(),
    goesOn: () => says("Your profile was saved."),
  },
  {
    method: "api.addSession",
    path: "/profile/sessions/add",
    begin: () => fill("Code", "ABCD12"),
    press: () => click("Link the device"),
    answer: null,
    goesOn: () => says(/^The device is linked/),
  },
  {
    method: "api.revokeSession",
    path: "/profile/sessions/add",
    press: () => click("Unlink"),
    answer: null,
    goesOn: () => expect(screen.queryByText("Television")).toBeNull(),
  },
  {
    method: "api.unsubscribe",
    path: "/profile",
    press: () => click("Stop auto-renew"),
    answer: null,
    goesOn: () => says(/^Auto-renew is off/),
  },
  {
    method: "api.getCustomerPortal",
    path: "/profile",
    press: () => click("billing portal"),
    answer: { url: "https://billing.test/1" },
    goesOn: ({ world }) => expect(world.calls("ui.openUrl")).toHaveLength(1),
  },
  {
    method: "api.downloadClip",
    path: "/profile/clips",
    press: () => click("Download"),
    answer: { url: "https://files.test/1" },
    goesOn: ({ world }) => expect(world.calls("ui.openUrl")).toHaveLength(1),
  },
  {
    method: "api.deleteClip",
    path: "/profile/clips",
    begin: () => click("Delete the clip Dunk"),
    press: () => click("Delete"),
    answer: null,
    goesOn: () => says("No clips yet"),
  },
  {
    method: "api.applyCoupon",
    path: "/buy?type=event&event_id=100&single_event_package_id=500",
    begin: () => click("Add a promo code"),
    press() {
      fill("Promo code", "SPRING");
      click("Apply");
    },
    answer: { code: "SPRING", base_price: 1000, discount: 200, service_fee: 100, total: 900, currency: "USD" },
    goesOn: () => says("20% off"),
  },
  {
    method: "api.buy",
    path: "/buy?type=event&event_id=100&single_event_package_id=500",
    press: () => click("Pay "),
    answer: paid(),
    goesOn: () => says("Paid. Enjoy the game."),
  },
  {
    method: "api.startTrial",
    path: "/buy?type=trial&subscription_id=60",
    script: { ...loggedIn, "api.listOrders": () => list([]) },
    press: () => click("Start the free trial"),
    answer: paid({ type: "subscription", product: { id: 60, name: "Monthly" } }),
    goesOn: () => says("Your free trial has started."),
  },
  {
    method: "payments.createCard",
    path: "/buy?type=event&event_id=100&single_event_package_id=500",
    script: { ...loggedIn, "api.listCards": () => [], "api.buy": () => paid() },
    begin() {
      fill("Card number", "4242424242424242");
      fill("Expires", "12/30");
      fill("Security code", "123");
    },
    press: () => click("Pay "),
    answer: { payment_method_id: "pm_new" },
    goesOn: () => says("Paid. Enjoy the game."),
  },
];

/** Lets everything happen that is due, until it `holds`: a screen that is opened first has to be fetched. */
const until = (page: ShownPage, holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(
    async () => {
      await page.pass();
      await holds();
    },
    { timeout: 30_000, interval: 1 },
  );

/** The worker's own sentence has no full stop there (VAL-1). */
const asShown = (message: string): string => (message.startsWith("A valid email") ? message.slice(0, -1) : message);

describe.each(rows.map((row) => ({ ...row, row })))("$path, asking $method", ({ row }) => {
  it("shows every sentence of the catalogue in its place, and goes on (ERR-8, ERR-9)", async () => {
    const page = await showPage(row.path, { "api.getBootstrap": () => aBootstrap(), ...(row.script ?? loggedIn) });
    await screen.findByRole("main");
    const { begin, press, shown, answer, goesOn } = row;
    if (begin) await until(page, begin);
    for (const message of SAID) {
      page.world.script[row.method] = refusing(400, message, "refused");
      const text = shown?.(message) ?? asShown(message);
      // What a page says of all of them is there already.
      const before = shown ? 0 : screen.queryAllByText(text).length;
      const asked = page.world.calls(row.method).length;
      await until(page, () => press(page));
      await until(page, () => expect(screen.getAllByText(text).length).toBeGreaterThan(before));
      expect(page.world.calls(row.method)).toHaveLength(asked + 1);
      // Notices go by themselves.
      await page.pass(6_000);
    }
    Object.assign(page.world.script, { [row.method]: () => answer });
    await press(page);
    await until(page, () => goesOn(page));
    page.world.expectExpected();
  }, 60_000);
});

const refused = (status: number, message: string) => refusing(status, message, "refused");
const portal = (): never => {
  throw new PortError({ code: "unexpected_answer", message: "Something went wrong.", retryable: true });
};
const APOLOGIES = "Apologies! Our service is currently experiencing technical difficulties.";

describe.each([
  ["api.buy", "/buy?type=event&event_id=100&single_event_package_id=500", "Pay ", loggedIn],
  [
    "api.startTrial",
    "/buy?type=trial&subscription_id=60",
    "Start the free trial",
    { ...loggedIn, "api.listOrders": () => list([]) },
  ],
] as const)("an answer to %s that is no order", (method, path, button, script: Script) => {
  const press = async (answer: () => never): Promise<ShownPage> => {
    const page = await showPage(path, { "api.getBootstrap": () => aBootstrap(), ...script, [method]: answer });
    await screen.findByRole("main");
    await until(page, () => click(button));
    return page;
  };

  it.each([401, 429])("of %i says what it says, and the viewer may press again (ERR-1)", async (status) => {
    const page = await press(refused(status, "Not this time."));
    await until(page, () => says("Not this time."));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(page.world.state().purchase.at).toBe("rejected");
    await until(page, () => click(button));
    expect(page.world.calls(method)).toHaveLength(2);
  });

  it("of 500 says what it says, blames no connection, promises no payment, and asks under the same key", async () => {
    const page = await press(refused(500, APOLOGIES));
    await until(page, () => says(APOLOGIES));
    says("We do not know whether your order arrived");
    expect(screen.queryByText(/connection dropped|carries on/)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Check now" }));
    await page.pass();
    const [first, second] = page.world.calls(method);
    expect(second).toEqual(first);
  });

  it("of 429 after one of 500 ends nothing: the first may have made an order (PAY-4)", async () => {
    const page = await press(refused(500, APOLOGIES));
    await until(page, () => says(APOLOGIES));
    page.world.script[method] = refused(429, "Too many.");
    fireEvent.click(screen.getByRole("button", { name: "Check now" }));
    await until(page, () => says("Too many."));
    says("We do not know whether your order arrived");
  });

  it("but a portal's page is a dropped connection, and promises no payment", async () => {
    const page = await press(portal);
    await until(page, () => says("The connection dropped"));
    expect(screen.queryByText(/carries on/)).toBeNull();
  });
});

/** What a page reads first, and what it shows once it is answered. */
const pages: readonly (readonly [path: string, method: Method, answer: unknown, shows: string | RegExp])[] = [
  ["/", "api.listHomeRails", [], /./],
  ["/upcoming", "api.listEvents", list([]), /./],
  ["/watch/100", "api.getEvent", anEvent(), "Kestrels at Rams"],
  ["/packages", "api.listSubscriptions", [aSubscription()], "Monthly"],
  ["/select-package/40", "api.getPackage", aPackage(), "Season"],
  ["/vod_library", "api.listVodRails", [], /./],
  ["/profile", "api.listOrders", list([]), "No active orders"],
  ["/profile/transactions", "api.listOrders", list([]), "No transactions yet"],
  ["/profile/clips", "api.listUserClips", [], "No clips yet"],
  ["/buy?type=event&event_id=100&single_event_package_id=500", "api.getEvent", anEvent(), /^Pay /],
];

it.each(pages)(
  "%s says that it could not read %s, and reads it when it is asked to (ERR-9)",
  async (path, method, answer, shows) => {
    const page = await showPage(path, {
      "api.getBootstrap": () => aBootstrap({ packages: [], subscriptions: [] }),
      ...loggedIn,
      [method]: refusing(400, "Something went wrong. Please try again or contact technical support."),
    });
    await until(page, () => says("Something went wrong. Please try again or contact technical support."));
    Object.assign(page.world.script, { [method]: () => answer });
    await until(page, () => click("Try again"));
    await until(page, () => says(shows));
    expect(screen.queryByText(/^Something went wrong/)).toBeNull();
    page.world.expectExpected();
  },
  60_000,
);
