import { analyticsSession } from "./analyticsSession";
import { auth } from "./auth";
import { autoRenew } from "./autoRenew";
import { clip } from "./clip";
import { connection } from "./connection";
import { form } from "./form";
import { login } from "./login";
import { analyticsOutboxRun, outboxItem, outboxRun } from "./outbox";
import { preroll } from "./preroll";
import { purchase } from "./purchase";
import { reachability } from "./reachability";
import { startup } from "./startup";

/** Every process, in the order in which a visit meets them. */
export const machines = [
  startup,
  reachability,
  connection,
  auth,
  login,
  form,
  purchase,
  autoRenew,
  clip,
  preroll,
  analyticsSession,
  outboxRun,
  analyticsOutboxRun,
  outboxItem,
] as const;
