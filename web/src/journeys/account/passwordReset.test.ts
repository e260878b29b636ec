// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

/** Requests a reset link, as a visitor. */
async function requestLink(page: Page): Promise<void> {
  page.channel.state.people.add(VERA);
  await page.goto("/password-reset-request");
  await page.fill("Email", VERA.email);
  await page.press("Send the link");
  await page.sees(/a link is on its way/);
}

async function choosePassword(page: Page, password: string): Promise<void> {
  await page.fill(/^New password/, password);
  await page.fill("Password again", password);
  await page.press("Save the password");
}

journey("a used reset link says so, and offers a new one (AUTH-4, ERR-8)", async (page) => {
  await requestLink(page);
  await page.openLetter("password");
  await choosePassword(page, "another good password");
  await page.main.sees("Your password was changed. You can log in with it now.");
  await page.openLetter("password");
  await choosePassword(page, "a third good password");
  await page.main.sees("Reset password key expired.");
  expect(page.main.can("Save the password")).toBe(false);
  await page.main.press("Request a new link");
  await page.isAt("/password-reset-request");
  await page.fill("Email", VERA.email);
  await page.press("Send the link");
  await page.sees(/a link is on its way/);
  await page.openLetter("password");
  await choosePassword(page, "a third good password");
  await page.main.sees("Your password was changed. You can log in with it now.");
});

journey("two different passwords are refused with the channel's message (ERR-8)", async (page) => {
  await requestLink(page);
  await page.openLetter("password");
  await page.fill(/^New password/, "another good password");
  await page.fill("Password again", "another good pasword");
  await page.press("Save the password");
  await page.main.sees("PASSWORDS DON'T MATCH.");
  expect(page.channel.requests("POST /api/auth/password-reset")).toEqual([]);
});
