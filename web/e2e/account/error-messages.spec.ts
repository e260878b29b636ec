import { spawnSync } from "node:child_process";
import type { Page, Route } from "@playwright/test";
import { expect, test } from "../support/journey";
import { register, registerVerified, VERA } from "../support/viewer";
import { BINARY, type Worker } from "../support/worker";

// What the worker says of a refusal is read in its answer, and on the page where the page repeats it. What it says under
// faults alone is put into its mouth: the page asks by itself, past no service worker.
test.use({ serviceWorkers: "block" });

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

/** The link of the newest letter of that subject. */
async function linkOf(page: Page, subject: string): Promise<string> {
  const link = page.locator("article", { hasText: subject }).first().getByRole("link");
  await expect(async () => {
    await page.goto("/demo/mail");
    await expect(link).toHaveCount(1, { timeout: 200 });
  }).toPass({ timeout: 20_000 });
  return (await link.getAttribute("href")) ?? "";
}

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
