// @vitest-environment jsdom

import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApi, withoutPersonal } from "../api";
import { memory, ok } from "../api/testing/channel";
import { channelOf, createOutbox } from "../outbox";
import { memoryStore } from "../outbox/testing/memory";
import { aBootstrap, aClip, anEvent, aProfile } from "../sagas/testing/resources";
import { type Script, viewer } from "../sagas/testing/world";
import { channelEventsOf } from "../session/channelEvents";
import { clipActions, DRAFT } from "../slices/clip";
import { loginActions } from "../slices/login";
import { outboxInputs, selectWaitingCount } from "../slices/outbox";
import { showPage, type TestPage } from "./testing/page";
import { WORKER_MESSAGES } from "./testing/sentences";

// Requests that are stored before they are sent: the real page, outbox and channel client, on a scripted channel.

const TEAM = { favoritable_id: 21, favoritable_type: "participant" } as const;
const event = anEvent({
  participants: [
    {
      id: 21,
      name: "Westhaven Rams",
      short_name: "Rams",
      alias: "rams",
      images: [],
      color: "#224466",
      properties: {},
    } as never,
  ],
});
const request = { event_id: 100, name: "Dunk", start_time: 10, duration: 5, tags: ["dunk"], event_media_id: 900 };

/** Answers of the channel by path; other paths aren't requested here. */
type Answering = (path: string) => Response | Promise<Response>;

interface Site extends TestPage {
  /** Sets the channel's answers. */
  say(answering: Answering): void;
  /** The user who signs in again after being signed out. */
  logIn(): Promise<void>;
  /** The requested paths. */
  readonly asked: string[];
}

async function open(path: string, script: Script): Promise<Site> {
  const database = memory();
  const keys = { channel_key: "northfield", api_key: "mine", user_id: 7 };
  await database.setItem("keys", keys);
  const requested: string[] = [];
  let answer: Answering = () => ok(null);
  let page: TestPage | null = null;
  const channelEvents = channelEventsOf(
    (origin, action) => act(() => page?.world.input(origin, action)),
    () => page?.world.state(),
  );
  const api = createApi({
    async fetch(input) {
      const { pathname } = new URL(String(input), "http://northfield.test");
      if (pathname === "/api/error-log") return ok(null);
      requested.push(pathname);
      return answer(pathname);
    },
    database,
    locks: undefined,
    hostname: "northfield.test",
    now: () => 0,
    isOnline: () => true,
    newHandle: () => "",
    analyticsIdentity: async () => null,
    news: { ...channelEvents, crashed: () => undefined },
    personStored: () => undefined,
  });
  const store = memoryStore();
  const outbox = createOutbox({
    store,
    fenced: store,
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics: false,
    wire: { onmessage: null, postMessage: () => undefined },
    now: () => 0,
  });
  const testPage = await showPage(path, {
    "api.getBootstrap": () => aBootstrap(),
    "api.getEvent": () => event,
    "api.listFavourites": () => [],
    "api.listUserClips": () => [],
    "api.login": () => aProfile({ capabilities: ["watch", "clipping"] }),
    ...viewer(aProfile({ capabilities: ["watch", "clipping"] })),
    ...script,
    "outbox.put": async ({ item }) => {
      await outbox.put(item);
      return null;
    },
    async "outbox.drain"() {
      const report = await outbox.drain();
      await outbox.collect(async (answered) => {
        for (const { item, outcome } of answered)
          if (item.kind !== "analytics") {
            const { at: _, user_id: __, ...seen } = item;
            act(() => page?.world.input("storage", outboxInputs.itemAnswered({ ...seen, outcome } as never)));
          }
      });
      return report;
    },
  });
  page = testPage;
  return {
    ...testPage,
    asked: requested,
    say: (next) => {
      answer = next;
    },
    async logIn() {
      await database.setItem("keys", keys);
      act(() => testPage.world.ui(loginActions.submitted({ way: "login", handle: "h" })));
      await testPage.pass();
    },
  };
}

/** A change that the viewer wants, and its display. */
interface OptimisticChange {
  readonly path: string;
  readonly script: Script;
  /** The request for it, and a working channel's answer. */
  readonly call: RegExp;
  readonly answer: unknown;
  /** The reads that follow it. */
  readonly afterwards?: Script;
  press(site: Site): void;
  /** Whether it is displayed as the viewer wants it, sent or not. */
  isShown(): boolean;
  /** The viewer's reaction to a refusal before another attempt. */
  dismiss?(): void;
}

/** Finds buttons by their text, since computing roles for the whole page is slow. */
const button = (name: string) =>
  [...document.querySelectorAll<HTMLButtonElement>("main button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name,
  );
const click = (name: string): void => {
  const found = button(name);
  if (found === undefined) throw new Error(`there is no button ${name}`);
  fireEvent.click(found);
};
const ADD = "Add to favourites: Rams";
const REMOVE = "Remove from favourites: Rams";

const dunk = aClip({ name: "Dunk", status: "queued" });

const changes: { readonly [name: string]: OptimisticChange } = {
  "a favourite": {
    path: "/watch/100",
    script: {},
    call: /^\/api\/favorite$/,
    answer: { id: 5, ...TEAM },
    press: () => click(ADD),
    isShown: () => button(REMOVE) !== undefined,
  },
  "a removed favourite": {
    path: "/watch/100",
    script: { "api.listFavourites": () => [{ id: 5, ...TEAM }] },
    call: /^\/api\/favorite\/5$/,
    answer: null,
    press: () => click(REMOVE),
    isShown: () => button(ADD) !== undefined,
  },
  "a clip": {
    path: "/profile/clips",
    script: {},
    call: /^\/api\/clip$/,
    answer: dunk,
    afterwards: { "api.listUserClips": () => [dunk] },
    press: ({ world }) => act(() => world.ui(clipActions.submitPressed({ key: DRAFT, request, media_duration: null }))),
    isShown: () => screen.queryAllByText("Dunk").length > 0 && button("Dismiss") === undefined,
    dismiss: () => click("Dismiss"),
  },
};

/** Advances the page's time and the client's retries until `holds` succeeds. */
async function until(site: Site, holds: () => void, ms = 100): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    await site.pass();
    try {
      return holds();
    } catch (error) {
      if (tries === 60) throw error;
    }
  }
}

beforeEach(() => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe.each(Object.entries(changes))("%s", (_, change) => {
  const ready = async (): Promise<Site> => {
    const site = await open(change.path, change.script);
    // A screen must be loaded when it is first opened.
    await vi.waitFor(
      async () => {
        await site.pass();
        if (change.path.startsWith("/watch")) expect(button(ADD) ?? button(REMOVE)).toBeDefined();
        else screen.getByText("No clips yet");
      },
      { timeout: 30_000, interval: 20 },
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return site;
  };
  const calls = ({ asked: requested }: Site): number => requested.filter((path) => change.call.test(path)).length;
  const heal = (site: Site): void => {
    Object.assign(site.world.script, change.afterwards);
    const favourites = [{ id: 5, ...TEAM }];
    site.say((path) => ok(change.call.test(path) ? change.answer : path === "/api/favorites" ? favourites : null));
  };

  async function expectSent(site: Site): Promise<void> {
    await until(site, () => {
      expect(selectWaitingCount(site.world.state())).toBe(0);
      expect(change.isShown()).toBe(true);
    });
    site.world.expectExpected();
  }

  it("is reverted with the refusal's message, whatever it is, and can be requested again (ERR-8, ERR-9)", async () => {
    const site = await ready();
    for (const message of WORKER_MESSAGES) {
      site.say(() => Response.json({ message, code: "refused", errors: {} }, { status: 400 }));
      change.press(site);
      const displayed = message.startsWith("A valid email") ? message.slice(0, -1) : message;
      await until(site, () =>
        expect(screen.getAllByText(new RegExp(displayed.replace(/[.?]/g, "\\$&"))).length).toBeGreaterThan(0),
      );
      expect(change.isShown()).toBe(false);
      change.dismiss?.();
      await site.pass(6_000);
    }
    const before = calls(site);
    heal(site);
    change.press(site);
    await expectSent(site);
    expect(calls(site)).toBe(before + 1);
  }, 60_000);

  const passing: readonly (readonly [what: string, answer: Answering])[] = [
    [
      "is throttled (429)",
      () => Response.json({ message: "Too many.", code: "throttled", errors: {} }, { status: 429 }),
    ],
    ["breaks (500)", () => new Response("<h1>Bad gateway</h1>", { status: 502 })],
    [
      "is a portal's page",
      () => new Response("<h1>Log in to the train</h1>", { headers: { "content-type": "text/html" } }),
    ],
    ["does not arrive", () => Promise.reject(new TypeError("failed to fetch"))],
  ];
  it.each(passing)("is stored while the answer %s, and sent once there is one (ERR-1)", async (what, answer) => {
    const site = await ready();
    site.say(answer);
    change.press(site);
    await until(site, () => expect(site.world.state().outbox.run.at).toBe("waiting"), 500);
    expect(change.isShown()).toBe(true);
    const notices = site.world.state().toast.map(({ text }) => text);
    // Only throttling is displayed; other failures recover by themselves.
    expect(notices).toEqual(what.includes("429") ? ["Too many requests. Please try again in a moment."] : []);
    heal(site);
    await site.pass(10_000);
    await expectSent(site);
  });

  it("is stored for its viewer, whom a 401 signed out, until they return (AUTH-3)", async () => {
    const site = await ready();
    site.say(() =>
      Response.json({ message: "Unauthenticated.", code: "unauthenticated", errors: {} }, { status: 401 }),
    );
    change.press(site);
    await until(site, () => expect(site.world.state().auth.at).toBe("anonymous"));
    heal(site);
    await site.logIn();
    await until(site, () => expect(selectWaitingCount(site.world.state())).toBe(0));
    expect(site.world.state().toast).toEqual([]);
  });
});
