/**
 * Forty outages of a recording and of a live stream, for the product and other players at the same time, on the same
 * stream and one origin. Writes the table into docs/benchmarks.md; fails if the product doesn't recover from one.
 */
import type { BrowserContext, Page } from "@playwright/test";
import { seeded } from "../faults/script";
import { writeMeasurements } from "../support/benchmarks";
import { FAULTS, type FaultKind, type MediaFault } from "../support/mediaProxy";
import { playsSince, probe } from "../support/probe";
import { measuredOn, openStage, type Player, press, STREAMS } from "./stage";

const SEED = 20_261_123;
const OUTAGES = Number(process.env.OUTAGES ?? 40);
/** Time to recover after each outage, in milliseconds. */
const RECOVERY_MS = 6_000;
const SOON_MS = 2_000;

type Kind = keyof typeof STREAMS;

interface Result {
  soon: number;
  late: number;
  never: number;
  /** It played again, but at another position. */
  elsewhere: number;
  readonly failed: string[];
}

const stage = await openStage();
const draw = seeded(SEED);
const results = new Map<Player, Result>(
  stage.players.map((player) => [player, { soon: 0, late: 0, never: 0, elsewhere: 0, failed: [] }]),
);

const stand = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as never as VideoState).theVideo()?.currentTime ?? -1);

interface VideoState {
  theVideo(): HTMLVideoElement | null;
}

/** Opens a player and waits until it plays, retrying if it doesn't. */
async function watch(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(() => {
    (globalThis as never as VideoState).theVideo = () => {
      const getVideo = (globalThis as { shownVideo?: () => HTMLVideoElement | null }).shownVideo;
      return getVideo ? getVideo() : document.querySelector("video");
    };
  });
  await page.goto(path);
  await press(page);
  await page.waitForFunction(() => ((globalThis as never as VideoState).theVideo()?.currentTime ?? 0) > 0.3, null, {
    timeout: 30_000,
    polling: 50,
  });
  await probe(page);
  return page;
}

/** One outage, for all players at once. */
async function runOutage(kind: Kind, mediaFault: MediaFault, durationMs: number): Promise<void> {
  const what = `${kind}: ${mediaFault.kind} of ${mediaFault.of} for ${durationMs} ms`;
  const mount = STREAMS[kind];
  stage.spoiler.spoils.delete(mount);
  stage.spoiler.thin.set(mount, 8);
  // A browser's cache makes one page wait for another's request, so each has its own.
  const contexts = await Promise.all(
    stage.players.map(() => stage.browser.newContext({ baseURL: stage.spoiler.origin })),
  );
  const pages = await Promise.all(
    stage.players.map((player, at) => watch(contexts[at] as BrowserContext, player[kind])),
  );
  stage.spoiler.thin.set(mount, 0);
  stage.spoiler.spoils.set(mount, mediaFault);
  const positions = await Promise.all(
    pages.map(async (page) => {
      // Beyond any player's buffer.
      if (kind === "recording")
        await page.evaluate(() => {
          const video = (globalThis as never as VideoState).theVideo();
          if (video) video.currentTime = 33.5;
        });
      await page
        .waitForFunction(() => ((globalThis as never as VideoState).theVideo()?.readyState ?? 0) < 3, null, {
          timeout: 30_000,
          polling: 50,
        })
        .catch(() => undefined);
      return stand(page);
    }),
  );
  await new Promise((over) => setTimeout(over, durationMs));
  stage.spoiler.thin.delete(mount);
  stage.spoiler.spoils.delete(mount);
  const cleared = Date.now();
  await Promise.all(
    stage.players.map(async (player, at) => {
      const page = pages[at] as Page;
      const result = results.get(player) as Result;
      let recovered = await playsSince(page, cleared);
      while (recovered === null && Date.now() - cleared < RECOVERY_MS) {
        await page.waitForTimeout(100);
        recovered = await playsSince(page, cleared);
      }
      const took = recovered === null ? Number.POSITIVE_INFINITY : recovered.at - cleared;
      if (took <= SOON_MS) result.soon += 1;
      else if (recovered !== null) result.late += 1;
      else result.never += 1;
      const isDisplaced =
        recovered !== null && kind === "recording" && Math.abs(recovered.time - (positions[at] ?? 0)) > 2.5;
      if (isDisplaced) result.elsewhere += 1;
      if (took > SOON_MS || isDisplaced) result.failed.push(`${what}: ${Math.round(took)} ms`);
    }),
  );
  await Promise.all(contexts.map((context) => context.close()));
}

/** Writes the table of `met` outages. */
async function write(met: number): Promise<void> {
  const rows = [...results].map(
    ([{ name }, { soon, late, never, elsewhere }]) => `| ${name} | ${soon} | ${late} | ${never} | ${elsewhere} |`,
  );
  await writeMeasurements("player outages", [
    `${met} outages of 1 to 6 s (${FAULTS.join(", ")}; of segments, playlists or both), of a recording after a seek to an unloaded position and of a live stream at its edge, for all players at the same time, without intervention; each with its library's defaults, in a fresh page. Played again within 2 s after the outage, later within ${RECOVERY_MS / 1000} s, not at all; and at another position (recordings). Seed ${SEED}, measured ${measuredOn()} by \`npx tsx e2e/players/outages.ts\` in \`web\`.`,
    "",
    "| | within 2 s | later | not at all | elsewhere |",
    "|---|--:|--:|--:|--:|",
    ...rows,
  ]);
}

// Each kind of fault for each of five targets: a recording's segments, short and longer, and a live stream's segments,
// playlists, both.
const TARGETS: readonly (readonly [Kind, MediaFault["of"]])[] = [
  ["recording", "segments"],
  ["live", "segments"],
  ["live", "playlists"],
  ["recording", "segments"],
  ["live", "all"],
];
for (let at = 0; at < OUTAGES; at += 1) {
  const [kind, of] = TARGETS[Math.floor(at / FAULTS.length) % TARGETS.length] as (typeof TARGETS)[number];
  const fault = FAULTS[at % FAULTS.length] as FaultKind;
  const durationMs = Math.round(1_000 + draw() * (at >= 3 * FAULTS.length ? 5_000 : 2_000));
  await runOutage(kind, { kind: fault, of }, durationMs);
  const summary = [...results].map(([{ name }, { soon, late, never }]) => `${name} ${soon}/${late}/${never}`);
  await write(at + 1);
  process.stderr.write(`${at + 1} ${kind} ${fault} of ${of}: ${summary.join(", ")}\n`);
}
await stage.end();

const [product] = results.values();
process.stderr.write(`${product?.failed.join("\n")}\n`);
if (product && (product.never > 0 || product.elsewhere > 0)) process.exitCode = 1;
