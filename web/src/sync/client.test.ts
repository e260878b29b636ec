import { describe, expect, it } from "vitest";
import type { ResourceStatus } from "../contracts/sync";
import { createSyncClient, type Socket } from ".";
import { readFrame } from "./frames";

class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: unknown[] = [];
  closedWith: number | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close(code = 1000) {
    this.closedWith = code;
  }
  says(frame: object | string) {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }
}

const welcome = { t: "welcome", epoch: "e1", user_seq: 4, channel_seq: 9, mode: "resumed", ping_ms: 20000 };
const status = {
  t: "status",
  stream: "user",
  seq: 5,
  at: "2026-11-21T10:00:00.000Z",
  kind: "order",
  id: 3,
  version: 2,
  state: { id: 3, status: "paid", email: "vera@example.test" },
};
const untilOpened = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

function bench() {
  const sockets: FakeSocket[] = [];
  const received: unknown[][] = [];
  const keys = { value: "key-1" };
  const client = createSyncClient({
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    apiKey: async () => keys.value,
    keyRefused: (key) => received.push(["keyRefused", key]),
    withoutPersonal: (it) => {
      const { email: _, ...state } = it.state as { email?: string };
      return { ...it, state } as typeof it;
    },
    inputs: {
      statusReceived: (it: ResourceStatus & { seq: number }) => received.push(["status", it]),
      pinged: () => received.push(["pinged"]),
      drainAsked: (ms) => received.push(["drain", ms]),
      closed: (code) => received.push(["closed", code]),
    },
  });
  const connect = async (
    resume: Parameters<typeof client.connect>[0] = null,
    signal = new AbortController().signal,
  ) => {
    const connecting = client.connect(resume, signal);
    connecting.catch(() => undefined);
    await untilOpened();
    const socket = sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    socket.onopen?.();
    return { connecting, socket };
  };
  return { client, sockets, received, keys, connect };
}

describe("the status socket", () => {
  it("says hello with the key and the position, and answers with the welcome", async () => {
    const { connect } = bench();
    const resume = { epoch: "e1", user_seq: 4, channel_seq: 8 };
    const { connecting, socket } = await connect(resume);
    expect(socket.sent).toEqual([{ t: "hello", v: 1, api_key: "key-1", resume }]);
    socket.says(welcome);
    const { t: _, ...answer } = welcome;
    expect(await connecting).toEqual(answer);
  });

  it("passes on the streams' messages, without personal data", async () => {
    const { connect, received } = bench();
    const { connecting, socket } = await connect();
    socket.says({
      ...welcome,
      mode: "snapshot",
      snapshot: [{ stream: "user", kind: "order", id: 3, version: 1, state: { id: 3, email: "vera@example.test" } }],
    });
    expect((await connecting).snapshot).toEqual([
      { stream: "user", kind: "order", id: 3, version: 1, state: { id: 3 } },
    ]);
    socket.says(status);
    socket.says({ t: "drain", window_ms: 4000 });
    expect(received).toEqual([
      ["status", { stream: "user", seq: 5, kind: "order", id: 3, version: 2, state: { id: 3, status: "paid" } }],
      ["drain", 4000],
    ]);
  });

  it("answers each ping", async () => {
    const { connect, received } = bench();
    const { socket } = await connect();
    socket.says(welcome);
    socket.says({ t: "ping" });
    expect(socket.sent.at(-1)).toEqual({ t: "pong" });
    expect(received).toEqual([["pinged"]]);
  });

  it("fails with the worker's code when it is refused, and has a refused key replaced", async () => {
    const { connect, received } = bench();
    const { connecting, socket } = await connect();
    socket.says({ t: "error", code: "key", message: "The API key is not valid." });
    socket.onclose?.({ code: 4401 });
    await expect(connecting).rejects.toMatchObject({ code: "key", retryable: true });
    expect(received).toEqual([["keyRefused", "key-1"]]);
  });

  it("fails when it closes before the welcome, and reports a close after it", async () => {
    const { connect, received } = bench();
    const first = await connect();
    first.socket.onclose?.({ code: 1006 });
    await expect(first.connecting).rejects.toMatchObject({ code: "network" });
    expect(received).toEqual([]);
    const second = await connect();
    second.socket.says(welcome);
    second.socket.onclose?.({ code: 4429 });
    expect(received).toEqual([["closed", 4429]]);
  });

  it("closes on a frame of another protocol", async () => {
    const { connect, received } = bench();
    const early = await connect();
    early.socket.says("<html>");
    await expect(early.connecting).rejects.toMatchObject({ code: "bad_frame" });
    const late = await connect();
    late.socket.says(welcome);
    late.socket.says({ t: "status", stream: "user" });
    expect(late.socket.closedWith).toBe(4400);
    expect(received).toEqual([["closed", 4400]]);
  });

  it("rereads the key for each hello, and leaves only one socket open", async () => {
    const { connect, keys, sockets, received } = bench();
    const first = await connect();
    first.socket.says(welcome);
    keys.value = "key-2";
    const second = await connect();
    expect(sockets[0]?.closedWith).toBe(1000);
    expect(second.socket.sent).toEqual([{ t: "hello", v: 1, api_key: "key-2" }]);
    expect(received).toEqual([]);
  });

  it("closes when nobody waits for its welcome any more, but not after it", async () => {
    const { connect } = bench();
    const early = new AbortController();
    const earlyWelcome = await connect(null, early.signal);
    early.abort();
    expect(earlyWelcome.socket.closedWith).toBe(1000);
    await expect(earlyWelcome.connecting).rejects.toMatchObject({ code: "closed" });
    const late = new AbortController();
    const lateWelcome = await connect(null, late.signal);
    lateWelcome.socket.says(welcome);
    late.abort();
    expect(lateWelcome.socket.closedWith).toBeNull();
  });

  it("closes silently when asked to", async () => {
    const { connect, client, received } = bench();
    const { socket } = await connect();
    socket.says(welcome);
    client.close();
    expect(socket.closedWith).toBe(1000);
    expect(received).toEqual([]);
  });

  it("requests the watched resources again after a reconnect", async () => {
    const { connect, client } = bench();
    client.watch("order", 3);
    client.watch("clip", 4);
    const first = await connect();
    first.socket.says(welcome);
    client.unwatch("clip", 4);
    expect(first.socket.sent.slice(1)).toEqual([
      { t: "watch", kind: "order", id: 3 },
      { t: "watch", kind: "clip", id: 4 },
      { t: "unwatch", kind: "clip", id: 4 },
    ]);
    const second = await connect();
    second.socket.says(welcome);
    expect(second.socket.sent.slice(1)).toEqual([{ t: "watch", kind: "order", id: 3 }]);
  });
});

describe("a frame", () => {
  const { epoch: _, ...withoutEpoch } = welcome;
  it.each([
    ["nothing", ""],
    ["a list", "[]"],
    ["no text", new ArrayBuffer(2)],
    ["an unknown kind", { t: "hello" }],
    ["a welcome without an epoch", withoutEpoch],
    ["a malformed snapshot", { ...welcome, mode: "snapshot" }],
    ["a snapshot with a hole", { ...welcome, mode: "snapshot", snapshot: [null] }],
    ["a status of an unknown resource", { ...status, kind: "poll" }],
    ["a status with a fractional number", { ...status, seq: 1.5 }],
    ["a negative version", { ...status, version: -1 }],
    ["a drain without a window", { t: "drain" }],
  ])("is refused when it is %s", (_name, frame) => {
    expect(
      readFrame(typeof frame === "object" && !(frame instanceof ArrayBuffer) ? JSON.stringify(frame) : frame),
    ).toBeNull();
  });
});
