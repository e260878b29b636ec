import type { ClipStatus } from "../../contracts/resources";
import type { Auth } from "../../machines/auth";
import type { ClipMaking } from "../../machines/clip";
import type { Login } from "../../machines/login";
import type { PrerollPlay } from "../../machines/preroll";
import type { Purchase, PurchaseChoice } from "../../machines/purchase";
import type { Startup } from "../../machines/startup";
import { authActions } from "../../slices/auth";
import { clipActions, DRAFT } from "../../slices/clip";
import { connectionInputs } from "../../slices/connection";
import type { RootState } from "../../slices/index";
import { loginActions } from "../../slices/login";
import { outboxActions } from "../../slices/outbox";
import { prerollActions } from "../../slices/preroll";
import { purchaseActions } from "../../slices/purchase";
import { queryActions } from "../../slices/queries";
import { aBootstrap, aClip, anEvent, anOrder, aPreroll, aProfile, paid, settings } from "./resources";
import { away, openViewerWorld, openWorld, refusing, type Script, silence, type TestWorld, viewer } from "./world";

/** Opens a page whose process is in one state, by a natural path. */
export type Lead = () => Promise<TestWorld>;
/** A path into every state of a process: a state without one doesn't compile. */
export type Leads<S extends { readonly at: string }> = { readonly [A in S["at"]]: Lead };

const prerolls = [aPreroll()];
const bootstrap = () => aBootstrap({ settings: settings({ prerolls }) });

export const startupLeads: Leads<Startup> = {
  idle: () => openWorld({ "account.status": silence }),
  channelKey: () => openWorld({ "api.getChannelKey": silence }),
  apiKey: () => openWorld({ "api.getApiKey": silence }),
  loading: () => openWorld({ "api.getBootstrap": silence }),
  ready: () => openWorld(),
  keyFailed: () => openWorld({ "api.getApiKey": away }),
};

const login = loginActions.submitted({ way: "login", handle: "h" });

export const loginLeads: Leads<Login> = {
  idle: () => openWorld(),
  async sending() {
    const world = await openWorld({ "api.login": silence });
    world.ui(login);
    await world.pass();
    return world;
  },
  async refused() {
    const world = await openWorld({ "api.login": refusing(400, "Wrong auth data.", "wrong_auth") });
    world.ui(login);
    await world.pass();
    return world;
  },
};

export const authLeads: Leads<Auth> = {
  anonymous: () => openWorld({ "api.login": () => aProfile() }),
  authenticated: () => openViewerWorld(),
  mustChangePassword: () => openWorld(viewer(aProfile({ temporary_password: true }))),
  async loggingOut() {
    const world = await openViewerWorld({ "api.logout": silence });
    world.ui(authActions.logoutPressed());
    await world.pass();
    return world;
  },
};

export const purchaseChoice: PurchaseChoice = {
  kind: "event",
  id: 100,
  single_event_package_id: 500,
  payment_method_id: "pm",
};

const asking = anOrder({ next_action: { type: "confirm" } });

async function pressed(script: Script, ms = 0, choice = purchaseChoice): Promise<TestWorld> {
  const world = await openViewerWorld({
    "api.getEvent": () => anEvent(),
    "api.buy": () => anOrder(),
    "api.getOrder": () => anOrder(),
    ...script,
  });
  world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
  await world.pass();
  world.ui(purchaseActions.submitPressed({ choice }));
  await world.pass(ms);
  return world;
}

/** The current purchase's key; without one, a key that matches no purchase. */
export function keyOf(world: TestWorld): string {
  const { purchase } = world.state();
  return "key" in purchase ? purchase.key : "none";
}

export const purchaseLeads: Leads<Purchase> = {
  preparing: () => openViewerWorld(),
  rejected: () => pressed({}, 0, { ...purchaseChoice, id: null }),
  submitting: () => pressed({ "api.buy": silence }),
  confirming: () => pressed({ "api.buy": () => asking, "payments.confirm": silence }),
  processing: () => pressed({}),
  interrupted: () => pressed({ "api.getOrder": away }, 2_000),
  succeeded: () => pressed({ "api.getOrder": () => paid() }, 2_000),
  failed: () => pressed({ "api.getOrder": () => anOrder({ status: "failed", version: 2 }) }, 2_000),
};

const request = { event_id: 100, name: "Dunk", start_time: 10, duration: 5, tags: ["dunk"], event_media_id: 900 };

async function cut(status: ClipStatus | null, name = "Dunk"): Promise<TestWorld> {
  const world = await openViewerWorld({ "api.listUserClips": silence, "outbox.drain": silence });
  world.ui(clipActions.submitPressed({ key: DRAFT, request: { ...request, name }, media_duration: null }));
  await world.pass();
  if (status !== null) answerClips(world, status, 1);
  await world.pass();
  return world;
}

/** The clip's item was sent. */
export function answerClips(world: TestWorld, status: ClipStatus, version: number): void {
  for (const { item } of world.calls("outbox.put")) {
    if (item.kind !== "clip.create") continue;
    const { id, kind, payload } = item;
    const answer = aClip({ status, version }) as never;
    world.input("storage", outboxActions.itemAnswered({ id, kind, payload, outcome: { outcome: "done", answer } }));
  }
}

export const clipLeads: Leads<ClipMaking> = {
  draft: () => cut(null, ""),
  submitting: () => cut(null),
  queued: () => cut("queued"),
  processing: () => cut("processing"),
  ready: () => cut("ready"),
  failed: () => cut("failed"),
};

/**
 * A choice completes within one turn: only a page whose process was down when its video opened remains in this state.
 */
export const stuckSelecting = (state: RootState): RootState => ({
  ...state,
  preroll: { at: "selecting", target: prerollTarget },
});

export const prerollTarget = { event_id: 100, event_category_id: 11, location_id: 3, media: "live" } as const;

async function wanted(script: Script): Promise<TestWorld> {
  const world = await openViewerWorld({ "api.getBootstrap": bootstrap, ...script });
  world.ui(prerollActions.wanted(prerollTarget));
  await world.pass();
  return world;
}

export const prerollLeads: Leads<PrerollPlay> = {
  idle: () => openViewerWorld(),
  selecting: () => openViewerWorld({ "api.getBootstrap": bootstrap }),
  playing: () => wanted({}),
  done: () => wanted({ "api.getBootstrap": () => aBootstrap() }),
  suppressed: () => wanted(viewer(aProfile({ capabilities: ["no_ads"] }))),
};

/** Leaves everything unanswered, as in a tunnel. Local operations, such as forgetting a key, still work. */
export function cutOff(world: TestWorld): void {
  for (const method of Object.keys(world.script))
    if (/^api\.(?!logout)|^payments\.|^sync\.connect/.test(method)) Object.assign(world.script, { [method]: away });
  world.input("ui", connectionInputs.wentOffline());
}
