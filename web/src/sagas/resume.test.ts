import { describe, expect, it } from "vitest";
import { auth } from "../machines/auth";
import { clip } from "../machines/clip";
import { preroll } from "../machines/preroll";
import { purchase } from "../machines/purchase";
import { startup } from "../machines/startup";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { purchaseActions } from "../slices/purchase";
import { startupActions } from "../slices/startup";
import {
  answerClips,
  authLeads,
  clipLeads,
  cutOff,
  type Leads,
  prerollLeads,
  purchaseLeads,
  startupLeads,
  stuckSelecting,
} from "./testing/processStates";
import { aBootstrap, aClip, anEvent, anOrder, aProfile, paid } from "./testing/resources";
import { away, type Script, type TestWorld } from "./testing/world";

const MINUTE = 60_000;

/** A process after a reload: without a network, and a minute after the network returns. */
type Ends<S extends { readonly at: string }> = {
  readonly [A in S["at"]]: { readonly offline: S["at"]; readonly online: S["at"] };
};

interface Resumption<S extends { readonly at: string }> {
  readonly states: object;
  readonly leads: Leads<S>;
  readonly ends: Ends<S>;
  /** The process's current state. */
  at(world: TestWorld): string;
  /** A worker that answers everything. */
  whole(state: S["at"]): Script;
  /** The browser's own work for the next page, with or without a network. */
  readonly browser?: (world: TestWorld) => Script;
  /** States that only a crashed page leaves behind. */
  readonly left?: { readonly [A in S["at"]]?: (state: RootState) => RootState };
  /** The viewer's or outbox's action once there is a network. */
  go?(world: TestWorld): void;
  holds?(world: TestWorld): void;
}

const nobody = () => ({ channel_key: true, api_key: true, user_id: null });

const stay = <A extends string>(at: A) => ({ offline: at, online: at });

const anyone: Script = {
  "api.getChannelKey": () => null,
  "api.getApiKey": () => null,
  "api.getBootstrap": () => aBootstrap(),
  "api.getParticipants": () => [],
  "sync.connect": away,
};
const someone: Script = {
  ...anyone,
  "api.getProfile": () => aProfile(),
  "api.getEvent": () => anEvent(),
  "api.listUserClips": () => [],
};

function resumes<S extends { readonly at: string }>(name: string, process: Resumption<S>): void {
  const { states, leads, ends, at, whole, browser, left, go, holds } = process;
  const rows = Object.keys(ends) as S["at"][];

  async function reload(world: TestWorld, state: S["at"]): Promise<void> {
    const leave = left?.[state];
    if (leave === undefined) expect(at(world)).toBe(state);
    Object.assign(world.script, browser?.(world));
    await world.reload(leave);
    await world.pass(MINUTE);
  }

  describe(`${name}, after a reload`, () => {
    it("is covered in every one of its states", () => {
      expect(rows.toSorted()).toEqual(Object.keys(states).sort());
      expect(Object.keys(leads).sort()).toEqual(Object.keys(states).sort());
    });

    it.each(rows)("continues with a network: %s", async (state) => {
      const world = await leads[state]();
      Object.assign(world.script, whole(state));
      await reload(world, state);
      go?.(world);
      await world.pass(MINUTE);
      expect(at(world)).toBe(ends[state].online);
      holds?.(world);
      world.expectReplays();
    });

    it.each(rows)("waits for a network, and continues with it: %s", async (state) => {
      const world = await leads[state]();
      cutOff(world);
      await reload(world, state);
      expect(at(world)).toBe(ends[state].offline);
      Object.assign(world.script, whole(state));
      world.input("ui", connectionInputs.cameOnline());
      await world.pass();
      go?.(world);
      await world.pass(MINUTE);
      expect(at(world)).toBe(ends[state].online);
      holds?.(world);
      world.expectReplays();
    });
  });
}

resumes("start-up", {
  states: startup.table,
  leads: startupLeads,
  ends: {
    idle: { offline: "keyFailed", online: "ready" },
    channelKey: { offline: "keyFailed", online: "ready" },
    apiKey: { offline: "keyFailed", online: "ready" },
    loading: { offline: "keyFailed", online: "ready" },
    ready: stay("ready"),
    keyFailed: { offline: "keyFailed", online: "ready" },
  },
  at: (world) => world.state().startup.at,
  whole: () => anyone,
  browser: () => ({ "account.status": nobody }),
  go: (world) => world.ui(startupActions.reloadPressed()),
  holds: (world) => expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: false }),
});

resumes("auth", {
  states: auth.table,
  leads: authLeads,
  ends: {
    anonymous: stay("anonymous"),
    authenticated: stay("authenticated"),
    mustChangePassword: stay("mustChangePassword"),
    loggingOut: stay("anonymous"),
  },
  at: (world) => world.state().auth.at,
  whole: (state) => ({
    ...someone,
    "api.getProfile": () => aProfile({ temporary_password: state === "mustChangePassword" }),
  }),
  browser: (world) => ({
    "api.logout"() {
      world.script["account.status"] = nobody;
      return null;
    },
  }),
});

resumes("a purchase", {
  states: purchase.table,
  leads: purchaseLeads,
  ends: {
    preparing: stay("preparing"),
    rejected: stay("rejected"),
    submitting: { offline: "interrupted", online: "succeeded" },
    confirming: { offline: "interrupted", online: "succeeded" },
    processing: { offline: "interrupted", online: "succeeded" },
    interrupted: { offline: "interrupted", online: "succeeded" },
    succeeded: stay("succeeded"),
    failed: stay("failed"),
  },
  at: (world) => world.state().purchase.at,
  whole: () => ({
    ...someone,
    "api.buy": () => anOrder(),
    "api.getOrder": () => paid(),
    "payments.confirm": () => null,
  }),
  holds(world) {
    const calls = world.calls("api.buy");
    expect(new Set(calls.map(({ idempotency_key }) => idempotency_key)).size).toBe(calls.length === 0 ? 0 : 1);
    const reports = world.calls("outbox.put").filter(({ item }) => JSON.stringify(item).includes("purchase"));
    expect(new Set(reports.map(({ item }) => item.id)).size).toBeLessThanOrEqual(1);
  },
});

resumes("a clip", {
  states: clip.table,
  leads: clipLeads,
  ends: {
    draft: stay("draft"),
    submitting: { offline: "submitting", online: "ready" },
    queued: { offline: "queued", online: "ready" },
    processing: { offline: "processing", online: "ready" },
    ready: stay("ready"),
    failed: stay("failed"),
  },
  at: (world) => Object.values(world.state().clip)[0]?.at ?? "draft",
  whole: () => ({
    ...someone,
    "outbox.drain": () => ({ left: 0, retry_after_ms: null }),
    "api.listUserClips": () => [aClip({ status: "ready", version: 9 })],
  }),
  go: (world) => answerClips(world, "ready", 1),
  // One clip was requested, under one key.
  holds: (world) => expect(new Set(world.calls("outbox.put").map(({ item }) => item.id)).size).toBeLessThanOrEqual(1),
});

resumes("a preroll", {
  states: preroll.table,
  leads: prerollLeads,
  ends: {
    idle: stay("idle"),
    // A preroll without a first frame times out: the video isn't held back.
    selecting: stay("done"),
    playing: stay("done"),
    done: stay("done"),
    suppressed: stay("suppressed"),
  },
  at: (world) => world.state().preroll.at,
  whole: () => someone,
  left: { selecting: stuckSelecting },
});

describe("a refused purchase, after a reload", () => {
  it("starts over when its page opens", async () => {
    const world = await purchaseLeads.rejected();
    await world.reload();
    world.ui(purchaseActions.opened());
    expect(world.state().purchase.at).toBe("preparing");
  });
});

describe("a refused clip, after a reload", () => {
  it("can be created again", async () => {
    const world = await clipLeads.draft();
    await world.reload();
    world.ui(clipActions.dismissed({ key: DRAFT }));
    expect(world.state().clip).toEqual({});
  });
});
