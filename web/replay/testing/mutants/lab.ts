import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { context } from "esbuild";
import type { ThreadData, Trial, Tried } from "./entry";
import { sourceTexts } from "./statements";

const ENTRY = fileURLToPath(new URL("./entry.ts", import.meta.url));
const EDITED = /[\\/]src[\\/]((?:sagas|slices)[\\/][^\\/]+\.ts)$/;
/** Timeout of the unchanged product, in milliseconds. */
const PRODUCT_TIMEOUT_MS = 180_000;
/** Factor of a mutant's timeout. An endless mutant counts as caught, since nobody would miss it. */
const TIMEOUT_FACTOR = 5;
const MIN_TIMEOUT_MS = 5_000;

/** Bundles the product and the replayer repeatedly. */
export interface Bundler {
  /** Writes a bundle to `file`, with each saga and reducer transformed by `edit`. */
  bundle(file: string, edit: (name: string, text: string) => string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the bundler. Unedited files are parsed once. */
export async function openBundler(): Promise<Bundler> {
  let edited: (name: string, text: string) => string = (_name, text) => text;
  const bundling = await context({
    entryPoints: [ENTRY],
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "edit",
        setup({ onLoad }) {
          onLoad({ filter: EDITED }, ({ path }) => {
            const name = EDITED.exec(path)?.[1] ?? "";
            return { contents: edited(name, sourceTexts.get(name) ?? ""), loader: "ts" };
          });
        },
      },
    ],
  });
  return {
    async bundle(file, edit) {
      edited = edit;
      const [output] = (await bundling.rebuild()).outputFiles ?? [];
      writeFileSync(file, output?.contents ?? "");
    },
    close: () => bundling.dispose(),
  };
}

/** Runs mutants in a thread, which is replaced if one of them hangs. */
export interface MutantThread {
  try(trial: Omit<Trial, "id">): Promise<Tried>;
  close(): Promise<void>;
}

/** The timeout of a trial of these logs, in milliseconds. */
export type TimeoutOf = (logs: readonly string[]) => number;

/** The timeout of mutants, from the product's time per log in milliseconds. */
export const timeoutFor =
  (took: ReadonlyMap<string, number>): TimeoutOf =>
  (of) =>
    MIN_TIMEOUT_MS + TIMEOUT_FACTOR * of.reduce((sum, log) => sum + (took.get(log) ?? 0), 0);

/** Opens a thread on a bundle. */
export function openMutantThread(
  file: string,
  threadData: ThreadData,
  timeoutOf: TimeoutOf = () => PRODUCT_TIMEOUT_MS,
): MutantThread {
  let worker: Worker | null = null;
  let trials = 0;
  let onResult: (tried: Tried) => void = () => undefined;

  function open(): Worker {
    const thread = new Worker(file, { workerData: threadData });
    thread.on("message", (tried: Tried) => onResult(tried));
    thread.on("error", (error) => fail(`it could not run: ${error.message}`));
    return thread;
  }

  async function close(): Promise<void> {
    const old = worker;
    worker = null;
    await old?.terminate();
  }

  /** Ends the current trial with its thread. */
  function fail(caughtBy: string): void {
    const settle = onResult;
    void close().then(() => settle({ id: trials, caughtBy, reached: [] }));
  }

  return {
    close,
    try(trial) {
      worker ??= open();
      trials += 1;
      const request: Trial = { ...trial, id: trials };
      return new Promise((resolve) => {
        const timer = setTimeout(() => fail("it never ended"), timeoutOf(request.logs));
        onResult = (tried) => {
          if (tried.id !== request.id) return;
          clearTimeout(timer);
          resolve(tried);
        };
        worker?.postMessage(request);
      });
    },
  };
}
