import type { Exclusive } from "../../api";

interface Waiting {
  readonly tab: object;
  begin(): void;
  /** Another page stole it. */
  stolen?(): void;
}

/** The Web Locks of one browser: a closed tab releases its locks and waits for none. */
export class Locks {
  private readonly held = new Map<string, Waiting>();
  private readonly waiting = new Map<string, Waiting[]>();

  of(tab: object): (name: string) => Exclusive {
    return (name) => (work) =>
      new Promise((resolve, reject) => {
        const self: Waiting = {
          tab,
          begin: () => {
            work()
              .then(resolve, reject)
              .finally(() => this.leave(name, self));
          },
        };
        this.waiting.set(name, [...(this.waiting.get(name) ?? []), self]);
        this.next(name);
      });
  }

  gone(tab: object): void {
    for (const [name, all] of this.waiting)
      this.waiting.set(
        name,
        all.filter((waiting) => waiting.tab !== tab),
      );
    for (const [name, holder] of this.held) if (holder.tab === tab) this.leave(name, holder);
  }

  private leave(name: string, self: Waiting): void {
    if (this.held.get(name) !== self) return;
    this.held.delete(name);
    this.next(name);
  }

  private next(name: string): void {
    const [first, ...others] = this.waiting.get(name) ?? [];
    if (first === undefined || this.held.has(name)) return;
    this.waiting.set(name, others);
    this.held.set(name, first);
    first.begin();
  }

  /** The same locks from one page's view. */
  managerOf(tab: { isFrozen: boolean; late: (() => void)[] }): Pick<LockManager, "request" | "query"> {
    type Work = (lock: Lock | null) => unknown;
    const request = (name: string, ...args: [Work] | [LockOptions, Work]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const work = args.at(-1) as Work;
        const options = args.length === 2 ? args[0] : {};
        if (options.ifAvailable && (this.held.has(name) || (this.waiting.get(name) ?? []).length > 0))
          return resolve(work(null));
        if (options.steal) this.take(name);
        const self: Waiting = {
          tab,
          begin: () =>
            whenAwake(tab, () => {
              Promise.resolve(work({ name, mode: "exclusive" }))
                .then(resolve, reject)
                .finally(() => this.leave(name, self));
            }),
          stolen: () => whenAwake(tab, () => reject(new DOMException("stolen", "AbortError"))),
        };
        options.signal?.addEventListener("abort", () => {
          this.waiting.set(
            name,
            (this.waiting.get(name) ?? []).filter((other) => other !== self),
          );
          reject(options.signal?.reason);
        });
        const line = this.waiting.get(name) ?? [];
        this.waiting.set(name, options.steal ? [self, ...line] : [...line, self]);
        this.next(name);
      });
    const query = async (): Promise<LockManagerSnapshot> => ({ held: [...this.held.keys()].map((name) => ({ name })) });
    return { request: request as LockManager["request"], query };
  }

  /** Takes a lock from a page, for the first in the queue. */
  steal(tab: object): void {
    for (const [name, holder] of this.held)
      if (holder.tab === tab && holder.stolen) {
        this.take(name);
        this.next(name);
      }
  }

  private take(name: string): void {
    const holder = this.held.get(name);
    this.held.delete(name);
    holder?.stolen?.();
  }
}

/** A frozen page learns of it once it thaws. */
function whenAwake(tab: { isFrozen: boolean; late: (() => void)[] }, run: () => void): void {
  if (tab.isFrozen) tab.late.push(run);
  else run();
}
