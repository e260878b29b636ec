import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copiedChannels } from "../support/channels";
import { expect, test } from "../support/journey";
import { expectStarted } from "../support/viewer";

const EVENT = 25;
const channels = copiedChannels();
const folder = join(channels.path, "northfield/media/hls/spoken");

/** Encodes eight seconds of one input as a rendition. */
function encode(name: string, source: string, codec: readonly string[]): void {
  mkdirSync(join(folder, name), { recursive: true });
  const hls = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"];
  const files = ["-hls_segment_filename", "seg_%03d.m4s", "index.m3u8"];
  const line = ["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", source, "-t", "8", ...codec, ...hls, ...files];
  execFileSync("ffmpeg", line, { cwd: join(folder, name) });
}

const H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-profile:v", "baseline", "-g", "25"];
encode("video", "testsrc2=size=320x180:rate=25", H264);
for (const [at, name] of ["home", "english", "described"].entries())
  encode(name, `sine=frequency=${440 * (at + 1)}:sample_rate=48000`, ["-c:a", "aac", "-b:a", "64k"]);
const audio = (name: string, attributes: string): string =>
  `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",AUTOSELECT=YES,CHANNELS="1",${attributes},URI="${name}/index.m3u8"`;
writeFileSync(
  join(folder, "master.m3u8"),
  [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    audio("home", 'NAME="Home commentary",LANGUAGE="fr",DEFAULT=YES'),
    audio("english", 'NAME="English",LANGUAGE="en",DEFAULT=NO'),
    audio(
      "described",
      'NAME="English",LANGUAGE="en",DEFAULT=NO,CHARACTERISTICS="public.accessibility.describes-video"',
    ),
    '#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x180,CODECS="avc1.42c00d,mp4a.40.2",AUDIO="audio"',
    "video/index.m3u8",
    "",
  ].join("\n"),
);
channels.setEvent(EVENT, (event) => ({
  ...event,
  media: [{ id: 253, type: 3, path: "hls/spoken/master.m3u8", duration_s: 8 }],
}));

test.use({ serviceWorkers: "block", flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

test("a stream's audio tracks are offered by name, language and role, and play (MEDIA-17a, MEDIA-17b)", async ({
  page,
}) => {
  const requested: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/s\/e253\/open\/(home|english|described)\//.exec(request.url()) ?? [];
    if (name) requested.push(name);
  });
  await page.goto(`/watch/${EVENT}`);
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  await page.getByRole("button", { name: "Settings" }).click();
  const tracks = page.getByRole("dialog", { name: "Settings" }).getByLabel("Audio");
  await expect(tracks.getByRole("option")).toHaveText([
    "Home commentary (French)",
    "English",
    "English, audio description",
  ]);
  // The site's language.
  await expect.poll(() => requested.includes("english")).toBe(true);
  await tracks.selectOption({ label: "English, audio description" });
  await expect.poll(() => requested.includes("described")).toBe(true);
});
