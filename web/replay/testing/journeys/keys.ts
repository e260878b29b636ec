import { customerPortalPressed } from "../../../src/slices/account";
import { authActions } from "../../../src/slices/auth";
import { deviceActions } from "../../../src/slices/devices";
import { errorScreenActions, throttled } from "../../../src/slices/errorScreen";
import { formActions } from "../../../src/slices/form";
import { loginActions } from "../../../src/slices/login";
import { queryActions } from "../../../src/slices/queries";
import { startupActions } from "../../../src/slices/startup";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, logsIn, reads } from "./actions";

/** The key in this browser expired: the port clears it, the viewer is logged out, the site opens anonymously. */
export async function startupKeyExpired(): Promise<string> {
  const before = beginVisit({ seed: 21, user: PERSON });
  await arrives(before);
  const visit = beginVisit({ seed: 22, user: PERSON, snapshot: before.state() });
  visit.worker.fail("api.getProfile", failures.unauthenticated);
  await visit.passes(180);
  visit.worker.user = null;
  visit.input("api", authActions.reset({ reason: "api_key" }));
  visit.opens("/", reads.rails, reads.geo);
  await visit.passes(6_000);
  await logsIn(visit);
  return visit.log();
}

/** Neither key is available at first: the error screen counts down, and its button tries again. */
export async function startupKeyFails(): Promise<string> {
  const visit = beginVisit({ seed: 23 });
  visit.worker.fail("api.getChannelKey", failures.channelKey);
  visit.worker.fail("api.getApiKey", failures.down);
  visit.does(startupActions.reloadPressed());
  await visit.passes(600);
  visit.does(startupActions.reloadPressed());
  await visit.passes(61_000);
  visit.does(startupActions.reloadPressed());
  await visit.passes(400);
  visit.input("api", startupActions.wentStale());
  visit.does(startupActions.reloadPressed());
  await visit.passes(62_000);
  visit.does(startupActions.reloadPressed());
  await visit.passes(330);
  visit.does(startupActions.reloadPressed());
  await visit.passes(120);
  visit.input("api", startupActions.wentStale());
  visit.does(startupActions.reloadPressed());
  await visit.passes(3_000);
  visit.does(startupActions.reloadPressed());
  visit.opens("/", reads.rails);
  await visit.passes(2_000);
  return visit.log();
}

/** Opened without a network from stored data: visible at once and marked as stale, then refreshed. */
export async function startupOffline(): Promise<string> {
  const before = beginVisit({ seed: 24, user: PERSON });
  await arrives(before);
  const visit = beginVisit({ seed: 25, user: PERSON, snapshot: before.state(), clockError: () => 3_600_000 });
  visit.goesOffline();
  await visit.passes(1_000);
  visit.opens("/", reads.rails, reads.geo);
  await visit.passes(40_000);
  visit.comesOnline();
  await visit.passes(8_000);
  visit.input("api", throttled({ retry_after_ms: 2_000 }));
  visit.input("api", throttled({ retry_after_ms: 2_000 }));
  await visit.passes(6_000);
  visit.worker.fail("api.getEvent", failures.down, 3);
  visit.opens("/watch/1", reads.event(1));
  await visit.passes(2_000);
  visit.input(
    "api",
    errorScreenActions.raised({ message: failures.down.message, status: 503, request_id: "0195c000-0000-7000" }),
  );
  await visit.passes(4_000);
  visit.does(errorScreenActions.cleared());
  await visit.passes(1_000);
  return visit.log();
}

/** A temporary password: only the profile's form until it is changed; then the viewer logs out. */
export async function authTemporaryPassword(): Promise<string> {
  const visit = beginVisit({ seed: 26 });
  const { worker } = visit;
  worker.nextUser = { ...PERSON, id: 8, temporary_password: true };
  await arrives(visit);
  worker.fail("api.login", {
    code: "wrong_login",
    message: "Invalid email or password. Please try again.",
    status: 400,
    errors: { password: ["Invalid email or password. Please try again."] },
  });
  await logsIn(visit);
  visit.does(loginActions.refusalSeen(), authActions.logoutPressed());
  await visit.passes(4_000);
  await logsIn(visit);
  visit.opens("/profile/edit");
  await visit.passes(5_000);
  worker.fail("api.updateProfile", { code: "validation", message: "The password is too short.", status: 400 });
  visit.does(
    formActions.submitted({ key: "profile", handle: "form-3" }),
    formActions.submitted({ key: "profile", handle: "form-3" }),
  );
  visit.does(formActions.left({ key: "profile" }));
  await visit.passes(3_000);
  visit.does(formActions.submitted({ key: "profile", handle: "form-4" }));
  await visit.passes(3_000);
  visit.does(formActions.left({ key: "profile" }), formActions.left({ key: "profile" }));
  visit.opens("/profile/sessions/add", reads.sessions);
  visit.does(formActions.submitted({ key: "addSession", handle: "form-5" }));
  await visit.passes(2_000);
  visit.does(authActions.logoutPressed(), authActions.logoutPressed());
  await visit.passes(2_000);
  return visit.log();
}

/** Mailed links and their forms; a social login; the account is deleted. */
export async function authLinks(): Promise<string> {
  const visit = beginVisit({ seed: 27, user: null });
  const { worker } = visit;
  await arrives(visit);
  visit.opens("/password-reset-request");
  visit.does(formActions.submitted({ key: "passwordResetRequest", handle: "form-1" }));
  await visit.passes(2_000);
  visit.opens("/password-reset?email=x&signature=y&expires=1");
  worker.fail("api.resetPassword", { code: "expired", message: "Reset password key expired.", status: 400 });
  visit.does(formActions.submitted({ key: "passwordReset", handle: "form-2" }));
  await visit.passes(2_000);
  visit.does(formActions.submitted({ key: "passwordReset", handle: "form-3" }));
  await visit.passes(2_000);
  visit.opens("/auth/login/google/callback?code=c&state=s");
  visit.does(loginActions.submitted({ way: "social", provider: "google", handle: "form-4" }));
  visit.does(loginActions.submitted({ way: "social", provider: "google", handle: "form-4" }));
  visit.does(loginActions.refusalSeen(), authActions.logoutPressed());
  visit.input("api", authActions.reset({ reason: "api_key" }));
  await visit.passes(2_000);
  visit.opens("/verify-email?email=x&signature=y&expires=1");
  visit.does(formActions.submitted({ key: "verifyEmail", handle: "form-5" }));
  await visit.passes(2_000);
  visit.does(loginActions.submitted({ way: "login", handle: "form-6" }), loginActions.refusalSeen());
  visit.opens("/confirm-account-deletion?email=x&signature=y&expires=1");
  visit.does(formActions.submitted({ key: "confirmDeletion", handle: "form-7" }));
  await visit.passes(2_000);
  visit.input("api", authActions.reset({ reason: "unauthenticated" }));
  visit.opens("/");
  await visit.passes(2_000);
  return visit.log();
}

/** The account's pages: invoices, devices, a list that failed and is retried, one that is left before it loads. */
export async function account(): Promise<string> {
  const visit = beginVisit({ seed: 28, user: PERSON, latency: [300, 600] });
  const { worker } = visit;
  await arrives(visit);
  worker.fail("api.getCustomerPortal", failures.down);
  visit.opens("/profile/sessions/add", reads.sessions);
  await visit.passes(2_000);
  visit.does(customerPortalPressed(), customerPortalPressed());
  await visit.passes(1_500);
  visit.does(customerPortalPressed());
  await visit.passes(1_500);
  worker.fail("api.revokeSession", { code: "not_found", message: "Not found.", status: 404 });
  visit.does(deviceActions.revokePressed({ id: 2 }));
  await visit.passes(1_500);
  visit.does(deviceActions.revokePressed({ id: 2 }));
  await visit.passes(1_500);
  worker.fail("api.listOrders", failures.down);
  visit.opens("/profile/transactions", reads.orders);
  await visit.passes(1_500);
  visit.does(queryActions.retryPressed(reads.orders), queryActions.retryPressed(reads.orders));
  await visit.passes(1_500);
  visit.opens("/profile/clips", reads.clips);
  // Used by two components, dropped by one, then by both before the answer.
  visit.does(queryActions.wanted(reads.favourites), queryActions.wanted(reads.favourites));
  visit.does(queryActions.left(reads.favourites));
  await visit.passes(100);
  visit.opens("/", reads.rails);
  visit.does(queryActions.left(reads.favourites));
  await visit.passes(2_000);
  visit.does(queryActions.wanted(reads.favourites));
  await visit.passes(2_000);
  visit.does(queryActions.left(reads.favourites));
  await visit.passes(500);
  return visit.log();
}
