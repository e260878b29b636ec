import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";

/** An encoder that writes HLS into a folder in real time. */
export interface Encoder {
  /** Ends it as a crash or a power cut would. */
  kill(): Promise<void>;
}

const SOURCES = ["testsrc2=size=320x180:rate=25", "sine=frequency=440:sample_rate=48000"];
const HLS_FLAGS = "delete_segments+temp_file+independent_segments";

/** Starts ffmpeg as a live encoder of two qualities with segments of 1 s: `master.m3u8`, `v0/`, `v1/`. */
export async function startEncoder(folder: string): Promise<Encoder> {
  await mkdir(folder, { recursive: true });
  const from = SOURCES.flatMap((source) => ["-f", "lavfi", "-i", source]);
  const maps = ["-map", "0:v", "-map", "1:a", "-map", "0:v", "-map", "1:a"];
  const video = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25", "-sc_threshold", "0"];
  const rates = ["-b:v:0", "400k", "-b:v:1", "150k", "-c:a", "aac", "-b:a", "64k"];
  const hls = ["-f", "hls", "-hls_time", "1", "-hls_list_size", "6", "-hls_flags", HLS_FLAGS];
  const names = ["-hls_segment_type", "fmp4", "-master_pl_name", "master.m3u8", "-var_stream_map", "v:0,a:0 v:1,a:1"];
  const files = ["-hls_segment_filename", "v%v/seg_%03d.m4s", "v%v/index.m3u8"];
  const line = [
    "-nostdin",
    "-loglevel",
    "error",
    "-re",
    ...from,
    ...maps,
    ...video,
    ...rates,
    ...hls,
    ...names,
    ...files,
  ];
  const child = spawn("ffmpeg", line, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Waits until a file exists; returns its time, in Unix milliseconds. */
export async function untilExists(file: string): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    if (existsSync(file)) return Date.now();
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${file} does not appear`);
}
