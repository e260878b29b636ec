import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const CLUSTER = join(import.meta.dirname, "../../../scripts/postgresql");
const MOTO = ["-c", "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"];
/** moto requires a signature, and doesn't verify it. */
const ANYONE = "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

/** The services that several workers share, used by one here: PostgreSQL, and a bucket of moto's S3. */
export interface Shared {
  /** Flags of `touchline serve`. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

async function lineOf(output: Readable, pattern: RegExp): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface({ input: output })) {
    said.push(line);
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) {
      output.resume();
      return found;
    }
  }
  throw new Error(`it ended before printing ${pattern}\n${said.join("\n")}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

export async function startShared(binary: string): Promise<Shared> {
  const cluster = spawn(CLUSTER, { stdio: ["pipe", "pipe", "inherit"] });
  const moto = spawn("python3", MOTO, { stdio: ["ignore", "ignore", "pipe"] });
  const [store, s3] = await Promise.all([
    lineOf(cluster.stdout, /^(postgres:\S+)$/),
    lineOf(moto.stderr, /Running on (http:\/\/\S+)/),
  ]);
  const bucketResponse = await fetch(`${s3}/channel`, { method: "PUT", headers: { authorization: ANYONE } });
  if (!bucketResponse.ok) throw new Error(`the bucket could not be created: ${bucketResponse.status}`);
  const migrated = spawn(binary, ["migrate", "--store", store], { stdio: ["ignore", "ignore", "inherit"] });
  await ended(migrated);
  if (migrated.exitCode !== 0) throw new Error("the tables could not be created");
  return {
    flags: ["--store", store, "--media", "s3://channel/north", "--datalake-sinks", "lake:s3://channel/lake"],
    env: {
      AWS_ENDPOINT_URL: s3,
      AWS_ALLOW_HTTP: "true",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: "us-east-1",
    },
    async end() {
      // It stops with its standard input.
      cluster.stdin.end();
      moto.kill("SIGKILL");
      await Promise.all([ended(cluster), ended(moto)]);
    },
  };
}
