import { analyticsSession } from "../machines/analyticsSession";
import { auth } from "../machines/auth";
import { autoRenew } from "../machines/autoRenew";
import { clip } from "../machines/clip";
import { connection } from "../machines/connection";
import { form } from "../machines/form";
import { login } from "../machines/login";
import type { State as MachineState } from "../machines/machine";
import { analyticsOutboxRun, outboxItem, outboxRun } from "../machines/outbox";
import { preroll } from "../machines/preroll";
import { purchase } from "../machines/purchase";
import { reachability } from "../machines/reachability";
import { startup } from "../machines/startup";
import { type RootState, rootReducer } from "./index";

type Check = (stored: unknown) => boolean;
type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a stored state is one of the machine's. */
const hasStateOf =
  ({ table }: { readonly table: object }): Check =>
  (stored) =>
    isFields(stored) &&
    typeof (stored as Partial<MachineState>).at === "string" &&
    Object.hasOwn(table, String(stored.at));

const each =
  (check: Check): Check =>
  (stored) =>
    isFields(stored) && Object.values(stored).every(check);

const runs = hasStateOf(outboxRun);
const isPending = hasStateOf(outboxItem);

const processes: { readonly [S in keyof RootState]?: Check } = {
  analyticsOutbox: hasStateOf(analyticsOutboxRun),
  analyticsSession: hasStateOf(analyticsSession),
  auth: hasStateOf(auth),
  autoRenew: each(hasStateOf(autoRenew)),
  clip: each(hasStateOf(clip)),
  connection: hasStateOf(connection),
  form: each(hasStateOf(form)),
  login: hasStateOf(login),
  outbox: (stored) =>
    isFields(stored) &&
    runs(stored.run) &&
    each((item) => isFields(item) && isPending(item.state))(stored.items) &&
    Array.isArray(stored.ended) &&
    typeof stored.endedAt === "number",
  preroll: hasStateOf(preroll),
  purchase: hasStateOf(purchase),
  reachability: hasStateOf(reachability),
  startup: hasStateOf(startup),
};

/** Whether a stored slice has its initial fields, of the same types. A field that is initially null may be anything. */
function fits(first: unknown, stored: unknown): boolean {
  if (first === null) return stored !== undefined;
  if (Array.isArray(first)) return Array.isArray(stored);
  if (!isFields(first)) return typeof stored === typeof first;
  return isFields(stored) && Object.entries(first).every(([name, value]) => fits(value, stored[name]));
}

/**
 * The slices of a stored state that this build can't use, because they are torn or foreign. A reducer or screen would
 * crash on them.
 */
export function invalidSlices(stored: Fields): string[] {
  const first = rootReducer(undefined, { type: "@@touchline/begun" });
  return Object.entries(stored).flatMap(([name, slice]) => {
    if (!Object.hasOwn(first, name)) return [];
    const of = name as keyof RootState;
    return (processes[of] ?? ((value) => fits(first[of], value)))(slice) ? [] : [name];
  });
}
