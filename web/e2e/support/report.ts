import { execFileSync } from "node:child_process";
import { expect, type Page } from "@playwright/test";
import { BINARY, type Worker } from "./worker";

/** Opens the footer's problem report and writes a note. */
export async function writeReport(page: Page, note: string): Promise<void> {
  await page.getByRole("contentinfo").getByRole("button", { name: "Report a problem" }).click();
  await page.getByLabel("What went wrong?").fill(note);
}

/** Sends the report; returns the number displayed to the viewer. */
export async function sendReport(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(dialog.getByRole("heading", { name: "Sent. Thank you." })).toBeVisible();
  const number = (await dialog.locator(".report__receipt").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  return number;
}

/** The output of `touchline reports`, as support reads it. */
export const readReports = ({ data }: Worker, ...report: readonly string[]): string =>
  execFileSync(BINARY, ["reports", "--data", data, ...report], { encoding: "utf8" });
