import { channelClock } from "./clock";
import { type Person, profileOf } from "./people";
import { DONE, notFound, type Operations, personOf, type Request, refuse } from "./request";

// Accounts: signing in and out, the profile, mailed links, devices.

const WRONG_LOGIN = "Invalid email or password. Please try again.";
const EMAIL_REGISTERED = "The email address you have entered is already registered.";

/** A session under a new key, which replaces the sent one. */
function session({ state, key }: Request, person: Person) {
  return { api_key: state.people.issueKey(person, key), user: profileOf(person) };
}

function login(request: Request) {
  const { body, state, person } = request;
  if (person) refuse(400, "already_logged_in", "You are already logged in.");
  const found = state.people.byEmail(body.email);
  if (found?.password !== body.password) refuse(400, "wrong_login", WRONG_LOGIN);
  return session(request, found as Person);
}

function register(request: Request) {
  const { body, state } = request;
  if (state.people.byEmail(body.email)) refuse(400, "email_taken", EMAIL_REGISTERED, "email");
  const { email, password, first_name, last_name } = body;
  const person = state.people.add({ email, password, first_name, last_name });
  state.people.mailLink("verify-email", person, "Confirm your email address");
  return session(request, person);
}

function verifyEmail({ state, body }: Request) {
  const opened = state.people.openLink("verify-email", body);
  if (opened === "used") refuse(400, "already_verified", "Email already verified.");
  if (opened === "nobody") refuse(400, "user_not_found", "User not found.");
  if (opened === "forged" || opened === "expired") refuse(400, "verification_failed", "Verification failed.");
  const { person, email } = opened as Exclude<typeof opened, string>;
  if (email !== person.email) {
    state.people.mail.push({ to: person.email, subject: "Your email address was changed", link: null });
    person.email = email;
  }
  person.email_verified = true;
  return DONE;
}

function resetPassword({ state, body }: Request) {
  const opened = state.people.openLink("password-reset", body);
  if (opened === "expired" || opened === "used") refuse(400, "reset_expired", "Reset password key expired.");
  if (typeof opened === "string") refuse(400, "reset_failed", "Reset password failed.");
  const { person } = opened as Exclude<typeof opened, string>;
  person.password = body.password;
  return DONE;
}

function updateProfile(request: Request) {
  const person = personOf(request);
  const { body, state } = request;
  const changesLogin = (body.email && body.email !== person.email) || body.password;
  if (changesLogin && body.current_password !== person.password)
    refuse(400, "wrong_password", "Wrong password.", "current_password");
  for (const name of ["first_name", "last_name", "phone"] as const)
    if (typeof body[name] === "string") person[name] = body[name];
  if (body.email && body.email !== person.email)
    state.people.mailLink("verify-email", person, "Confirm your new email address", body.email);
  if (body.password) {
    person.password = body.password;
    person.temporary_password = false;
  }
  return profileOf(person);
}

function addSession(request: Request) {
  const { state, body } = request;
  const person = personOf(request);
  if (body.code.length <= 5) refuse(400, "validation", "Field length must be greater than 5.", "code");
  const key = state.people.codes.get(body.code);
  if (key === undefined) return refuse(400, "wrong_code", "request cancelled code.", "code");
  state.people.codes.delete(body.code);
  state.people.attach(key, person, "Television");
  return presentDevice(person.devices.at(-1) ?? notFound(), request.key);
}

const presentDevice = ({ key, ...device }: Person["devices"][number], current: string) => ({
  ...device,
  current: key === current,
});

export const account: Operations = {
  "POST /api/v2/auth/login": login,
  "POST /api/v2/auth/register": register,
  // The demo has no social login.
  "POST /api/v2/auth/social/{provider}": notFound,
  "POST /api/auth/logout": ({ state, key }) => {
    state.people.revoke(key);
    return DONE;
  },
  "POST /api/auth/email-verify": verifyEmail,
  "POST /api/auth/email-verify-request": (request) => {
    request.state.people.mailLink("verify-email", personOf(request), "Confirm your email address");
    return DONE;
  },
  "POST /api/auth/password-reset-request": ({ state, body }) => {
    const person = state.people.byEmail(body.email);
    if (person) state.people.mailLink("password-reset", person, "Reset your password");
    return DONE;
  },
  "POST /api/auth/password-reset": resetPassword,
  "POST /api/auth/session_code": ({ state }) => {
    const code = `TV${String(1_000 + state.nextId())}`;
    const api_key = state.people.issueKey(null);
    state.people.codes.set(code, api_key);
    return { code, api_key, expires: Math.floor(channelClock.now() / 1_000) + 600 };
  },
  "POST /api/auth/add_session": addSession,
  "GET /api/auth/sessions": (request) => personOf(request).devices.map((device) => presentDevice(device, request.key)),
  "DELETE /api/auth/sessions/{id}": (request) => {
    const { devices } = personOf(request);
    request.state.people.revoke(devices.find(({ id }) => id === Number(request.params.id))?.key ?? notFound());
    return DONE;
  },
  "GET /api/auth/linked_logins": (request) => personOf(request).logins,
  "DELETE /api/auth/linked_logins/{provider}": (request) => {
    const person = personOf(request);
    person.logins = person.logins.filter(({ provider }) => provider !== request.params.provider);
    return DONE;
  },
  "POST /api/delete-account": (request) => {
    request.state.people.mailLink("confirm-account-deletion", personOf(request), "Delete your account");
    return DONE;
  },
  "POST /api/delete-account-confirm": ({ state, body }) => {
    const opened = state.people.openLink("confirm-account-deletion", body);
    if (typeof opened === "string") return refuse(400, "verification_failed", "Verification failed.");
    state.people.remove(opened.person);
    return DONE;
  },
  "GET /api/profile": (request) => profileOf(personOf(request)),
  "POST /api/profile": updateProfile,
  "GET /api/user/access": (request) => {
    const { capabilities } = personOf(request);
    const owned = request.state.orders.owned(request.person);
    const bought = (type: string): number[] => owned.filter((it) => it.type === type).map(({ product }) => product.id);
    return {
      watch: capabilities.includes("watch"),
      download: capabilities.includes("download"),
      clipping: capabilities.includes("clipping"),
      download_clip: capabilities.includes("download_clip"),
      no_ads: capabilities.includes("no_ads"),
      vod_media_access: capabilities.includes("vod_media"),
      events: bought("event"),
      event_categories: [],
      participants: owned.flatMap(({ product }) => product.participant_id ?? []),
      subscribed: bought("subscription").length > 0,
    };
  },
};
