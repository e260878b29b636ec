// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const DAY_MS = 86_400_000;
const query = (expires: number): string =>
  `?email=${encodeURIComponent(VERA.email)}&expires=${expires}&signature=${"A".repeat(43)}`;
/** A mailed link's query with a forged signature. */
const forged = (): string => query(Math.floor(Date.now() / 1_000) + 3_600);

const linkOf = (page: Page, subject: string): string =>
  page.channel.state.people.mail.findLast((email) => email.subject.includes(subject))?.link ?? "";

journey(
  "mailed links report their fault: forged, used, expired, of an unknown person (ERR-8, ERR-9, AUTH-4a, AUTH-4e)",
  async (page) => {
    const vera = await page.signIn();
    const { people } = page.channel.state;
    await page.goto(`/verify-email${forged()}`);
    await page.press("Confirm email");
    await page.main.sees("Verification your email address failed.");
    people.mailLink("verify-email", vera, "Confirm your email address");
    const verification = linkOf(page, "Confirm");
    // A mail scanner that renders the page confirms nothing.
    await page.goto(verification);
    await page.main.sees(`Confirm that ${VERA.email} is your address.`);
    expect(page.channel.requests("POST /api/auth/email-verify")).toHaveLength(1);
    await page.press("Confirm email");
    await page.sees("Your email is confirmed.");
    await page.goto(verification);
    await page.press("Confirm email");
    await page.main.sees("Your email already verified.");

    await page.goto("/profile");
    await page.main.press("Log out");
    await page.isAt(/^\/login/);
    await page.goto("/password-reset-request");
    await page.fill("Email", VERA.email);
    await page.press("Send link");
    await page.sees(/we’ve sent a link/);
    const reset = linkOf(page, "password");
    const resetBy = async (link: string): Promise<void> => {
      await page.goto(link);
      await page.fill(/^New password/, "another good password");
      await page.fill("Confirm password", "another good password");
      await page.press("Save password");
    };
    await resetBy(`/password-reset${forged()}`);
    await page.main.sees("Reset password failed.");
    vi.setSystemTime(Date.now() + 30 * DAY_MS);
    await resetBy(reset);
    await page.main.sees("Reset password key expired.");
  },
);

journey("a mailed link of a deleted person is refused (ERR-8)", async (page) => {
  const vera = await page.signIn();
  const { people } = page.channel.state;
  people.mailLink("verify-email", vera, "Confirm your email address");
  people.remove(vera);
  await page.goto(linkOf(page, "Confirm"));
  await page.press("Confirm email");
  await page.main.sees("Verification your email address failed.");
});

journey("an account's owner deletes it: a button, an email, its link, one more press (AUTH-4c)", async (page) => {
  await page.signIn();
  await page.goto("/profile/edit");
  await page.press("Delete my account…");
  const dialog = page.dialog("Delete your account");
  await dialog.sees("This permanently deletes your account, favourites and clips.");
  expect(page.channel.requests("POST /api/delete-account")).toEqual([]);
  await dialog.press("Send link");
  await dialog.sees(`We’ve sent a link to ${VERA.email}.`);
  await page.openEmail("Delete your account");
  await page.press("Delete my account");
  await page.sees("Your account has been deleted.");
  await page.goto("/profile");
  await page.isAt(/^\/login/);
  await page.fill("Email", VERA.email);
  await page.fill(/^Password/, VERA.password);
  await page.main.press("Log in");
  await page.sees("Invalid email or password. Please try again.");
});

journey("a refusal without a reason says so (ERR-9)", async (page) => {
  await page.signIn();
  await page.goto("/profile/edit");
  page.channel.fail("POST /api/profile", { status: 400, body: { code: "odd" } });
  await page.fill("First name", "Another");
  await page.press("Save");
  await page.main.sees("Undefined error.");
});

journey("a connected account is listed with the devices and can be removed (AUTH-9b)", async (page) => {
  await page.signIn({ logins: [{ provider: "google", linked_at: "2026-11-01T12:00:00.000Z" }] });
  await page.goto("/profile/sessions/add");
  await page.main.sees("Connected accounts");
  await page.main.press("Remove Google");
  await page.main.lacks("Connected accounts");
  await page.reload();
  await page.main.sees("Linked devices");
  await page.main.lacks("Connected accounts");
});
