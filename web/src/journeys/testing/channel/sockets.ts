import type { SoldEvent } from "./catalogue";
import type { Person } from "./people";
import { presentEvent } from "./presenter";
import type { State } from "./state";

/** The subset of WebSocket that a page uses. */
export interface PageSocket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

interface Member {
  readonly socket: PageSocket;
  person: Person | null;
  welcomed: boolean;
}

const KEY_REFUSED = 4401;
const PING_MS = 1_000_000;

/** The status socket (sync protocol v1): a welcome with all the viewer's resources, then each change. */
export class StatusSockets {
  private members: Member[] = [];
  private seq = 0;
  private channelSeq = 0;
  /** Every pushed status with its user. */
  private readonly pushed: { readonly person: Person; readonly status: object }[] = [];
  /** Whether a socket can be opened. */
  reachable = true;
  /** Whether nothing passes, in either direction, on open and new sockets. */
  silent = false;

  constructor(private readonly state: State) {
    state.orders.changed = (person, order) => this.push(person, this.status("order", order));
    state.clipChanged = (person, clip) => this.push(person, this.status("clip", clip));
  }

  /** A page opens a socket. */
  open(socket: PageSocket): { send(text: string): void; close(): void } {
    const member: Member = { socket, person: null, welcomed: false };
    setTimeout(() => {
      if (this.silent) return;
      if (!this.reachable) return socket.onclose?.({ code: 1006 });
      this.members.push(member);
      socket.onopen?.();
    });
    return {
      send: (text) => this.receive(member, JSON.parse(text)),
      close: () => {
        this.members = this.members.filter((one) => one !== member);
      },
    };
  }

  /** Breaks every socket; new ones open if `reachable`. */
  drop(code = 1006): void {
    const broken = this.members;
    this.members = [];
    for (const { socket } of broken) socket.onclose?.({ code });
  }

  private receive(member: Member, frame: { t: string; api_key?: string }): void {
    if (this.silent) return;
    if (frame.t !== "hello") return;
    const person = this.state.people.keys.get(frame.api_key ?? "");
    if (person === undefined) {
      this.members = this.members.filter((one) => one !== member);
      setTimeout(() => member.socket.onclose?.({ code: KEY_REFUSED }));
      return;
    }
    member.person = person;
    member.welcomed = true;
    const snapshot = [
      ...this.state.orders.of(person).map((order) => this.status("order", order)),
      ...(person?.clips ?? []).map((clip) => this.status("clip", clip)),
    ];
    this.send(member, {
      t: "welcome",
      epoch: "epoch-1",
      ...(person && { user_seq: this.seq }),
      channel_seq: this.channelSeq,
      mode: "snapshot",
      snapshot,
      ping_ms: PING_MS,
    });
  }

  private status(kind: string, state: { id: number; version: number }) {
    return { stream: "user", kind, id: state.id, version: state.version, state };
  }

  private push(person: Person, status: object): void {
    this.pushed.push({ person, status: structuredClone(status) });
    this.tell(person, status);
  }

  /** Sends every status again, like a late or repeating upstream. */
  repeatPushed(): void {
    for (const { person, status } of [...this.pushed]) this.tell(person, status);
  }

  /** Pushes the status of an event to everyone, as the worker does when it changes. */
  announce(event: SoldEvent): void {
    event.version += 1;
    this.channelSeq += 1;
    const state = presentEvent({ state: this.state, person: null }, event);
    const status = { stream: "channel", kind: "event", id: event.id, version: event.version, state };
    for (const member of this.members)
      if (member.welcomed) this.send(member, { t: "status", seq: this.channelSeq, ...status });
  }

  private tell(person: Person, status: object): void {
    this.seq += 1;
    for (const member of this.members)
      if (member.person === person && member.welcomed) this.send(member, { t: "status", seq: this.seq, ...status });
  }

  private send(member: Member, frame: object): void {
    if (this.silent) return;
    const data = JSON.stringify(frame);
    setTimeout(() => this.members.includes(member) && member.socket.onmessage?.({ data }));
  }
}

/** The `WebSocket` of a page of a channel. */
export const socketOf = ({ sockets }: { readonly sockets: StatusSockets }) =>
  class implements PageSocket {
    onopen: PageSocket["onopen"] = null;
    onmessage: PageSocket["onmessage"] = null;
    onclose: PageSocket["onclose"] = null;
    private readonly end = sockets.open(this);
    send(text: string): void {
      this.end.send(text);
    }
    close(): void {
      this.end.close();
    }
  };
