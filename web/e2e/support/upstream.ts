import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Whether every journey of the run is in front of the plain channel API. */
export const IN_FRONT_OF_PLAIN = process.env.UPSTREAM === "plain";

/** A channel API behind a worker. */
export interface UpstreamApi {
  /** The value of `--origin`. */
  readonly origin: string;
  end(): Promise<void>;
}

/** The plain channel API of `plain/upstream.mjs`, whose state is in `file`. */
export async function startPlain(file: string): Promise<UpstreamApi> {
  const script = join(import.meta.dirname, "plain/upstream.mjs");
  const child = spawn(process.execPath, [script, "--data", file], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const origin = /^plain upstream on (http:\/\/\S+)$/.exec(String(line))?.[1];
  if (origin === undefined) throw new Error(`the plain upstream printed ${line}`);
  return {
    origin,
    async end() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
