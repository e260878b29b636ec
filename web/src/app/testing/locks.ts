import type { Exclusive } from "../../api";

interface Waiting {
  readonly tab: object;
  begin(): void;
}

/** The Web Locks of one browser: a tab that is gone leaves what it held, and waits for nothing. */
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
}
