import type { Page } from "@playwright/test";
import { expect } from "../support/journey";
import { type Between, test } from "../support/proxyJourney";
import { register, registerVerified } from "../support/viewer";

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** The player says after a minute in vain that it has failed; the rest is for a busy machine. */
const GIVES_UP = 80_000;

/** Plays a free recording of 40 s whose first eight are there, and the rest is answered with a failure. */
async function runDry(page: Page, between: Between): Promise<void> {
  between.answer = ({ url = "" }) => (/seg_(?!00[01])/.test(url) ? { status: 503, headers: {}, body: "" } : null);
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(5);
}

async function expectGoesOnFrom(page: Page, stood: number): Promise<void> {
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(stood + 1);
  await expect(page.locator(".player__message")).toHaveCount(0);
}

test.describe("a video that has run dry", () => {
  test.describe.configure({ timeout: 180_000 });

  test("says that it waits, and goes on from where it stood when it is tried again", async ({ page, between }) => {
    await runDry(page, between);
    await expect(page.getByText(/^(?:Loading the video|The server sends nothing)/)).toHaveCount(1);
    const again = page.getByRole("button", { name: "Try again" });
    await expect(again).toBeVisible({ timeout: GIVES_UP });
    const stood = await time(page);
    let press = (): void => undefined;
    const pressed = new Promise<void>((done) => {
      press = done;
    });
    // The player asks again by itself as well: nothing is answered before the press.
    between.answer = () => pressed.then(() => null);
    await again.click();
    press();
    await expectGoesOnFrom(page, stood);
  });

  test("goes on by itself once there is a network", async ({ page, between }) => {
    await runDry(page, between);
    await expect(page.getByRole("button", { name: "Try again" })).toBeVisible({ timeout: GIVES_UP });
    const stood = await time(page);
    await page.context().setOffline(true);
    between.answer = () => null;
    await page.context().setOffline(false);
    await expectGoesOnFrom(page, stood);
  });

  test("and was paused by its viewer stays so when there is a network again", async ({ page, between }) => {
    await runDry(page, between);
    await page.getByRole("button", { name: "Pause" }).click();
    const stood = await time(page);
    await page.context().setOffline(true);
    between.answer = () => null;
    await page.context().setOffline(false);
    await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeVisible();
    expect(await time(page)).toBe(stood);
    await page.getByRole("button", { name: "Play", exact: true }).first().click();
    await expectGoesOnFrom(page, stood);
  });
});

test.describe("the controls of a video", () => {
  // The video is asked for by the page itself, where a test can hold it back.
  test.use({ serviceWorkers: "block" });

  test("stay where they are while it arrives: a press meets what it was meant for", async ({ page }) => {
    await register(page);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((done) => {
      arrive = done;
    });
    await page.route("**/s/e253/**/master.m3u8*", async (route) => {
      await arrived;
      await route.continue();
    });
    await page.goto("/watch/25");
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    const clip = page.getByRole("button", { name: "Clip", exact: true });
    await expect(clip).toBeVisible({ timeout: 30_000 });
    const before = await clip.boundingBox();
    arrive();
    await expect(page.getByRole("button", { name: "Captions" })).toBeVisible();
    expect(await clip.boundingBox()).toEqual(before);
  });
});

test("a clip ends with its video at the latest, its form stays until it is asked for, and it is a moment of its event (CLIP-1, VAL-3, VAL-6, MEDIA-15)", async ({
  page,
}) => {
  await registerVerified(page);
  await page.goto("/watch/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  // Nothing is asked for without a name and a tag.
  const asked: { [field: string]: unknown }[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/clip") asked.push(request.postDataJSON());
  });
  const make = page.getByRole("button", { name: "Make the clip" });
  await make.click();
  await expect(page.getByText("Please fill in the input field.")).toBeVisible();
  await expect(page.getByLabel("Name")).toBeFocused();
  await page.getByLabel("Name").fill("The end");
  await make.click();
  await expect(page.getByText("Please select tag.")).toBeVisible();
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  const end = page.getByRole("slider", { name: "End" });
  await end.press("End");
  await expect(end).toHaveValue("40");
  expect(asked).toEqual([]);
  await make.click();
  await expect(page.getByText("Ready within 5 minutes").first()).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveCount(0);
  const [clip, ...more] = asked;
  expect(more).toEqual([]);
  expect(clip).toMatchObject({ event_id: 25, event_media_id: 253, name: "The end", tags: ["goal"] });
  const [from, long] = [clip?.start_time, clip?.duration] as [number, number];
  expect(from + long).toBeCloseTo(40, 3);
  // The worker holds the rules for whoever does not.
  const api_key = clip?.api_key as string;
  const refusal = async (other: object): Promise<[status: number, fields: string[]]> => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answer = await page.request.post("/api/clip", { headers, data: { ...clip, api_key, ...other } });
    return [answer.status(), Object.keys(((await answer.json()) as { errors?: object }).errors ?? {})];
  };
  expect(await refusal({ name: " " })).toEqual([400, ["name"]]);
  expect(await refusal({ name: "n".repeat(101) })).toEqual([400, ["name"]]);
  expect(await refusal({ tags: [] })).toEqual([400, ["tags"]]);
  expect(await refusal({ tags: Array.from({ length: 11 }, (_, n) => `tag ${n}`) })).toEqual([400, ["tags"]]);
  expect(await refusal({ start_time: 10, duration: 31 })).toEqual([400, ["duration"]]);
  const made = await page.request.get(`/api/clips/user?api_key=${api_key}`);
  const [kept] = ((await made.json()) as { data: object[] }).data;
  expect(kept).toMatchObject({ event_id: 25, event_media_id: 253, name: "The end", start_time: from, duration: long });
  expect(kept).toMatchObject({ tags: ["goal"], event: { id: 25 } });
  await page.goto("/profile/clips");
  await expect(page.getByRole("main").getByRole("heading", { name: "The end", exact: true })).toHaveCount(1);

  // It is a chapter of the recording (MEDIA-10).
  await page.goto("/watch/25?t=35");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(page.locator(".player__chapter")).toHaveCount(1, { timeout: 30_000 });
  await expect(page.locator(".player__chapter-name")).toHaveText("The end", { timeout: 20_000 });
  await expect.poll(() => time(page), { timeout: 20_000 }).toBeGreaterThan(34);
  const moment = page.getByRole("region", { name: "Key moments" }).getByRole("button", { name: "The end" });
  await moment.click();
  await expect.poll(() => time(page)).toBeLessThan(20);
  await expect(moment).toHaveAttribute("aria-current", "true");
  await expect.poll(() => time(page), { timeout: 20_000 }).toBeGreaterThan(2.5);

  // A link to where it stands, and what is below the video.
  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("region", { name: "Share" });
  await expect(share.getByLabel("Link")).toHaveValue(/\/watch\/25\?t=0:\d\d$/);
  await share.getByRole("textbox", { name: "Start at" }).fill("0:21");
  await expect(share.getByLabel("Link")).toHaveValue(/\/watch\/25\?t=0:21$/);
  await share.getByRole("checkbox", { name: "Start at" }).uncheck();
  await expect(share.getByLabel("Link")).toHaveValue(/\/watch\/25$/);
  const clips = page.getByRole("region", { name: "Clips from this event" });
  await expect(clips.getByRole("link", { name: "The end" })).toHaveCount(1, { timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Next for these teams" }).getByRole("listitem")).not.toHaveCount(0);
  await expect(page.getByRole("region", { name: "More like it" }).getByRole("article")).not.toHaveCount(0);

  // It begins there without another press.
  await page.goto("/watch/25");
  await moment.click();
  await expect.poll(() => time(page), { timeout: 20_000 }).toBeGreaterThan(0.2);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the form of a clip comes into view, out of the full screen too, and a double click makes one and stays (CLIP)", async ({
    page,
  }) => {
    await registerVerified(page);
    await page.goto("/watch/25");
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    await page.getByRole("button", { name: "Full screen" }).click();
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true);
    await page.getByRole("button", { name: "Clip", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Make a clip" })).toBeFocused();
    const make = page.getByRole("button", { name: "Make the clip" });
    await expect(make).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
    await page.getByLabel("Name").fill("Once");
    await page.getByRole("button", { name: "Goal", exact: true }).click();
    await make.dblclick();
    // A fast machine has it ready by then.
    await expect(page.getByRole("heading", { name: /^Your clip is (on its way|ready)$/ })).toBeFocused();
    await expect(page).toHaveURL("/watch/25");
    await page.goto("/profile/clips");
    await expect(page.getByRole("main").getByRole("heading", { name: "Once", exact: true })).toHaveCount(1);
  });
});
