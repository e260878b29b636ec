import { onAbsentMove } from "../machines/machine";
import type { RootState } from "../slices";
import { selectCrashes } from "../slices/supervisor";

/** A defect of the site: a fact that a machine doesn't expect, or a crashed process. */
export class Defect extends Error {
  override readonly name = "Defect";
}

export interface DefectSource {
  /** Subscribes to every store from its start. */
  readonly subscribe: (listener: () => void) => void;
  readonly state: () => RootState;
}

export interface Defects {
  /** Observes the processes of a store. */
  watch(store: DefectSource): void;
}

/** Reports each of the page's defects once: a repeated one adds nothing, and could come with every tick. */
export function collectDefects(onDefect: (defect: Defect) => void): Defects {
  const reported = new Set<string>();
  function report(message: string): void {
    if (reported.has(message)) return;
    reported.add(message);
    onDefect(new Defect(message));
  }
  onAbsentMove(({ message }) => report(message));
  return {
    watch({ subscribe, state }) {
      let before: ReturnType<typeof selectCrashes> = {};
      const check = (): void => {
        const crashes = selectCrashes(state());
        if (crashes === before) return;
        before = crashes;
        for (const [saga, { message }] of Object.entries(crashes)) report(`${saga} crashed: ${message}`);
      };
      subscribe(check);
      check();
    },
  };
}
