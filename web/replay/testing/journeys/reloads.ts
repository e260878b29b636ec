import { authActions } from "../../../src/slices/auth";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import type { RootState } from "../../../src/slices/index";
import { loginActions } from "../../../src/slices/login";
import { startupActions } from "../../../src/slices/startup";
import { beginVisit, type Visit, type VisitSetup } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives } from "./acts";

/** The page after one that was left in `snapshot`. */
async function comesBack(snapshot: RootState, setup: VisitSetup): Promise<Visit> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 72, latency: [200, 400], ...setup, snapshot });
  await arrives(visit);
  await visit.passes(3_000);
  return visit;
}

/** Reloaded while a login was under way: the worker had let the viewer in. */
export async function reloadedLogin(): Promise<string> {
  const before = beginVisit({ seed: 71, user: null });
  await arrives(before);
  before.worker.silence("api.login");
  before.does(loginActions.submitted({ way: "login", handle: "form-1" }));
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}

/** Reloaded while a logout was under way. */
export async function reloadedLogout(): Promise<string> {
  const before = beginVisit({ seed: 73, user: PERSON });
  await arrives(before);
  before.worker.silence("api.logout");
  before.does(authActions.logoutPressed());
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}

/** Reloaded on the error screen, whose minute is not over. */
export async function reloadedKeyFailed(): Promise<string> {
  const before = beginVisit({ seed: 74 });
  before.worker.fail("api.getApiKey", failures.down, 9);
  await before.passes(20_000);
  // The same half a minute later.
  const visit = await comesBack(before.state(), { clockError: () => 30_000 });
  await visit.passes(40_000);
  visit.does(startupActions.reloadPressed());
  await visit.passes(3_000);
  return visit.log();
}

/** Reloaded while a renewal was being stopped. */
export async function reloadedRenewal(): Promise<string> {
  const before = beginVisit({ seed: 75, user: PERSON });
  await arrives(before);
  before.worker.silence("api.unsubscribe");
  before.does(autoRenewActions.cancelPressed({ key: "1" }));
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}
