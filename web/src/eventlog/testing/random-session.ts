import fc from "fast-check";
import { PortError } from "../../ports/error";
import { actions, type ProbeState } from "./probe-program";
import { type Answering, type ProbeSession, type SessionSetup, startSession } from "./session";
import { createRandom, createVirtualTime } from "./virtual-time";

/** The behaviour of a random viewer and its environment. */
export interface Plan {
  readonly seed: number;
  /** A port's maximum latency, in milliseconds; a seventh of the answers are immediate. */
  readonly latency: number;
  /** Latencies are multiples of this: the larger, the more answers share a tick. */
  readonly quantum: number;
  /** The shares of calls that fail, that are never answered, and whose answer isn't JSON. */
  readonly fail: number;
  readonly lose: number;
  readonly poison: number;
  /** Whether the clock jumps back an hour half-way. */
  readonly clockJumps: boolean;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly wait: number;
  readonly deed: Deed;
  readonly n: number;
}

const DEEDS = [
  "type",
  "probe",
  "stop",
  "pay",
  "push",
  "close",
  "screen",
  "poison",
  "poisonSaga",
  "killLonely",
  "neighbour",
] as const;
type Deed = (typeof DEEDS)[number];

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.oneof(fc.constant(0), fc.constantFrom(100, 300, 500, 2000), fc.integer({ min: 0, max: 6000 })),
  deed: fc.constantFrom<Deed>("type", "type", "probe", "probe", "pay", "push", "push", ...DEEDS),
  n: fc.integer({ min: 0, max: 20 }),
});

export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  seed: fc.integer(),
  latency: fc.constantFrom(0, 60, 400, 1500, 4000),
  quantum: fc.constantFrom(1, 100, 500),
  fail: fc.constantFrom(0, 0.05, 0.3),
  lose: fc.constantFrom(0, 0.02, 0.1),
  poison: fc.constantFrom(0, 0.05, 0.3),
  clockJumps: fc.boolean(),
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: "max" }),
});

const HOUR = 3_600_000;
/** Duration of a session after its last step. */
const AFTERWARDS = 15_000;

/** Runs a session to its end. */
export async function runSession(plan: Plan, setup: SessionSetup = {}): Promise<ProbeSession> {
  const random = createRandom(plan.seed);
  const time = createVirtualTime();
  const length = plan.steps.reduce((sum, { wait }) => sum + wait, 0) + AFTERWARDS;
  const clockError = (): number => (plan.clockJumps && time.now() > length / 2 ? -HOUR : 0);
  const session = startSession({ time, clockError, draw: random, answer: answering(plan, time, random), ...setup });
  // A second store of the realm, to which the first one's subscribers and ports dispatch; it must not interfere.
  const neighbour = startSession({ time, answer: () => ({ epoch: "n" }) });
  subscribe(session, neighbour, random);

  let due = 0;
  for (const { wait, deed, n } of plan.steps) {
    due += wait;
    time.at(due, () => act(session, neighbour, deed, n));
  }
  await time.pass(length);
  session.checkpoint();
  neighbour.checkpoint();
  return session;
}

function answering(plan: Plan, time: ReturnType<typeof createVirtualTime>, random: () => number): Answering {
  const answer = (method: string, n: number): unknown => {
    if (method !== "api.getEvent" && random() < plan.poison) return { data: null };
    switch (method) {
      case "api.searchVod":
        // Answers of a faulty port: none of it is JSON.
        return { data: [n, { when: new Date(0), not: Number.NaN, none: undefined, zero: -0, set: new Set([1]) }] };
      case "api.getOrder": {
        const status = random();
        return { status: status < 0.6 ? "created" : status < 0.8 ? "paid" : "failed", version: Math.floor(n / 2) };
      }
      case "api.getEvent":
        if (random() < plan.poison) throw new PortError({ code: "poison", message: "poison" });
        return { id: n };
      default:
        return { epoch: "e", n };
    }
  };
  return (method, args, signal) => {
    const fate = random();
    if (fate < plan.lose) return new Promise(() => {});
    const make = (): unknown => {
      if (fate < plan.lose + plan.fail) throw Object.assign(new Error("The network is away"), { code: "network" });
      return answer(method, Number(args.id ?? Math.floor(random() * 20)));
    };
    if (random() < 0.15) return make();
    const lag = Math.round((random() * plan.latency) / plan.quantum) * plan.quantum;
    return new Promise((resolve, reject) => {
      const undo = time.at(time.now() + lag, () => {
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      });
      signal.addEventListener("abort", undo);
    });
  };
}

/** Subscribers like those of screens: some dispatch while notified, one throws. */
function subscribe(session: ProbeSession, neighbour: ProbeSession, random: () => number): void {
  let popup = false;
  let before: ProbeState = session.store.getState();
  session.store.subscribe(() => {
    const state = session.store.getState();
    const failed = state.order.at === "failed" && before.order.at !== "failed";
    const closed = before.page.live && !state.page.live;
    before = state;
    if (failed && !popup) {
      popup = true;
      session.store.dispatch(actions.page.popupShown());
      session.store.dispatch(actions.probes.asked({ n: 7 }));
    }
    if (closed) neighbour.store.dispatch(actions.probes.asked({ n: 1 }));
    if (random() < 0.01) throw new Error("a subscriber that throws");
  });
}

function act(session: ProbeSession, neighbour: ProbeSession, deed: Deed, n: number): void {
  const { dispatch } = session.store;
  switch (deed) {
    case "type":
      for (let count = 0; count <= n % 3; count++) dispatch(actions.search.typed({ title: "q".repeat(n % 4) }));
      break;
    case "probe":
      dispatch(actions.probes.asked({ n }));
      break;
    case "stop":
      dispatch(actions.probes.stopPressed());
      break;
    case "pay":
      dispatch(actions.order.payPressed());
      break;
    case "push":
      session.input(
        "sync",
        actions.order.statusSeen({ status: n < 12 ? "created" : n < 17 ? "paid" : "failed", version: n }),
      );
      break;
    case "close":
      session.input("sync", actions.page.socketClosed());
      break;
    case "screen":
      // React's Strict Mode mounts twice.
      dispatch(actions.page.screenOpened());
      dispatch(actions.page.screenClosed());
      dispatch(actions.page.screenOpened());
      break;
    case "poison":
      dispatch(actions.page.poisoned());
      break;
    case "poisonSaga":
      dispatch(actions.page.poisonAsked());
      break;
    case "killLonely":
      if (n === 0) dispatch(actions.page.lonelyKilled());
      break;
    case "neighbour":
      neighbour.store.dispatch(actions.probes.asked({ n }));
      break;
  }
}
