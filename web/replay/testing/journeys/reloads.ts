import { createVirtualTime } from "../../../src/eventlog/testing/virtual-time";
import { analyticsActions } from "../../../src/slices/analytics";
import { authActions } from "../../../src/slices/auth";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import type { RootState } from "../../../src/slices/index";
import { loginActions } from "../../../src/slices/login";
import { startupActions } from "../../../src/slices/startup";
import { beginVisit, type Visit, type VisitSetup } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives } from "./actions";

/** The page after one that was left in `snapshot`. */
async function comesBack(snapshot: RootState, setup: VisitSetup): Promise<Visit> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 72, latency: [200, 400], ...setup, snapshot });
  await arrives(visit);
  await visit.passes(3_000);
  return visit;
}

/** Reloaded during a login that the worker had accepted. */
export async function reloadedLogin(): Promise<string> {
  const before = beginVisit({ seed: 71, user: null });
  await arrives(before);
  before.worker.silence("api.login");
  before.does(loginActions.submitted({ way: "login", handle: "form-1" }));
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}

/** Reloaded during a logout. */
export async function reloadedLogout(): Promise<string> {
  const before = beginVisit({ seed: 73, user: PERSON });
  await arrives(before);
  before.worker.silence("api.logout");
  before.does(authActions.logoutPressed());
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}

/** Reloaded on the error screen before its minute is over. */
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

/** Reloaded while a renewal was being cancelled. */
export async function reloadedRenewal(): Promise<string> {
  const before = beginVisit({ seed: 75, user: PERSON });
  await arrives(before);
  before.worker.silence("api.unsubscribe");
  before.does(autoRenewActions.cancelPressed({ key: "1" }));
  await before.passes(500);
  return (await comesBack(before.state(), { user: PERSON })).log();
}

const DAY = 24 * 3_600_000;

/**
 * A page a day later, of a viewer who refused recording and came by a link with a tracking value: they are in another
 * country now. Then one after that value has expired.
 */
export async function reloadedElsewhere(days: number): Promise<string> {
  const before = beginVisit({ seed: 76, user: PERSON });
  await arrives(before);
  before.opens("/vod_library?trk=mail-7");
  before.does(analyticsActions.consentRefused());
  await before.passes(1_000);
  const canada = { country: "Canada", country_code: "CA", is_geo_blocked: false };
  const meddle = (method: string, answer: () => unknown): unknown => (method === "api.getGeo" ? canada : answer());
  const visit = await comesBack(before.state(), { user: PERSON, clockError: () => days * DAY, override: meddle });
  return visit.log();
}

/** One part of start-up fails while another is still loading. */
export async function startupPartFails(): Promise<string> {
  const time = createVirtualTime();
  const slowly = (method: string, answer: () => unknown): unknown =>
    method === "api.getBootstrap" ? new Promise((resolve) => time.at(15_000, () => resolve(answer()))) : answer();
  const visit = beginVisit({ checkpointEvery: 1, seed: 77, time, override: slowly });
  visit.worker.fail("api.getParticipants", failures.down, 4);
  await visit.passes(20_000);
  await arrives(visit);
  return visit.log();
}

/** A login submitted during a logout waits for its end. */
export async function loginBehindLogout(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 78, user: PERSON, latency: [200, 300] });
  await arrives(visit);
  visit.does(authActions.logoutPressed());
  await visit.passes(50);
  visit.does(loginActions.submitted({ way: "login", handle: "form-1" }));
  await visit.passes(3_000);
  return visit.log();
}
