import type { UnknownAction } from "@reduxjs/toolkit";
import fc from "fast-check";
import { createRandom, createVirtualTime } from "../../src/eventlog/testing/virtual-time";
import { PortError } from "../../src/ports/error";
import { analyticsActions } from "../../src/slices/analytics";
import { authActions } from "../../src/slices/auth";
import { autoRenewActions } from "../../src/slices/autoRenew";
import { checkoutActions } from "../../src/slices/checkout";
import { clipActions, DRAFT } from "../../src/slices/clip";
import { connectionInputs } from "../../src/slices/connection";
import { throttled } from "../../src/slices/errorScreen";
import { favouritesActions } from "../../src/slices/favourites";
import { formActions } from "../../src/slices/form";
import { loginActions } from "../../src/slices/login";
import { playerActions } from "../../src/slices/player";
import { preferencesActions } from "../../src/slices/preferences";
import { prerollActions } from "../../src/slices/preroll";
import { purchaseActions } from "../../src/slices/purchase";
import type { Query } from "../../src/slices/queries";
import { queryActions } from "../../src/slices/queries";
import { startupActions } from "../../src/slices/startup";
import { tabActions } from "../../src/slices/tabs";
import { toastActions } from "../../src/slices/toast";
import { paysForEvent, reads, receives } from "./journeys/actions";
import { beginVisit, type Visit } from "./visit";
import { type CardOutcome, failures, PERSON } from "./worker";

/** The behaviour of a random viewer of the product, and its environment. */
export interface Plan {
  readonly seed: number;
  /** A port's maximum latency, in milliseconds. */
  readonly latency: number;
  readonly quantum: number;
  /** The shares of calls that fail and that are never answered. */
  readonly fail: number;
  readonly lose: number;
  /** The viewer's clock jumps back an hour half-way. */
  readonly clockJumps: boolean;
  readonly begins: "new" | "anonymous" | "known";
  readonly holder: boolean;
  readonly steps: readonly Step[];
}

interface Step {
  readonly wait: number;
  readonly deed: string;
  readonly n: number;
}

const HOUR = 3_600_000;
/** Duration of a session after its last step. */
const AFTERWARDS = 20_000;
const CARDS: readonly CardOutcome[] = ["pays", "declined", "asks", "asksAndRefuses"];
const PAGES: readonly (readonly [path: string, reads: readonly Query[]])[] = [
  ["/", [reads.rails, reads.geo]],
  ["/upcoming", [reads.events({ stream_status: "upcoming" })]],
  ["/watch/1", [reads.event(1), reads.eventClips(1)]],
  ["/buy?event_id=1&single_event_package_id=1001", [reads.event(1), reads.cards]],
  ["/profile", [reads.orders]],
  ["/profile/clips", [reads.clips]],
  ["/vod_library?trk=x", [reads.vodRails]],
];

const pick = <T>(items: readonly T[], n: number): T => items[n % items.length] as T;
const newestClip = (visit: Visit): string => Object.keys(visit.state().clip).at(-1) ?? DRAFT;

function pushed(visit: Visit, n: number): void {
  const orders = Object.values(visit.state().orders.byId);
  const order = pick(orders, n);
  if (!order) return;
  const status = pick(["created", "paid", "failed"] as const, n);
  const version = order.version + (n % 3) - 1;
  visit.input(
    "sync",
    connectionInputs.statusReceived({
      stream: "user",
      seq: n,
      kind: "order",
      id: order.id,
      version,
      state: { ...order, status, version },
    }),
  );
}

/** Everything that a viewer, the network, the browser or another tab may do. */
const ACTIONS: Readonly<Record<string, (visit: Visit, n: number) => void>> = {
  opens: (visit, n) => {
    const [path, wanted] = pick(PAGES, n);
    visit.opens(path, ...wanted);
  },
  mountsTwice: (visit, n) => {
    // React's Strict Mode mounts, unmounts and mounts again.
    const query = pick([reads.orders, reads.favourites, reads.sessions, reads.slides], n);
    visit.does(queryActions.wanted(query), queryActions.left(query), queryActions.wanted(query));
  },
  leaves: (visit, n) => visit.does(queryActions.left(pick([reads.orders, reads.favourites], n))),
  retries: (visit) => visit.does(queryActions.retryPressed(reads.orders)),
  logsIn: (visit, n) => visit.does(loginActions.submitted({ way: n % 2 ? "login" : "register", handle: `form-${n}` })),
  logsOut: (visit) => visit.does(authActions.logoutPressed()),
  losesKey: (visit) => visit.input("api", authActions.reset({ reason: "api_key" })),
  sendsForm: (visit, n) =>
    visit.does(formActions.submitted({ key: n % 2 ? "profile" : "addSession", handle: `f-${n}` })),
  buys: (visit, n) => {
    visit.worker.card = pick(CARDS, n);
    visit.worker.settlesAfter = 500 * (n % 9);
    paysForEvent(visit, pick([1, 2, 4], n), n % 5 === 0 ? "KICKOFF20" : undefined);
  },
  opensBuy: (visit) => visit.does(purchaseActions.opened()),
  retriesBuy: (visit) => visit.does(purchaseActions.retryPressed()),
  closesPopup: (visit) => visit.does(purchaseActions.popupClosed()),
  entersCoupon: (visit, n) =>
    visit.does(checkoutActions.couponEntered({ type: "event", id: 1, code: n % 2 ? "KICKOFF20" : "NONE" })),
  trials: (visit) =>
    visit.does(purchaseActions.submitPressed({ choice: { kind: "trial", id: 1, payment_method_id: "pm_saved" } })),
  cancels: (visit) => visit.does(autoRenewActions.cancelPressed({ key: "1" })),
  pushes: pushed,
  clips: (visit, n) => {
    visit.worker.clipOutcome = pick(["ready", "failed", "never"] as const, n);
    const request = { event_id: 5, name: "A clip", start_time: n, duration: 9, tags: ["x"], event_media_id: 52 };
    visit.does(clipActions.submitPressed({ key: DRAFT, request, media_duration: 40 }));
  },
  dismisses: (visit) => visit.does(clipActions.dismissed({ key: newestClip(visit) })),
  hearts: (visit, n) =>
    visit.does(favouritesActions.toggled({ favoritable_id: 100 + (n % 3), favoritable_type: "participant" })),
  spots: (visit, n) =>
    visit.does(
      prerollActions.wanted({ event_id: n % 4, event_category_id: 22, location_id: 2, media: n % 2 ? "live" : "vod" }),
    ),
  showsSpot: (visit) => visit.does(prerollActions.firstFrameShown()),
  endsSpot: (visit, n) => visit.does(n % 3 ? prerollActions.ended({ how: "played" }) : prerollActions.left()),
  plays: (visit, n) => {
    const view = playerActions.opened({ kind: "event", id: 5, stream_id: 52, stream_type: "live" });
    const position = { position: n };
    visit.does(
      pick<UnknownAction>(
        [
          view,
          playerActions.firstFrameShown(position),
          playerActions.paused(position),
          playerActions.played(position),
          playerActions.closed(),
        ],
        n,
      ),
    );
  },
  toasts: (visit, n) => visit.does(toastActions.wanted({ text: `toast ${n % 3}`, time: 1_000 * (n % 7) })),
  holdsToast: (visit, n) => {
    const [toast] = visit.state().toast;
    if (toast) visit.does(n % 2 ? toastActions.held({ id: toast.id }) : toastActions.released({ id: toast.id }));
  },
  chooses: (visit, n) => visit.does(preferencesActions.chose({ name: "view", value: String(n) })),
  consents: (visit, n) => visit.does(n % 2 ? analyticsActions.consentGiven() : analyticsActions.consentRefused()),
  throttles: (visit) => visit.input("api", throttled({ retry_after_ms: null })),
  reloads: (visit) => visit.does(startupActions.reloadPressed()),
  goesOffline: (visit) => visit.goesOffline(),
  comesOnline: (visit) => visit.comesOnline(),
  comesBack: (visit) => visit.input("ui", connectionInputs.cameBack()),
  dropsSocket: (visit) => visit.dropsSocket(),
  drains: (visit, n) => visit.input("sync", connectionInputs.drainAsked({ window_ms: 500 * n })),
  pings: (visit) => visit.input("sync", connectionInputs.pinged({ at: visit.time.now() })),
  leads: (visit, n) => visit.input("storage", tabActions.led({ generation: n, seq: 0 })),
  resigns: (visit, n) => visit.input("storage", tabActions.resigned({ generation: n, seq: 0 })),
  hearsFacts: (visit, n) =>
    receives(
      visit,
      pick<UnknownAction>(
        [
          { type: "auth/succeeded", payload: { way: "login", user: PERSON } },
          { type: "auth/loggedOut" },
          preferencesActions.kept({ name: "view", value: "cards", expires_at: 1 }),
        ],
        n,
      ),
    ),
};

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.oneof(fc.constant(0), fc.constantFrom(100, 500, 2_000), fc.integer({ min: 0, max: 7_000 })),
  deed: fc.constantFrom("opens", "logsIn", "buys", "buys", "pushes", "hearts", ...Object.keys(ACTIONS)),
  n: fc.integer({ min: 0, max: 30 }),
});

/** Any session of the product. */
export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  seed: fc.integer(),
  latency: fc.constantFrom(0, 60, 400, 1_500, 4_000),
  quantum: fc.constantFrom(1, 100, 500),
  fail: fc.constantFrom(0, 0.05, 0.3),
  lose: fc.constantFrom(0, 0.02, 0.1),
  clockJumps: fc.boolean(),
  begins: fc.constantFrom("new", "anonymous", "known", "known"),
  holder: fc.boolean(),
  steps: fc.array(step, { minLength: 5, maxLength: 50, size: "max" }),
});

/** Runs a plan to its end, beside a second store of the realm that its subscribers dispatch to. */
export async function runPlan(plan: Plan): Promise<Visit> {
  const time = createVirtualTime();
  const chance = createRandom(plan.seed);
  const length = plan.steps.reduce((sum, { wait }) => sum + wait, 0) + AFTERWARDS;
  const common = { time, quantum: plan.quantum, report: () => undefined, checkpointEvery: 20 };
  const user = plan.begins === "known" ? PERSON : null;
  const visit = beginVisit({
    ...common,
    seed: plan.seed,
    latency: [0, plan.latency],
    ...(plan.begins === "new" ? {} : { user }),
    tab: { id: "tab-1", leads: plan.holder },
    clockError: (elapsed) => (plan.clockJumps && elapsed > length / 2 ? -HOUR : 0),
    override(method, answer) {
      const outcome = chance();
      // Start-up always gets its keys: a session that never opens shows little.
      if (/getChannelKey|getApiKey/.test(method)) return answer();
      if (outcome < plan.lose) return new Promise(() => undefined);
      if (outcome < plan.lose + plan.fail) {
        throw new PortError(pick(Object.values(failures), Math.floor(outcome * 1_000)));
      }
      return answer();
    },
  });
  const neighbour = beginVisit({ ...common, seed: plan.seed + 1, user: null });

  // A screen that dispatches while notified, one that throws, and one that dispatches to the other store.
  let failed = false;
  visit.live.store.subscribe(() => {
    const now = visit.state().purchase.at === "failed";
    if (now && !failed) visit.does(purchaseActions.popupClosed(), toastActions.wanted({ text: "It failed" }));
    failed = now;
    if (chance() < 0.02) neighbour.does(toastActions.wanted({ text: "From next door" }));
    if (chance() < 0.01) throw new Error("a subscriber that throws");
  });

  let due = 0;
  for (const { wait, deed, n } of plan.steps) {
    due += wait;
    time.at(due, () => ACTIONS[deed]?.(visit, n));
  }
  await time.pass(length);
  return visit;
}
