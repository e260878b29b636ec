import { spawnSync } from "node:child_process";
import { expect, test } from "../support/journey";
import { registerVerified, VERA } from "../support/viewer";
import { BINARY, type Worker } from "../support/worker";

// What the worker says of a refusal is read in its answer, and on the page where the page repeats it. What it says under
// faults alone is put into its mouth: the page asks by itself, past no service worker.
test.use({ serviceWorkers: "block" });

/** Vera, as the operator names her. */
const named = ({ data }: Worker): string[] => ["--data", data, "--channel", "northfield", "--email", VERA.email];

test("a clip that is too long or fails, and a video that is refused (ERR-9, VAL-6)", async ({ page, worker }) => {
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

  await page.route("**/api/vod-media-items/2/playback?*", (route) =>
    route.fulfill({ status: 403, json: { code: "forbidden", message: "No.", errors: {} } }),
  );
  await page.goto("/vod_library/2");
  await main.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(main.getByText("Oops! We are currently experiencing technical difficulties")).toBeVisible();
});
