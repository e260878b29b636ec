// @vitest-environment jsdom
import { expect, vi } from "vitest";
import type { Fault } from "../testing/channel";
import { CARDS, journey, type Page, VERA } from "../testing/journey";

/** Scrolling, which jsdom lacks. */
const scrolling = vi.fn<() => void>();
const trackScrolling = (): void => {
  Element.prototype.scrollIntoView = scrolling;
};
/** The last element that the site scrolled into the window since the press. */
const scrolled = () => scrolling.mock.contexts.at(-1) as Element | undefined;

/** The elements that describe the focused control, or the focused alert. */
function focusedReasons(): Element[] {
  const { activeElement: focused } = document;
  if (focused?.getAttribute("aria-invalid") === "true" || focused?.getAttribute("data-invalid") === "true")
    return (focused.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .flatMap((id) => document.getElementById(id) ?? []);
  return [...(focused?.querySelectorAll(":scope > [role=alert]") ?? [])];
}

/** Waits until a viewer sees and hears the reason where they are: it is focused, and its element scrolled to. */
async function isRevealed(page: Page, reason: string | RegExp): Promise<void> {
  await page.browser.until(() => {
    const reasons = focusedReasons();
    const text = reasons.map(({ textContent }) => textContent).join(" ");
    if (typeof reason === "string" ? !text.includes(reason) : !reason.test(text))
      throw new Error(`"${text}" is focused, not ${reason}: ${page.main.text().slice(0, 500)}`);
    if (!reasons.every((one) => scrolled()?.contains(one))) throw new Error(`"${text}" was not scrolled to`);
  });
}

async function press(page: Page, button: string | RegExp): Promise<void> {
  (document.activeElement as HTMLElement | null)?.blur();
  scrolling.mockClear();
  await (page.dialog().isThere() ? page.dialog() : page.main).press(button);
}

const refusal = (status: number, errors: object = {}): Fault => ({
  status,
  body: { message: `Refused with ${status}.`, code: status === 400 ? "validation" : "refused", errors },
});
/** Each kind of failure of a call, with the text of its reason. */
const FAILURES: readonly (readonly [Fault, RegExp])[] = [
  [refusal(400), /Refused with 400\./],
  [refusal(403), /Refused with 403\./],
  [refusal(409), /Refused with 409\./],
  [refusal(422), /Refused with 422\./],
  [refusal(429), /\S/],
  [refusal(500), /\S/],
  [refusal(503), /\S/],
  [{ status: 200, body: "<p>Accept the terms of this network</p>" }, /\S/],
  ["away", /\S/],
  ["lost", /\S/],
  ["silent", /\S/],
];

interface Form {
  readonly button: string | RegExp;
  readonly operation: string;
  /** Labels of its fields, and valid values. */
  readonly values: readonly (readonly [string | RegExp, string])[];
  /** A field that the channel refuses. */
  readonly field?: string;
  /** The reason displayed for the empty form. */
  readonly empty?: string;
}

/** Walks one open form through each kind of refusal. */
async function walk(page: Page, { button, operation, values, field, empty }: Form): Promise<void> {
  trackScrolling();
  if (empty !== undefined) {
    await press(page, button);
    await isRevealed(page, empty);
    // The same reason again is revealed again.
    await press(page, button);
    await isRevealed(page, empty);
  }
  for (const [label, value] of values) await page.fill(label, value);
  if (field !== undefined) {
    page.channel.fail(operation, refusal(400, { [field]: ["This one is wrong."] }), 1);
    await press(page, button);
    await isRevealed(page, "This one is wrong.");
    page.channel.fail(operation, refusal(400, { unknown_field: ["Never displayed."] }), 1);
    await press(page, button);
    await isRevealed(page, "Refused with 400.");
  }
  for (const [fault, reason] of FAILURES) {
    page.channel.fail(operation, fault);
    await press(page, button);
    if (fault === "silent") await page.pass(65_000);
    await isRevealed(page, reason);
    page.channel.heal();
  }
}

const PASSWORDS = [
  [/^New password/, "another good password"],
  ["Confirm password", "another good password"],
] as const;

journey("every refusal of a login and a registration is focused and scrolled to (FORM-3b)", async (page) => {
  await page.goto("/login");
  await walk(page, {
    button: "Log in",
    operation: "POST /api/v2/auth/login",
    values: [
      ["Email", VERA.email],
      [/^Password/, VERA.password],
    ],
    field: "password",
    empty: "Enter your Email.",
  });
  await page.goto("/registration");
  trackScrolling();
  await press(page, "Register");
  await isRevealed(page, "Enter your first name.");
  await page.main.choose(/terms/i);
  await walk(page, {
    button: "Register",
    operation: "POST /api/v2/auth/register",
    values: [
      ["First name", VERA.first_name],
      ["Last name", VERA.last_name],
      ["Email", VERA.email],
      [/^Password/, VERA.password],
      ["Confirm password", VERA.password],
    ],
    field: "email",
  });
});

journey("every refusal of a password reset is focused and scrolled to (FORM-3b)", async (page) => {
  page.channel.state.people.add(VERA);
  await page.goto("/password-reset-request");
  await walk(page, {
    button: "Send link",
    operation: "POST /api/auth/password-reset-request",
    values: [["Email", VERA.email]],
    field: "email",
    empty: "Enter your Email.",
  });
  await press(page, "Send link");
  await page.sees(/we’ve sent a link/);
  await page.openEmail("password");
  await walk(page, {
    button: "Save password",
    operation: "POST /api/auth/password-reset",
    values: PASSWORDS,
    field: "password",
    empty: "The password is too short.",
  });
});

journey("every refusal of the profile's forms is focused and scrolled to (FORM-3b)", async (page) => {
  await page.signIn();
  await page.goto("/profile/edit");
  trackScrolling();
  await page.fill("Email", "");
  await press(page, "Save");
  await isRevealed(page, /\S/);
  await page.fill("Email", "vera.new@viewer.example");
  await press(page, "Save");
  await isRevealed(page, "Field is required.");
  await walk(page, {
    button: "Save",
    operation: "POST /api/profile",
    values: [["Current password", VERA.password], ...PASSWORDS],
    field: "phone",
  });
  await page.press("Delete my account…");
  await walk(page, { button: "Send link", operation: "POST /api/delete-account", values: [] });
  await page.goto("/profile/sessions/add");
  await walk(page, {
    button: "Link device",
    operation: "POST /api/auth/add_session",
    values: [["Code", "ABCDEF"]],
    field: "code",
    empty: "Field is required.",
  });
});

journey("every refusal of a confirmation is focused and scrolled to (FORM-3b)", async (page) => {
  const vera = await page.signIn();
  await page.goto("/verify-notice");
  await walk(page, { button: "Resend link", operation: "POST /api/auth/email-verify-request", values: [] });
  const { people } = page.channel.state;
  people.mailLink("verify-email", vera, "Confirm your email address");
  await page.openEmail("Confirm");
  trackScrolling();
  const unavailable = { status: 503, body: { message: "Try later.", code: "unavailable", errors: {} } };
  for (const fault of [unavailable, "away"] as const) {
    page.channel.fail("POST /api/auth/email-verify", fault);
    await press(page, /^(Confirm email|Try again)$/);
    await isRevealed(page, /\S/);
    page.channel.heal();
  }
  page.channel.fail("POST /api/auth/email-verify", refusal(403), 1);
  await press(page, "Try again");
  await isRevealed(page, "Verification your email address failed.");
  people.mailLink("confirm-account-deletion", vera, "Delete your account");
  await page.openEmail("Delete");
  await walk(page, { button: "Delete my account", operation: "POST /api/delete-account-confirm", values: [] });
});

journey("every refusal of the contact form is focused and scrolled to (FORM-3b)", async (page) => {
  await page.goto("/contacts");
  trackScrolling();
  for (const _ of ["pressed", "pressed again"]) {
    await press(page, "Send");
    await isRevealed(page, "Field is required.");
  }
  await page.select("Topic", "Watching");
  await walk(page, {
    button: "Send",
    operation: "POST /api/custom-forms/{alias}",
    values: [
      ["Your name", VERA.first_name],
      ["Your email address", VERA.email],
      ["Message", "The sound is missing."],
    ],
    field: "message",
  });
});

journey("every refusal of a purchase is focused and scrolled to (FORM-3b)", async (page) => {
  await page.signIn();
  await page.goto("/buy?type=package&package_id=2");
  await page.list("Team", "Northfield Kestrels");
  trackScrolling();
  for (const _ of ["pressed", "pressed again"]) {
    await press(page, /^Pay /);
    await isRevealed(page, "Package is TeamPass but team not selected");
  }
  await page.goto("/buy?event_id=1");
  for (const _ of ["pressed", "pressed again"]) {
    await press(page, /^Pay /);
    await isRevealed(page, "card number");
  }
  await page.main.press("Add a promo code");
  await press(page, "Apply");
  await isRevealed(page, "Enter a code");
  await page.fill("Promo code", "TYPED");
  await press(page, /^Pay /);
  await isRevealed(page, /\S/);
  await press(page, "Apply");
  await isRevealed(page, /\S/);
  for (const status of [400, 402, 403, 404, 409, 422]) {
    await page.enterCard(CARDS.pays);
    page.channel.fail("POST /api/stripe/buy", refusal(status), 1);
    await press(page, /^Pay /);
    await isRevealed(page, `Refused with ${status}.`);
  }
  await page.goto("/select-package/2");
  for (const _ of ["pressed", "pressed again"]) {
    await press(page, "Choose team");
    await isRevealed(page, "Package is TeamPass but team not selected");
  }
});

journey("every refusal of a clip is focused and scrolled to (FORM-3b)", async (page) => {
  await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
  await page.goto("/watch/25");
  await page.main.press("Watch");
  await page.plays();
  await page.press("Clip");
  trackScrolling();
  await press(page, "Create clip");
  await isRevealed(page, /\S/);
  await page.fill("Name", "The end");
  await press(page, "Create clip");
  await isRevealed(page, /tag/);
  await page.press("Goal");
  const message = "Your clip duration is longer than the end time.";
  page.channel.fail("POST /api/clip", { status: 400, body: { message, code: "validation", errors: {} } }, 1);
  await press(page, "Create clip");
  await page.within("main [role=alert]", message).appears();
  await page.browser.until(() => expect(scrolled()?.querySelector("[role=alert]")?.textContent).toContain(message));
});
