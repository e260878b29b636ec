import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, takeLog, test, untilServed } from "../support/journey";
import { readLake, readViewingTimes } from "../support/records";
import { expectPlaying, PAID_EVENT, pressPay, registerByForm, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

const WEB = join(import.meta.dirname, "../..");

/** Replays a log as QA does. */
const replay = (file: string): Promise<{ failure: Error | null; output: string }> =>
  new Promise((resolve) => {
    execFile("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB }, (failure, stdout, stderr) =>
      resolve({ failure, output: stdout + stderr }),
    );
  });

test.use({ flags: ["--datalake-close-age-s", "1"] });

test("a visitor registers, buys, sees a preroll and the video, and reloads without a network (USER-4b, ANA-2c, ANA-2d, ANA-2e, START-6b)", async ({
  page,
  worker,
}, info) => {
  test.setTimeout(240_000);
  const sent: { path: string; body: { [field: string]: unknown } }[] = [];
  // The service worker sends as well.
  page.context().on("request", (request) => {
    if (request.url().endsWith("/datalake/batch")) sent.push(...(request.postDataJSON()?.events ?? []));
  });
  await page.goto("/");
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  await page.goto(PAID_EVENT);
  await expect(page.getByRole("main").getByRole("link", { name: "LOGIN TO WATCH" }).first()).toBeVisible();

  await registerByForm(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  const loads = await page.evaluate(() => performance.getEntriesByType("navigation").length);
  const signed = page.waitForResponse(
    (response) => /\/\d+-[^/]+\/master\.m3u8$/.test(response.url()) && response.ok(),
    { timeout: 60_000 },
  );
  // Nobody presses anything more.
  await expect(page.getByText("Your video starts")).toBeVisible({ timeout: 30_000 });
  await expectPlaying(page);
  expect(await page.evaluate(() => performance.getEntriesByType("navigation").length)).toBe(loads);

  // The same address with another signature, or with an expired time, is refused.
  const { pathname } = new URL((await signed).url());
  const forged = pathname.replace(/\/(\d+)-[^/]+\//, `/$1-${"A".repeat(43)}/`);
  const expired = pathname.replace(/\/\d+-([^/]+)\//, "/1-$1/");
  const unsigned = pathname.replace(/\/\d+-[^/]+\//, "/");
  for (const other of [forged, expired, unsigned]) {
    expect(other).not.toBe(pathname);
    expect((await page.request.get(other)).status()).toBe(403);
  }

  // The session's log, from pressing *Pay* to the playing video, replays.
  const log = await takeLog(page);
  for (const secret of Object.values(VERA)) expect(log).not.toContain(secret);
  // The recording build: its version, and its commit if it was built from a repository.
  const build = execFileSync(BINARY, ["--version"], { encoding: "utf8" }).trim().split(" ")[1];
  expect(JSON.parse(log.split("\n")[0] ?? "")).toMatchObject({ build });
  const file = info.outputPath("session.jsonl");
  await writeFile(file, log);
  const replayed = replay(file);
  expect(worker.log()).not.toContain(VERA.email);

  // The page is left: the viewing is recorded, and everything reaches the analysts' files once.
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
  await untilServed(page);
  const lakeHas = () => {
    const rows = readLake(worker.data);
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(rows.length);
    return new Set(rows.map(({ table, event }) => event ?? table));
  };
  const kinds = ["session", "visit", "purchase", "opened", "first_frame_shown", "preroll_started", "video_viewing"];
  await expect
    .poll(() => kinds.filter((event) => !lakeHas().has(event)), { timeout: 60_000, intervals: [500] })
    .toEqual([]);
  // Video events are identified by their fields; those of signed-in viewers include the account.
  const bodyOf = (path: string, event?: string) =>
    sent.find(({ path: to, body }) => to === path && (event === undefined || body.event === event))?.body;
  const account = { user_id: expect.any(Number), origin_url: worker.origin };
  const view = { ...account, video_view_uuid: expect.any(String), stream_id: "12", stream_type: "live" };
  expect(bodyOf("/datalake/video/event/", "first_frame_shown")).toMatchObject({ ...view, extras: expect.any(Object) });
  // The service worker may have sent it, which the test can't observe.
  expect(readViewingTimes(worker.data)).toContainEqual({
    ...account,
    user_id: expect.any(String),
    viewing_time: expect.any(Number),
    category: expect.anything(),
    sport: "basketball",
    gender: "female",
    school: expect.any(String),
    league: expect.any(String),
  });
  expect(bodyOf("/datalake/event/", "purchase")).toMatchObject({ ...account, user_email: VERA.email });

  expect(await replayed).toMatchObject({ failure: null });
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText("You’re offline")).toBeVisible();
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
});
