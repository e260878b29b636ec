// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAccount } from "../api/account";
import { memory } from "../api/testing/channel";
import { createRobotCheck } from "../app/robots";
import type { RobotCheck } from "../ports/robots";
import { aBootstrap, aProfile } from "../sagas/testing/resources";
import { until } from "./testing/calls";
import { showPage } from "./testing/page";

const SITE_KEY = "site&key";

beforeEach(() => {
  document.head.replaceChildren();
  vi.stubGlobal("grecaptcha", undefined);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the service's script", () => {
  const scripts = () => [...document.scripts];

  /** The loaded script: Google's double records its calls. */
  function arrives(execute: (siteKey: string, options: { action: string }) => Promise<string>): void {
    vi.stubGlobal("grecaptcha", { ready: (callback: () => void) => queueMicrotask(callback), execute });
    scripts()[0]?.dispatchEvent(new Event("load"));
  }

  it("is loaded once, on a form's request, and creates a token under the form's name (AUTH-8)", async () => {
    const check = createRobotCheck();
    expect(scripts()).toEqual([]);
    check.prepare(SITE_KEY);
    check.prepare(SITE_KEY);
    const first = check.token(SITE_KEY, "login");
    expect(scripts().map(({ src, async }) => ({ src, async }))).toEqual([
      { src: "https://www.google.com/recaptcha/api.js?render=site%26key", async: true },
    ]);
    let drawn = 0;
    arrives(async (siteKey, { action }) => `${siteKey} ${action} ${++drawn}`);
    expect(await first).toBe("site&key login 1");
    expect(await check.token(SITE_KEY, "register")).toBe("site&key register 2");
    expect(scripts()).toHaveLength(1);
  });

  it("is requested again by the next form if it failed to load", async () => {
    const check = createRobotCheck();
    const none = check.token(SITE_KEY, "login");
    scripts()[0]?.dispatchEvent(new Event("error"));
    expect(await none).toBeNull();
    expect(scripts()).toEqual([]);
    const some = check.token(SITE_KEY, "login");
    arrives(async () => "token");
    expect(await some).toBe("token");
  });

  it("delays nobody with a late or refused token", async () => {
    const check = createRobotCheck();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const late = check.token(SITE_KEY, "login");
    vi.advanceTimersByTime(10_000);
    expect(await late).toBeNull();
    arrives(() => Promise.reject(new Error("not for this host")));
    expect(await check.token(SITE_KEY, "login")).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a form", () => {
  const guarded = (siteKey: string | undefined) => {
    const bootstrap = aBootstrap();
    const settings = { ...bootstrap.settings, ...(siteKey === undefined ? {} : { recaptcha_site_key: siteKey }) };
    return { "api.getBootstrap": () => ({ ...bootstrap, settings }) };
  };

  /** The site at `path`, with a check and an account that record their calls. */
  async function open(path: string, siteKey: string | undefined, token: () => Promise<string | null>) {
    const requested: string[] = [];
    const check: RobotCheck = {
      prepare: (key) => void requested.push(`script ${key}`),
      token(key, form) {
        requested.push(`token ${key} ${form}`);
        return token();
      },
    };
    let handles = 0;
    const account = createAccount({
      database: memory(),
      newHandle: () => `h${++handles}`,
      personStored: () => undefined,
    });
    const sent: unknown[] = [];
    const taking =
      <T,>(answer: T) =>
      (args: { handle: string }): T => {
        sent.push(account.formValues(args.handle));
        return answer;
      };
    const script = {
      ...guarded(siteKey),
      "api.login": taking(aProfile()),
      "api.register": taking(aProfile()),
      "api.requestPasswordReset": taking(null),
    };
    return { asked: requested, sent, page: await showPage(path, script, account, check) };
  }

  const fill = (label: string | RegExp, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });

  const forms = [
    { path: "/login", form: "login", button: "Log in" },
    { path: "/registration", form: "register", button: "Register" },
    { path: "/password-reset-request", form: "password_reset", button: "Send link" },
  ] as const;

  async function fillIn(form: (typeof forms)[number]["form"], button: string): Promise<HTMLElement> {
    const press = (await screen.findAllByRole("button", { name: button })).at(-1) as HTMLElement;
    fill("Email", "v@viewer.example");
    if (form !== "password_reset") fill(/^Password/, "correct horse");
    if (form === "register") {
      fill("First name", "Vera");
      fill("Last name", "Quiet");
      fill("Confirm password", "correct horse");
      fireEvent.click(screen.getByRole("checkbox"));
    }
    return press;
  }

  it.each(forms)("$path is sent with a token of its own if the channel requires one (AUTH-8)", async (one) => {
    const { asked: requested, sent, page } = await open(one.path, SITE_KEY, async () => "a token");
    const press = await fillIn(one.form, one.button);
    expect(requested).toEqual([`script ${SITE_KEY}`]);
    expect(screen.getByText(/^Protected by reCAPTCHA/)).toBeDefined();
    fireEvent.click(press);
    await until(page, () => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ email: "v@viewer.example", recaptcha_token: "a token" });
    expect(requested).toEqual([`script ${SITE_KEY}`, `token ${SITE_KEY} ${one.form}`]);
  });

  it.each(forms)("$path requests no token if the channel doesn't (AUTH-8)", async (one) => {
    const { asked: requested, sent, page } = await open(one.path, undefined, async () => "a token");
    fireEvent.click(await fillIn(one.form, one.button));
    await until(page, () => expect(sent).toHaveLength(1));
    expect(sent[0]).not.toHaveProperty("recaptcha_token");
    expect(requested).toEqual([]);
    expect(screen.queryByText(/reCAPTCHA/)).toBeNull();
  });

  it("is sent without a token if none comes: the worker reports it", async () => {
    const { sent, page } = await open("/login", SITE_KEY, async () => null);
    fireEvent.click(await fillIn("login", "Log in"));
    await until(page, () => expect(sent).toHaveLength(1));
    expect(sent[0]).toEqual({ email: "v@viewer.example", password: "correct horse" });
  });

  it("ignores a second press while its token is created, and isn't sent after the page was left", async () => {
    let draw: (token: string) => void = () => undefined;
    const {
      asked: requested,
      sent,
      page,
    } = await open("/login", SITE_KEY, () => new Promise((resolve) => (draw = resolve)));
    const press = await fillIn("login", "Log in");
    fireEvent.click(press);
    await until(page, () => expect(press.getAttribute("aria-busy")).toBe("true"));
    fireEvent.click(press);
    await page.go("/about");
    await until(page, () => expect(press.isConnected).toBe(false));
    draw("a token");
    await page.pass();
    expect(requested.filter((what) => what.startsWith("token"))).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it.each(["/", "/about", "/packages", "/verify-notice"])("%s loads nothing of the service (AUTH-8)", async (path) => {
    const { asked: requested } = await open(path, SITE_KEY, async () => "a token");
    expect(requested).toEqual([]);
  });
});
