import { spawnSync } from "node:child_process";
import type { Page, Route } from "@playwright/test";
import { expect, test } from "../support/journey";
import { register, registerVerified, VERA } from "../support/viewer";
import { BINARY, type Worker } from "../support/worker";

// What the worker says of a refusal is read in its answer, and on the page where the page repeats it. What it says under
// faults alone is put into its mouth: the page asks by itself, past no service worker.
test.use({ serviceWorkers: "block" });

const LATER_S = 30 * 86_400;
const email = encodeURIComponent(VERA.email);
const expires = Math.floor(Date.now() / 1_000) + 3_600;
/** What a mailed link carries, with a signature that nobody made. */
const FORGED = `?email=${email}&expires=${expires}&signature=${"A".repeat(43)}`;

/** Vera, as the operator names her. */
const named = ({ data }: Worker): string[] => ["--data", data, "--channel", "northfield", "--email", VERA.email];

/** That the worker gives this answer to the call that `act` brings about; a key that ended is had anew before. */
const expectAnswer = (page: Page, call: string, message: string, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.all([
    page.waitForResponse(
      async (one) => one.url().endsWith(`/api/${call}`) && (await one.text()).includes(`"${message}"`),
      { timeout: 10_000 },
    ),
    act(),
  ]);

/** The key that the page calls with, and what the worker answers to a call beside the page. */
async function keyOf(page: Page) {
  const [asked] = await Promise.all([page.waitForRequest(/\/api\/[^?]*\?(?:.*&)?api_key=/), page.goto("/faq")]);
  const refused = async (call: string, data: object): Promise<unknown> => {
    const answer = await page.request.post(`/api/${call}`, { data });
    expect(answer.ok()).toBe(false);
    return answer.json();
  };
  return { api_key: new URL(asked.url()).searchParams.get("api_key") ?? "", refused };
}

/** The link of the newest letter of that subject. */
async function linkOf(page: Page, subject: string): Promise<string> {
  const link = page.locator("article", { hasText: subject }).first().getByRole("link");
  await expect(async () => {
    await page.goto("/demo/mail");
    await expect(link).toHaveCount(1, { timeout: 200 });
  }).toPass({ timeout: 20_000 });
  return (await link.getAttribute("href")) ?? "";
}

test("links of letters say what is wrong with them: forged, used, expired, of nobody (ERR-8, ERR-9)", async ({
  page,
  worker,
}) => {
  const alert = page.getByRole("main").getByRole("alert");
  await register(page);
  const expectUnverified = (link: string, message: string) =>
    expectAnswer(page, "auth/email-verify", message, () => page.goto(link));
  await expectUnverified(`/verify-email${FORGED}`, "Verification failed.");
  await expect(alert).toHaveText("Verification your email address failed.");
  const verification = await linkOf(page, "Verify your email address");
  await page.goto(verification);
  await expect(page.getByText("Your email is confirmed.")).toBeVisible();
  await expectUnverified(verification, "Email already verified.");
  await expect(alert).toHaveText("Your email already verified.");
  // Who is logged in logs in no more.
  const { api_key, refused } = await keyOf(page);
  expect(await refused("v2/auth/login", { api_key, email: VERA.email, password: VERA.password })).toMatchObject({
    message: "You are already logged in.",
  });

  await page.goto("/profile");
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goto("/password-reset-request");
  await page.getByLabel("Email").fill(VERA.email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByText("a link is on its way", { exact: false })).toBeVisible();
  const reset = await linkOf(page, "password");
  const expectReset = async (link: string, message: string) => {
    await page.goto(link);
    await page.getByLabel("New password").fill("another good password");
    await page.getByLabel("Password again").fill("another good password");
    await page.getByRole("main").locator("button[type=submit]").click();
    await expect(page.getByRole("main").getByText(message)).toBeVisible();
  };
  await expectReset(`/password-reset${FORGED}`, "Reset password failed.");
  await worker.kill();
  await worker.restart(["--clock-offset", String(LATER_S)]);
  await expectReset(reset, "Reset password key expired.");
  // The worker's own word to whoever is past the form, which says it in other words.
  const differing = {
    email: VERA.email,
    expires,
    signature: "A",
    password: VERA.password,
    password_confirmation: "other",
  };
  expect(JSON.stringify(await refused("auth/password-reset", { ...(await keyOf(page)), ...differing }))).toContain(
    "PASSWORDS DON'T MATCH.",
  );
  expect(await refused("auth/password-reset", { ...differing, api_key: "of nobody" })).toMatchObject({
    message: "No channel or api key found.",
  });
});

test("a person who is gone, and a log-in that another site does not confirm (ERR-8)", async ({ page, worker }) => {
  await register(page);
  const verification = await linkOf(page, "Verify your email address");
  expect(spawnSync(BINARY, ["user", "erase", ...named(worker)]).status).toBe(0);
  await expectAnswer(page, "auth/email-verify", "User not found.", () => page.goto(verification));

  await page.goto("/login");
  await page.getByRole("button", { name: /Google/ }).click();
  // It comes back with a code that the site never gave.
  const back = await page.getByRole("link", { name: "Jamie Rivera" }).getAttribute("href");
  await page.goto((back ?? "").replace("code=jamie", "code=nobody"));
  await expect(page.getByRole("main").getByText("Wrong auth data.")).toBeVisible();
});

test("a clip that is too long or fails, a refusal without a reason, a video that is refused (ERR-9, VAL-6)", async ({
  page,
  worker,
}) => {
  const main = page.getByRole("main");
  await registerVerified(page);
  // Without spots before the videos.
  const capabilities = ["--capabilities", "watch,clipping,vod_media,no_ads"];
  expect(spawnSync(BINARY, ["user", "set", ...named(worker), ...capabilities]).status).toBe(0);
  await page.goto("/watch/25");
  await main.getByRole("button", { name: "Watch", exact: true }).click();
  const ask = async () => {
    await page.getByRole("button", { name: "Clip", exact: true }).click();
    await page.getByLabel("Name").fill("The end");
    await page.getByRole("button", { name: "Goal", exact: true }).click();
    await page.getByRole("button", { name: "Make the clip" }).click();
  };
  // The form's sliders end with the video: the worker is asked for more than that.
  await page.route("**/api/clip", async (route) => {
    const body = route.request().postDataJSON() as object;
    await route.continue({ postData: JSON.stringify({ ...body, duration: 300 }) });
  });
  await ask();
  await expect(main.getByText("Your clip duration is longer than the end time.")).toBeVisible();
  await page.unroute("**/api/clip");
  await page.route("**/api/clip", async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { data: { ...data, status: "failed" } } });
  });
  await ask();
  await expect(main.getByText("clip creating failed")).toBeVisible();

  const refusing = (json: object, status: number) => (route: Route) => route.fulfill({ status, json });
  await page.route(
    "**/api/vod-media-items/2/playback?*",
    refusing({ code: "forbidden", message: "No.", errors: {} }, 403),
  );
  await page.goto("/vod_library/2");
  await main.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(main.getByText("Oops! We are currently experiencing technical difficulties")).toBeVisible();
  await page.route("**/api/profile", refusing({ code: "odd" }, 400));
  await page.goto("/profile/edit");
  await page.getByLabel("First name").fill("Another");
  await main.getByRole("button", { name: /^Save/ }).first().click();
  await expect(main.getByText("Undefined error.")).toBeVisible();
});
