import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { register, VERA } from "../support/viewer";

interface Answers {
  readonly first?: string;
  readonly last?: string;
  readonly email?: string;
  readonly password?: string;
  readonly again?: string;
  readonly accepts?: boolean;
}

/** Fills in the registration and sends it. */
async function answer(page: Page, { first, last, email, password, again, accepts }: Answers): Promise<void> {
  await page.getByLabel("First name").fill(first ?? "");
  await page.getByLabel("Last name").fill(last ?? "");
  await page.getByLabel("Email").fill(email ?? "");
  await page.getByLabel(/^Password(?! again)/).fill(password ?? "");
  await page.getByLabel("Password again").fill(again ?? "");
  await page.getByRole("checkbox").setChecked(accepts ?? false);
  await page.getByRole("main").getByRole("button", { name: "Register" }).click();
}

test("a registration names each thing that is missing or wrong (AUTH-6, ERR-8, VAL-1, VAL-5, VAL-6)", async ({
  page,
}) => {
  const shown = (text: string) => expect(page.getByRole("main").getByText(text).first(), text).toBeVisible();
  await page.goto("/registration");
  await answer(page, {});
  for (const text of [
    "Enter your first name.",
    "Enter your last name.",
    "Enter your Email.",
    "The password is too short.",
    "Please accept terms & conditions.",
  ]) {
    await shown(text);
  }
  const whole = { first: "Vera", last: "Quiet", password: VERA.password, again: VERA.password, accepts: true };
  for (const email of ["vera", "vera@home", "vera@home.c", `${"v".repeat(65)}@viewer.example`, "vera@[300.1.1.1]"]) {
    await answer(page, { ...whole, email });
    await shown("A valid email address is required");
  }
  const right = { ...whole, email: "12345@[192.168.0.1]" };
  await answer(page, { ...right, password: "seven77", again: "seven77" });
  await shown("The password is too short.");
  await answer(page, { ...right, again: "another password" });
  await shown("The password and password confirmation do not match.");
  await answer(page, { ...right, first: "V".repeat(101) });
  await shown("Field length must be less than 100.");
  await expect(page).toHaveURL(/registration/);
  // An address of digits alone at a bracketed number is one.
  await answer(page, right);
  await expect(page).not.toHaveURL(/registration/);
});

test("who is known already, or is not, reads which it is (ERR-8, AUTH-2, CALL-2)", async ({ page }) => {
  await register(page);
  await page.goto("/profile");
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(
    page
      .getByRole("banner")
      .getByRole("link", { name: /^log in$/i })
      .first(),
  ).toBeVisible();

  await page.goto("/registration");
  await answer(page, {
    first: "Vera",
    last: "Quiet",
    email: VERA.email,
    password: VERA.password,
    again: VERA.password,
    accepts: true,
  });
  await expect(page.getByText("The email address you have entered is already registered.").first()).toBeVisible();

  await page.goto("/login");
  await page.getByLabel("Email").fill(VERA.email);
  await page.getByLabel(/^Password/).fill("not the password");
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(page.getByText("Invalid email or password. Please try again.").first()).toBeVisible();
});

test("a telephone number is refused until it can be one (VAL-2, CALL-3)", async ({ page }) => {
  await register(page);
  await page.goto("/profile/edit");
  const phone = page.getByLabel(/^Phone/);
  for (const wrong of ["12345", "+1 555 abc 4567", "1234567890123456"]) {
    await phone.fill(wrong);
    await page.getByRole("main").getByRole("button", { name: /^Save/ }).first().click();
    await expect(page.getByText("A valid phone number is required"), wrong).toBeVisible();
  }
  await phone.fill("+1 (555) 123-4567");
  await page.getByRole("main").getByRole("button", { name: /^Save/ }).first().click();
  await expect(page.getByText("A valid phone number is required")).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("alert").filter({ hasText: "Your profile was saved." })).toBeVisible();
  await page.reload();
  await expect(phone).toHaveValue(/555/);
});

test("a device shows a code, its viewer enters it, and it is listed and revoked (AUTH-5, VAL-6)", async ({
  page,
  worker,
}) => {
  await register(page);
  const api = page.request;
  const { data } = (await (
    await api.post(`${worker.origin}/api/get_api_key`, { data: { channel_key: "northfield" } })
  ).json()) as { data: { api_key: string } };
  const asked = await api.post(`${worker.origin}/api/auth/session_code`, { data: { api_key: data.api_key } });
  const { code } = ((await asked.json()) as { data: { code: string } }).data;
  const profile = () => api.get(`${worker.origin}/api/profile?api_key=${data.api_key}`);
  expect((await profile()).status()).toBe(401);
  await page.goto("/profile/sessions/add");
  await page.getByLabel("Code").fill("ABC");
  await page.getByRole("main").getByRole("button", { name: "Link the device" }).click();
  await expect(page.getByText("Field length must be greater than 5.")).toBeVisible();
  await page.getByLabel("Code").fill(code);
  await page.getByRole("main").getByRole("button", { name: "Link the device" }).click();
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The device is linked.");
  // The device opens by the key that it asked with.
  await expect.poll(async () => (await profile()).status()).toBe(200);
  await page.reload();
  const devices = page.getByRole("region", { name: "Linked devices" }).getByRole("listitem");
  await expect(devices).toHaveCount(2);
  await devices.filter({ hasNotText: "This device" }).getByRole("button").click();
  await expect(devices).toHaveCount(1);
  // Its key is none any more.
  await expect.poll(async () => (await profile()).status()).toBe(400);
});
