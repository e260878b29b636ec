// @vitest-environment jsdom
import type { UnknownAction } from "@reduxjs/toolkit";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRandom } from "../eventlog/testing/virtual-time";
import { type RootState, rootReducer } from "../slices";
import { connectionActions, connectionInputs } from "../slices/connection";
import { watchReachability } from "./reachability";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page's watch over a network, and the facts that it recorded. */
function watch(fetch: typeof globalThis.fetch, draw: () => number) {
  let state: RootState = rootReducer(undefined, { type: "test" });
  const listeners: (() => void)[] = [];
  const recorded: string[] = [];
  const dispatch = (action: UnknownAction): void => {
    state = rootReducer(state, action);
    recorded.push(action.type);
    for (const listener of listeners) listener();
  };
  const reachability = watchReachability({
    fetch,
    hostname: "northfield.test",
    state: () => state,
    input: (_, action) => dispatch(action),
    now: () => Date.now(),
    draw,
  });
  reachability.begin((listener) => listeners.push(listener));
  return { fetch: reachability.fetch, dispatch, recorded };
}

const json = (body: BodyInit | null = "{}"): Response =>
  new Response(body, { headers: { "content-type": "application/json" } });

/** A line of 400 ms and 400 kbit/s to a worker that takes up to 2 s: transfers share its rate. */
const LATENCY_MS = 400;
const BYTES_PER_MS = 50;
const WORKER_MS = 2_000;
const HEAD_BYTES = 600;
const PIECE_BYTES = 8_192;

function slowLine(random: () => number) {
  let transfers = 0;
  const transfer = async (bytes: number, arrived: (bytes: number) => void = () => undefined): Promise<void> => {
    transfers += 1;
    for (let remaining = bytes; remaining > 0; remaining -= PIECE_BYTES) {
      const piece = Math.min(remaining, PIECE_BYTES);
      await new Promise((done) => setTimeout(done, (piece * transfers) / BYTES_PER_MS));
      arrived(Math.ceil(piece));
    }
    transfers -= 1;
  };
  return async (): Promise<Response> => {
    await new Promise((done) => setTimeout(done, LATENCY_MS + WORKER_MS * random()));
    await transfer(HEAD_BYTES);
    const bytes = 1_000 + 40_000 * random();
    return json(
      new ReadableStream({
        async start(controller) {
          await transfer(bytes, (piece) => controller.enqueue(new Uint8Array(piece)));
          controller.close();
        },
      }),
    );
  };
}

it("200 loads and 50 purchases on a slow line raise no notice (CALL-14)", async () => {
  const random = createRandom(49);
  // The document came over the same line.
  vi.spyOn(performance, "getEntriesByType").mockReturnValue([
    { requestStart: 0, responseEnd: LATENCY_MS + WORKER_MS },
  ] as never);
  let notices = 0;
  for (let visit = 0; visit < 250; visit += 1) {
    const page = watch(slowLine(random) as typeof globalThis.fetch, random);
    // A page loads its lists at once; a purchase makes its calls one after the other, and two at a time.
    const rounds = visit < 200 ? [6 + Math.floor(8 * random())] : [1, 1, 2, 1, 1, 2];
    for (const calls of rounds) {
      const answers = Array.from({ length: calls }, () => page.fetch("/api/x").then((answer) => answer.text()));
      const all = Promise.all(answers);
      let isDone = false;
      all.then(() => {
        isDone = true;
      });
      while (!isDone) await vi.advanceTimersByTimeAsync(250);
      await vi.advanceTimersByTimeAsync(2_000 * random());
    }
    notices += page.recorded.filter((type) => type === connectionInputs.wentOffline.type).length;
    vi.clearAllTimers();
  }
  expect(notices).toBe(0);
});

it("pages that lose their sockets together don't probe together (CALL-14)", async () => {
  const probedAt: number[] = [];
  for (const drawn of [0, 0.25, 0.5, 0.999]) {
    const startedAt = Date.now();
    let isProbed = false;
    const page = watch(
      async () => {
        if (!isProbed) probedAt.push(Date.now() - startedAt);
        isProbed = true;
        return json();
      },
      () => drawn,
    );
    page.dispatch(connectionActions.connectBegan({ attempt: 1, give_up_at: startedAt + 10_000 }));
    page.dispatch(connectionActions.connectFailed({ code: "network", attempt: 1, until: startedAt + 200 }));
    // The next attempt may start before the probe.
    await vi.advanceTimersByTimeAsync(200);
    page.dispatch(connectionActions.connectBegan({ attempt: 2, give_up_at: startedAt + 10_000 }));
    await vi.advanceTimersByTimeAsync(2_800);
    vi.clearAllTimers();
  }
  expect(probedAt).toHaveLength(4);
  for (const [at, next] of probedAt.slice(0, -1).map((time, index) => [time, probedAt[index + 1] ?? 0] as const))
    expect(next - at).toBeGreaterThan(100);
  expect(Math.max(...probedAt)).toBeLessThan(1_500);
});
