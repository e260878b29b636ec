import { type SagaGenerator, spawn } from "typed-redux-saga";
import { accountSaga, clipDeletionSaga } from "./account";
import { analyticsSaga } from "./analytics";
import { analyticsSessionSaga } from "./analyticsSession";
import { authSaga } from "./auth";
import { autoRenewSaga } from "./autoRenew";
import { checkoutSaga } from "./checkout";
import { clipFormSaga, clipSaga } from "./clip";
import { connectionSaga } from "./connection";
import { favouritesSaga } from "./favourites";
import { formSaga } from "./form";
import { intentsSaga, leaderSaga } from "./leader";
import { loginSaga } from "./login";
import { analyticsOutboxSaga, outboxSaga } from "./outbox";
import { bankSaga, paySaga } from "./pay";
import { positionsSaga } from "./positions";
import { preferencesSaga } from "./preferences";
import { prerollSaga } from "./preroll";
import { purchaseSaga } from "./purchase";
import { queriesSaga } from "./queries";
import { startupSaga } from "./startup";
import { type Process, supervise } from "./supervise";
import { tagManagerSaga } from "./tagManager";
import { toastSaga } from "./toast";
import { viewerSaga } from "./viewer";

/** Processes of every page. Listeners come before start-up, so that they miss none of its actions. */
const pageProcesses: readonly (readonly [name: string, process: Process])[] = [
  ["toast", toastSaga],
  ["preferences", preferencesSaga],
  ["queries", queriesSaga],
  ["analytics", analyticsSaga],
  ["tagManager", tagManagerSaga],
  ["login", loginSaga],
  ["form", formSaga],
  ["favourites", favouritesSaga],
  ["checkout", checkoutSaga],
  ["pay", paySaga],
  ["bank", bankSaga],
  ["clipForm", clipFormSaga],
  ["preroll", prerollSaga],
  ["account", accountSaga],
];

/** Processes that the leader runs for the viewer. */
const leaderProcesses: readonly (readonly [name: string, process: Process])[] = [
  ["outbox", outboxSaga],
  ["analyticsOutbox", analyticsOutboxSaga],
  ["analyticsSession", analyticsSessionSaga],
  ["auth", authSaga],
  ["viewer", viewerSaga],
  ["purchase", purchaseSaga],
  ["autoRenew", autoRenewSaga],
  ["clip", clipSaga],
  ["positions", positionsSaga],
  ["clipDeletion", clipDeletionSaga],
  ["connection", connectionSaga],
  ["intents", intentsSaga],
];

/** Runs every process under its supervisor, so that a crash affects no other process. */
export function* rootSaga(): SagaGenerator<void> {
  for (const [name, process] of pageProcesses) yield* spawn(supervise, name, process);
  yield* spawn(supervise, "leader", leaderSaga(leaderProcesses));
  yield* spawn(supervise, "startup", startupSaga);
}
