// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

/** Requests a reset link, as a visitor. */
async function requestLink(page: Page): Promise<void> {
  page.channel.state.people.add(VERA);
  await page.goto("/password-reset-request");
  await page.fill("Email", VERA.email);
  await page.press("Send link");
  await page.sees(/we’ve sent a link/);
}

async function choosePassword(page: Page, password: string): Promise<void> {
  await page.fill(/^New password/, password);
  await page.fill("Confirm password", password);
  await page.press("Save password");
}

journey("a used reset link says so, and offers a new one (AUTH-4b, AUTH-4e, ERR-8)", async (page) => {
  await requestLink(page);
  await page.openEmail("password");
  await choosePassword(page, "another good password");
  await page.main.sees("Your password has been changed. You can log in now.");
  await page.openEmail("password");
  await choosePassword(page, "a third good password");
  await page.main.sees("Reset password key expired.");
  expect(page.main.can("Save password")).toBe(false);
  await page.main.press("Request a new link");
  await page.isAt("/password-reset-request");
  await page.fill("Email", VERA.email);
  await page.press("Send link");
  await page.sees(/we’ve sent a link/);
  await page.openEmail("password");
  await choosePassword(page, "a third good password");
  await page.main.sees("Your password has been changed. You can log in now.");
});

journey("two different passwords are refused with the channel's message (ERR-8)", async (page) => {
  await requestLink(page);
  await page.openEmail("password");
  await page.fill(/^New password/, "another good password");
  await page.fill("Confirm password", "another good pasword");
  await page.press("Save password");
  await page.main.sees("PASSWORDS DON'T MATCH.");
  expect(page.channel.requests("POST /api/auth/password-reset")).toEqual([]);
});
