import { analyticsSession } from "../../../src/machines/analyticsSession";
import { auth } from "../../../src/machines/auth";
import { autoRenew } from "../../../src/machines/autoRenew";
import { clip } from "../../../src/machines/clip";
import { connection } from "../../../src/machines/connection";
import { form } from "../../../src/machines/form";
import { analyticsOutboxRun, outboxItem, outboxRun } from "../../../src/machines/outbox";
import { preroll } from "../../../src/machines/preroll";
import { purchase } from "../../../src/machines/purchase";
import { startup } from "../../../src/machines/startup";

/** A machine's table, as used here. */
export interface AnyTable {
  readonly name: string;
  readonly initial: { readonly at: string };
  readonly table: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Every machine of the product. */
export const tables = [
  analyticsOutboxRun,
  analyticsSession,
  auth,
  autoRenew,
  clip,
  connection,
  form,
  outboxItem,
  outboxRun,
  preroll,
  purchase,
  startup,
] as unknown as readonly AnyTable[];
