import { describe, expect, it } from "vitest";
import type { Id, Order } from "../contracts/resources";
import type { ResourceStatus, ResumePosition, Welcome } from "../contracts/sync";
import { createRandom } from "../eventlog/testing/virtual-time";
import { PortError } from "../ports/error";
import { connectionInputs } from "../slices/connection";
import { anOrder } from "./testing/resources";
import { openViewerWorld, type TestWorld } from "./testing/world";

/** A fast number of runs; `make soak` sets 10,000. */
const RUNS = Number(process.env.SYNC_RUNS ?? 25);
const SEED = Number(process.env.SYNC_SEED ?? 1);
const STEPS = 40;
/** Number of messages that the server retains: a browser away for longer starts from a snapshot. */
const RETAINED = 6;
const MOVES: readonly Order["status"][] = ["created", "paid", "refunded"];

type Status = ResourceStatus & { seq: number };

/**
 * A server of the protocol: it numbers messages, retains a few, resumes fully or not at all, and is sometimes restored.
 */
class Server {
  epoch = "e0";
  seq = 0;
  readonly orders = new Map<Id, Order>();
  log: Status[] = [];
  isConnected = false;
  /** Sent and not yet delivered. */
  wire: Status[] = [];
  /** Messages delivered on any socket, which a network may repeat. */
  past: Status[] = [];

  move(id: Id): void {
    const now = this.orders.get(id);
    const at = now === undefined ? 0 : MOVES.indexOf(now.status) + 1;
    const status = MOVES[at];
    if (status === undefined) return;
    const order = { ...anOrder(), id, status, version: (now?.version ?? 0) + 1 };
    this.orders.set(id, order);
    this.seq += 1;
    const line: Status = { stream: "user", seq: this.seq, kind: "order", id, version: order.version, state: order };
    this.log = [...this.log, line].slice(-RETAINED);
    if (this.isConnected) this.wire.push(line);
  }

  /** Restores the records from a backup: positions start over. */
  restore(): void {
    this.drop();
    this.epoch = `e${Number(this.epoch.slice(1)) + 1}`;
    this.seq = this.orders.size;
    this.log = [];
  }

  /** The socket breaks, which loses the messages in flight. */
  drop(): void {
    this.isConnected = false;
    this.wire = [];
  }

  welcome(resume: ResumePosition | null): Welcome {
    this.isConnected = true;
    const position = { epoch: this.epoch, user_seq: this.seq, channel_seq: 0, ping_ms: 20_000 };
    const from = resume?.epoch === this.epoch ? resume.user_seq : undefined;
    const after = this.log.filter((line) => from !== undefined && line.seq > from);
    if (from !== undefined && from <= this.seq && after.length === this.seq - from) {
      this.wire = [...after];
      return { ...position, user_seq: from, mode: "resumed" };
    }
    this.wire = [];
    const snapshot = [...this.orders.values()].map(
      (state): ResourceStatus => ({ stream: "user", kind: "order", id: state.id, version: state.version, state }),
    );
    return { ...position, mode: "snapshot", snapshot };
  }
}

async function run(seed: number): Promise<void> {
  const random = createRandom(seed);
  const upTo = (count: number) => Math.floor(random() * count);
  const server = new Server();
  let reachable = true;
  const world = await openViewerWorld({
    "sync.connect": ({ resume }) => {
      if (!reachable) throw new PortError({ code: "network", message: "away", retryable: true });
      return server.welcome(resume);
    },
  });
  const receive = (status: Status) => {
    server.past.push(status);
    world.input("sync", connectionInputs.statusReceived(status));
  };
  const deliver = (count: number) => {
    for (const status of server.wire.splice(0, count)) receive(status);
  };
  const lose = async (w: TestWorld) => {
    if (!server.isConnected) return;
    server.drop();
    w.input("sync", connectionInputs.closed({ code: 1006 }));
    await w.pass(0);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const happening = upTo(12);
    if (happening < 5) server.move(upTo(4) + 1);
    else if (happening < 8) deliver(upTo(4));
    else if (happening === 8) await lose(world);
    else if (happening === 9) {
      // Duplicated, late, out of order: from this socket or an earlier one.
      const old = server.past[upTo(server.past.length)];
      if (old !== undefined && server.isConnected) world.input("sync", connectionInputs.statusReceived(old));
    } else if (happening === 10) {
      await lose(world);
      if (upTo(3) === 0) {
        server.restore();
        server.past = [];
      }
      reachable = upTo(3) > 0;
    } else {
      reachable = true;
      world.input("ui", connectionInputs.cameBack());
      await world.pass(upTo(40_000));
    }
  }
  reachable = true;
  for (let tries = 0; tries < 20 && !server.isConnected; tries += 1) {
    world.input("ui", connectionInputs.cameBack());
    await world.pass(1_000);
  }
  deliver(server.wire.length);
  await world.pass(0);
  const seen = Object.values(world.state().orders.byId).sort((a, b) => a.id - b.id);
  const expected = [...server.orders.values()].sort((a, b) => a.id - b.id);
  expect(seen, `seed ${seed}`).toEqual(expected);
}

describe("a browser's view of its orders (SYNC)", () => {
  it(`ends equal to the server's, whatever is lost, duplicated or late, in ${RUNS} runs from seed ${SEED}`, async () => {
    for (let seed = SEED; seed < SEED + RUNS; seed += 1) await run(seed);
  });
});
