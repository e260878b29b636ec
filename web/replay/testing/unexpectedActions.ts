import { purchase } from "../../src/machines/purchase";
import { tables } from "./mutants/tables";
import type { Visit } from "./visit";
import { PERSON } from "./worker";

type At = { readonly at: string };

type MachineState = readonly [machine: string, state: string, key: string | null];

/** A state's machines by name, each with its key. */
function machinesOf(visit: Visit): readonly MachineState[] {
  const state = visit.state();
  const { auth, autoRenew, clip, connection, form, login, outbox, preroll, startup, analyticsSession } = state;
  const keyed = (name: string, all: Readonly<Record<string, At>>) =>
    Object.entries(all).map(([key, { at }]) => [name, at, key] as const);
  return [
    ["analyticsSession", analyticsSession.at, null],
    ["auth", auth.at, null],
    ["connection", connection.at, null],
    ["login", login.at, null],
    ["outbox", outbox.run.at, null],
    ["preroll", preroll.at, null],
    ["purchase", state.purchase.at, null],
    ["startup", startup.at, null],
    ...keyed("autoRenew", autoRenew),
    ...keyed("clip", clip),
    ...keyed("form", form),
  ];
}

// Payload fields that another slice than the machine's reads.
const PAYLOADS: Readonly<Record<string, object>> = {
  "auth/profileChanged": { user: PERSON },
  "auth/profileLoaded": { user: PERSON },
  "clip/seen": { clip_id: 0, status: "queued", version: 0 },
};
/** Facts that their machine ignores in these states, but a saga reacts to: a press that starts something. */
const HANDLED_BY_SAGAS: Readonly<Record<string, readonly string[]>> = {
  "auth/reset": ["anonymous"],
  "auth/profileWanted": ["authenticated", "mustChangePassword"],
  "autoRenew/cancelPressed": ["active", "failed"],
  "autoRenew/keepPressed": ["active", "finished", "keepFailed"],
  "clip/submitPressed": ["draft"],
  "connection/closed": ["live"],
  "connection/drainAsked": ["live"],
  "purchase/retryPressed": ["interrupted", "confirming"],
  "purchase/submitPressed": Object.keys(purchase.table),
};

/**
 * Sends every machine each fact that its table expects and ignores in its state: late answers, second presses, echoes
 * of a closed socket. A checkpoint after each proves that nothing changed.
 */
export function unexpectedActions(visit: Visit): void {
  for (const [machine, state, key] of machinesOf(visit)) {
    // A fact for another machine may have moved this one.
    const isMoved = (): boolean =>
      !machinesOf(visit).some(([name, at, its]) => name === machine && its === key && at === state);
    const row = tables.find(({ name }) => name === machine)?.table[state] ?? {};
    for (const [fact, cell] of Object.entries(row)) {
      const type = `${machine}/${fact}`;
      if (cell !== "ignore" || HANDLED_BY_SAGAS[type]?.includes(state) || isMoved()) continue;
      const payload = { ...PAYLOADS[type], ...(key === null ? {} : { key }) };
      visit.does({ type, payload });
    }
  }
}
