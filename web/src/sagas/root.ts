import { type SagaGenerator, spawn } from "typed-redux-saga";
import { accountSaga } from "./account";
import { analyticsSaga } from "./analytics";
import { analyticsSessionSaga } from "./analyticsSession";
import { authSaga } from "./auth";
import { autoRenewSaga } from "./autoRenew";
import { checkoutSaga } from "./checkout";
import { clipSaga } from "./clip";
import { connectionSaga } from "./connection";
import { favouritesSaga } from "./favourites";
import { formSaga } from "./form";
import { analyticsOutboxSaga, outboxSaga } from "./outbox";
import { preferencesSaga } from "./preferences";
import { prerollSaga } from "./preroll";
import { purchaseSaga } from "./purchase";
import { queriesSaga } from "./queries";
import { startupSaga } from "./startup";
import { type Process, supervise } from "./supervise";
import { tagManagerSaga } from "./tagManager";
import { toastSaga } from "./toast";
import { viewerSaga } from "./viewer";

/** Every process of a page. Listeners stand before start-up, so that nothing it tells is missed. */
const processes: readonly (readonly [name: string, process: Process])[] = [
  ["toast", toastSaga],
  ["preferences", preferencesSaga],
  ["queries", queriesSaga],
  ["outbox", outboxSaga],
  ["analyticsOutbox", analyticsOutboxSaga],
  ["analytics", analyticsSaga],
  ["analyticsSession", analyticsSessionSaga],
  ["tagManager", tagManagerSaga],
  ["auth", authSaga],
  ["viewer", viewerSaga],
  ["form", formSaga],
  ["favourites", favouritesSaga],
  ["checkout", checkoutSaga],
  ["purchase", purchaseSaga],
  ["autoRenew", autoRenewSaga],
  ["clip", clipSaga],
  ["preroll", prerollSaga],
  ["account", accountSaga],
  ["connection", connectionSaga],
  ["startup", startupSaga],
];

/** Runs every process under its supervisor: one that crashes takes no other with it. */
export function* rootSaga(): SagaGenerator<void> {
  for (const [name, process] of processes) yield* spawn(supervise, name, process);
}
