import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { build } from "esbuild";
import { copiedChannels } from "../support/channels";
import { type FaultProxy, type ProxyAnswer, startFaultProxy } from "../support/mediaProxy";
import { register } from "../support/viewer";
import { startWorker } from "../support/worker";

const PEERS = join(import.meta.dirname, "../../peers");

/** A player on a page with a button that starts it. */
export interface Player {
  readonly name: string;
  /** The page of a recording, and of a public live stream. */
  readonly recording: string;
  readonly live: string;
  /** The page of a recording for the viewer only, whose address is requested at the press. */
  readonly signed: string;
}

/** The part of media addresses that names the streams of all players. */
export const STREAMS = { recording: "v90001", live: "l32" } as const;
/** A recording for viewers with an account. */
const SIGNED_RECORDING = 2;
/** A live event of the demo. */
const LIVE_EVENT = 3;

const LIBRARIES = { "Video.js": "videojs", "Shaka Player": "shaka", "hls.js": "hlsjs" } as const;
const PACKAGES = { "Video.js": "@videojs/html", "Shaka Player": "shaka-player", "hls.js": "hls.js" } as const;

const streamAddress = (mount: string): string => `/media/northfield/s/${mount}/open/master.m3u8`;

async function bundled(file: string): Promise<string> {
  const bundle = await build({
    entryPoints: [join(PEERS, `${file}.js`)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    platform: "browser",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return bundle.outputFiles[0]?.text ?? "";
}

/** A page that loads its library at once, and plays when its button is pressed. `url` is a script expression. */
const pageOf = (script: string, url: string): string =>
  `<!doctype html><title>player</title><style>video,hls-video{width:854px;height:480px}</style>
<button>Watch</button><script src="${script}"></script>
<script>document.querySelector("button").onclick = async () => { globalThis.shownVideo = play(${url}) }</script>`;

/** Requests a personal address at the press, as the product does. */
const requestAddress = (key: string): string =>
  `(await (await fetch("/api/vod-media-items/${SIGNED_RECORDING}/playback?api_key=${key}")).json()).data.playback_url`;

export interface Stage {
  readonly browser: Browser;
  readonly spoiler: FaultProxy;
  /** The product first. */
  readonly players: readonly Player[];
  /** Creates an account: returns the storage of a signed-in browser, and gives its key to the peers' pages. */
  register(): Promise<Awaited<ReturnType<BrowserContext["storageState"]>>>;
  end(): Promise<void>;
}

/** The product and its peers, on one origin, in front of one worker. */
export async function openStage(): Promise<Stage> {
  const channels = copiedChannels();
  channels.setEvent(LIVE_EVENT, (event) => ({ ...event, access_type: "free" }));
  const pages = new Map<string, ProxyAnswer>();
  const { dependencies } = JSON.parse(await readFile(join(PEERS, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const players: Player[] = [
    {
      name: "Touchline",
      recording: "/vod_library/1",
      live: `/watch/${LIVE_EVENT}`,
      signed: `/vod_library/${SIGNED_RECORDING}`,
    },
  ];
  for (const [name, file] of Object.entries(LIBRARIES)) {
    pages.set(`/${file}.js`, { type: "text/javascript", body: await bundled(file) });
    for (const [kind, mount] of Object.entries(STREAMS))
      pages.set(`/${file}-${kind}.html`, {
        type: "text/html",
        body: pageOf(`/${file}.js`, JSON.stringify(streamAddress(mount))),
      });
    const version = dependencies[PACKAGES[name as keyof typeof PACKAGES]];
    const [recording, live, signed] = ["recording", "live", "signed"].map((kind) => `/${file}-${kind}.html`) as [
      string,
      string,
      string,
    ];
    players.push({ name: `${name} ${version}`, recording, live, signed });
  }
  const worker = await startWorker(["--channels", channels.path]);
  const spoiler = await startFaultProxy(worker, pages);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-sync",
      "--autoplay-policy=no-user-gesture-required",
    ],
  });
  return {
    browser,
    spoiler,
    players,
    async register() {
      const context = await browser.newContext({ baseURL: spoiler.origin });
      const page = await context.newPage();
      const keyed = page.waitForRequest((request) => new URL(request.url()).searchParams.has("api_key"));
      await register(page);
      await page.goto(`/vod_library/${SIGNED_RECORDING}`);
      const key = new URL((await keyed).url()).searchParams.get("api_key") ?? "";
      for (const file of Object.values(LIBRARIES))
        pages.set(`/${file}-signed.html`, { type: "text/html", body: pageOf(`/${file}.js`, requestAddress(key)) });
      await page
        .getByRole("button", { name: /^Watch/ })
        .first()
        .waitFor();
      const state = await context.storageState({ indexedDB: true });
      await context.close();
      return state;
    },
    async end() {
      await browser.close();
      spoiler.close();
      await worker.end();
      channels.remove();
    },
  };
}

/**
 * Makes a page record when its button was pressed and when its video showed its first frame, by `performance.now()`.
 */
export async function observe(page: Page): Promise<void> {
  // This file's compiler marks functions with a helper that no page has.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(() => {
    const seen = { pressed: 0, frame: 0, element: null as HTMLVideoElement | null };
    Object.assign(window, { seen });
    addEventListener(
      "click",
      (event) => {
        const button = (event.target as Element).closest?.("button");
        if (button?.textContent?.trim().startsWith("Watch")) seen.pressed ||= performance.now();
      },
      true,
    );
    const check = () => {
      const getVideo = (globalThis as { shownVideo?: () => HTMLVideoElement | null }).shownVideo;
      const video = getVideo ? getVideo() : document.querySelector("video");
      if (video && video !== seen.element) {
        seen.element = video;
        video.requestVideoFrameCallback((now) => {
          seen.frame ||= now;
        });
      }
      requestAnimationFrame(check);
    };
    check();
  });
}

export const press = (page: Page): Promise<void> =>
  page
    .getByRole("button", { name: /^Watch( live)?$/ })
    .first()
    .click();

/** The date and machine of the measurement. */
export const measuredOn = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors at a load of ${Math.round(loadavg()[0] ?? 0)}`;
