import { copiedChannels } from "../support/channels";
import { expect, test } from "../support/journey";
import { registerVerified } from "../support/viewer";

const SENTENCE = "Content not available in the region.";
const channels = copiedChannels();
// Nobody's country is known here.
channels.write("channel.json", { ...channels.read("channel.json"), geo: { deny: ["CA"], unknown: "deny" } });

test.afterAll(() => channels.remove());

test("what is closed to a region says so wherever it shows, and offers no video (ERR-9, GEO-1)", async ({
  page,
  worker,
}) => {
  await registerVerified(page);
  await page.goto("/watch/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await page.getByLabel("Name").fill("Abroad");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  await page.getByRole("button", { name: "Make the clip" }).click();
  await expect(page.getByRole("heading", { name: "Your clip is ready" })).toBeVisible({ timeout: 60_000 });

  await worker.kill();
  await worker.restart(["--channels", channels.path]);
  const said = (place: string) =>
    expect(page.locator(place).filter({ hasText: SENTENCE }).first(), place).toBeVisible();
  await page.goto("/");
  for (const place of [".hero", ".next-up", ".fixture-row", "section:has(#live) .event-card"]) await said(place);
  await page.locator(".hero__choose").first().click();
  await expect(page.locator(".hero__actions a")).toHaveText(["Event details"]);
  await page.goto("/live");
  await said("main .event-card, main .fixture-row");
  await page.goto("/vod_library");
  await said(".event-card");
  // The second one plays under an address of the viewer's own.
  for (const path of ["/vod_library/1", "/vod_library/2", "/watch/25", "/watch_embed/25"]) {
    await page.goto(path);
    await said("main");
    await expect(page.getByRole("main").getByRole("button", { name: /^Watch/ }), path).toHaveCount(0);
  }
  await page.goto("/watch/25");
  await said(".also-live");
  // Nobody sells what is free; what is paid for is not sold here.
  await expect(page.getByText("This event may not be shown where you are.", { exact: true })).toBeVisible();
  await page.goto("/watch/1");
  await expect(page.getByText("so it is not sold here")).toBeVisible();

  const answer = page.waitForResponse(/\/api\/clips\/user/);
  await page.goto("/profile/clips");
  const [{ id, uuid }] = (await (await answer).json()).data;
  await said(".event-card");
  await expect(page.getByRole("button", { name: "Download" })).toHaveCount(0);
  for (const path of [`/watch_library/${id}`, `/share/${id}/${uuid}`]) {
    await page.goto(path);
    await said("main");
    await expect(page.getByRole("button", { name: /^(Watch|Download)/ }), path).toHaveCount(0);
  }
});
