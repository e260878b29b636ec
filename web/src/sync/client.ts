import type { Id } from "../contracts/resources";
import type { ResourceStatus, ResumePosition, WatchKind, Welcome } from "../contracts/sync";
import { exhaustive } from "../lib/exhaustive";
import { PortError } from "../ports/error";
import { readFrame, type ServerFrame } from "./frames";

/** Protocol version in `hello`. */
const VERSION = 1;

/** Close codes of the protocol that the client handles or sends. */
const BAD_FRAME = 4400;
const KEY = 4401;
const NORMAL = 1000;

/** The subset of WebSocket in use. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

/** Inputs from an open socket. */
export interface SyncInputs {
  statusReceived(status: ResourceStatus & { seq: number }): void;
  pinged(): void;
  drainAsked(windowMs: number): void;
  /** The socket closed unexpectedly after its welcome. */
  closed(code: number): void;
}

export interface SyncDeps {
  open(): Socket;
  /** The key for `hello`, read each time because a login rotates it. */
  apiKey(): Promise<string>;
  /** The worker refused this key, which needs replacing. */
  keyRefused(key: string): void;
  /** Returns a resource's state without its personal fields, which it stores in the account port. */
  withoutPersonal<R extends ResourceStatus>(status: R): R;
  inputs: SyncInputs;
}

/** The status socket (SYNC protocol v1). One at a time. */
export interface SyncClient {
  /** Settles with the welcome. Fails with a `PortError`; an aborted signal closes the socket. */
  connect(resume: ResumePosition | null, signal: AbortSignal): Promise<Welcome>;
  close(): void;
  /** Requests polling of a resource from an upstream without a feed; repeated after each reconnect. */
  watch(kind: WatchKind, id: Id): void;
  unwatch(kind: WatchKind, id: Id): void;
}

const refused = (code: string, message: string): PortError => new PortError({ code, message, retryable: true });

interface Connection {
  readonly socket: Socket;
  isWelcomed: boolean;
  /** Rejects the call that waits for the welcome. */
  readonly fail: (error: PortError) => void;
}

export function createSyncClient({ open, apiKey, keyRefused, withoutPersonal, inputs }: SyncDeps): SyncClient {
  let current: Connection | null = null;
  const watched = new Map<string, { kind: WatchKind; id: Id }>();

  const sendFrame = (socket: Socket, frame: object): void => socket.send(JSON.stringify(frame));

  function drop(connection: Connection, code = NORMAL): void {
    const { socket } = connection;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    if (current === connection) current = null;
    socket.close(code);
    connection.fail(refused("closed", "the status socket was closed"));
  }

  /** Handles a frame after the welcome. */
  function handle(connection: Connection, frame: ServerFrame): void {
    switch (frame.t) {
      case "status":
        inputs.statusReceived(withoutPersonal(frame.status));
        break;
      case "ping":
        sendFrame(connection.socket, { t: "pong" });
        inputs.pinged();
        break;
      case "drain":
        inputs.drainAsked(frame.window_ms);
        break;
      // The close event that follows has the details.
      case "error":
      case "welcome":
        break;
      default:
        exhaustive(frame);
    }
  }

  function welcomed(connection: Connection, welcome: Welcome): Welcome {
    connection.isWelcomed = true;
    for (const { kind, id } of watched.values()) sendFrame(connection.socket, { t: "watch", kind, id });
    const { snapshot } = welcome;
    return snapshot === undefined ? welcome : { ...welcome, snapshot: snapshot.map((it) => withoutPersonal(it)) };
  }

  async function connect(resume: ResumePosition | null, signal: AbortSignal): Promise<Welcome> {
    const api_key = await apiKey();
    signal.throwIfAborted();
    if (current) drop(current);
    return new Promise((resolve, reject) => {
      const connection: Connection = { socket: open(), isWelcomed: false, fail: reject };
      const { socket } = connection;
      let refusal = refused("network", "the status socket could not be opened");
      current = connection;
      signal.addEventListener("abort", () => !connection.isWelcomed && drop(connection), { once: true });

      socket.onopen = () =>
        sendFrame(socket, { t: "hello", v: VERSION, api_key, ...(resume === null ? {} : { resume }) });
      socket.onmessage = ({ data }) => {
        const frame = readFrame(data);
        if (frame === null) {
          reject(refused("bad_frame", "the status socket used another protocol"));
          drop(connection, BAD_FRAME);
          if (connection.isWelcomed) inputs.closed(BAD_FRAME);
        } else if (connection.isWelcomed) handle(connection, frame);
        else if (frame.t === "welcome") resolve(welcomed(connection, frame.welcome));
        else if (frame.t === "error") refusal = refused(frame.code, frame.message);
        else if (frame.t === "ping") sendFrame(socket, { t: "pong" });
      };
      socket.onclose = ({ code }) => {
        if (current === connection) current = null;
        if (code === KEY) keyRefused(api_key);
        if (connection.isWelcomed) inputs.closed(code);
        else reject(refusal);
      };
    });
  }

  const change = (t: "watch" | "unwatch", kind: WatchKind, id: Id): void => {
    if (t === "watch") watched.set(`${kind}/${id}`, { kind, id });
    else watched.delete(`${kind}/${id}`);
    if (current?.isWelcomed) sendFrame(current.socket, { t, kind, id });
  };

  return {
    connect,
    close: () => {
      if (current) drop(current);
    },
    watch: (kind, id) => change("watch", kind, id),
    unwatch: (kind, id) => change("unwatch", kind, id),
  };
}
