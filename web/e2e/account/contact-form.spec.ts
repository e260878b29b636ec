import { execFileSync } from "node:child_process";
import { expect, test } from "../support/journey";
import { BINARY } from "../support/worker";

test("the contact form is filled in by keyboard, told where it is wrong, and read by the operator (FORM-1, FORM-2, VAL-6)", async ({
  page,
  worker,
}) => {
  await page.goto("/contacts");
  const form = page.getByRole("region", { name: "Write to us" });
  await form.getByRole("button", { name: "Send" }).focus();
  await page.keyboard.press("Enter");
  await expect(form.getByText("Field is required.").first()).toBeVisible();
  // What is wrong has the same frame, whatever kind of field it is.
  const frames = form.locator(".field--wrong").locator(".field__box, select, textarea");
  const looks = await frames.evaluateAll((all) =>
    all.map((one) => `${getComputedStyle(one).borderColor} ${getComputedStyle(one).boxShadow}`),
  );
  expect([looks.length, new Set(looks).size]).toEqual([4, 1]);
  expect(looks[0]).toMatch(/inset$/);
  await form.getByLabel("Your name").fill("Robin Hale");
  await form.getByLabel("Your e-mail address").fill("robin@viewers");
  await form.getByLabel("What it is about").selectOption("Paying");
  await form.getByLabel(/^Message/).fill("The receipt of my pass names the wrong team.");
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText("A valid email address is required")).toBeVisible();
  await form.getByLabel("Your e-mail address").fill("robin@viewers.example");
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText(/^Sent\. We review/)).toBeVisible();
  await expect(form.getByLabel("Your name")).toHaveValue("");

  const told = execFileSync(BINARY, ["forms", "--channel", "northfield", "--data", worker.data], { encoding: "utf8" });
  expect(told).toContain("robin@viewers.example");
  expect(told).toContain("wrong team");
  const letter = page.locator("article", { hasText: "Northfield Sports Network: Write to us" });
  await expect(async () => {
    await page.goto("/demo/mail");
    await expect(letter).toHaveCount(1, { timeout: 200 });
  }).toPass({ timeout: 20_000 });
  await expect(letter).toContainText("help@northfieldsports.example");
  await expect(letter).toContainText("The receipt of my pass names the wrong team.");
});
