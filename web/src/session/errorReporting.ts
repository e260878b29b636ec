import { hearAbsentMoves } from "../machines/machine";
import type { RootState } from "../slices";
import { selectCrashes } from "../slices/supervisor";

/** A defect of the site itself: a fact that a machine does not expect, or a process that crashed. */
export class Defect extends Error {
  override readonly name = "Defect";
}

export interface DefectParts {
  /** Hears of every store from its beginning on. */
  readonly subscribe: (listener: () => void) => void;
  readonly state: () => RootState;
}

export interface Defects {
  /** Hears of what the processes of a store meet. */
  watch(store: DefectParts): void;
}

/** Tells of each defect of the page once: one that comes back says nothing new, and could come with every tick. */
export function collectDefects(tell: (defect: Defect) => void): Defects {
  const reported = new Set<string>();
  function hear(message: string): void {
    if (reported.has(message)) return;
    reported.add(message);
    tell(new Defect(message));
  }
  hearAbsentMoves(({ message }) => hear(message));
  return {
    watch({ subscribe, state }) {
      let before: ReturnType<typeof selectCrashes> = {};
      const look = (): void => {
        const crashes = selectCrashes(state());
        if (crashes === before) return;
        before = crashes;
        for (const [saga, { message }] of Object.entries(crashes)) hear(`${saga} crashed: ${message}`);
      };
      subscribe(look);
      look();
    },
  };
}
