import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { context } from "esbuild";
import type { Given, Trial, Tried } from "./entry";
import { sourceTexts } from "./statements";

const ENTRY = fileURLToPath(new URL("./entry.ts", import.meta.url));
const EDITED = /[\\/]src[\\/]((?:sagas|slices)[\\/][^\\/]+\.ts)$/;
/** How long the product as it stands is waited for, milliseconds. */
const FIRST_PATIENCE = 180_000;
/** How many times longer than that a mutant may take. One that goes round for ever is caught: nobody would miss it. */
const PATIENCE = 5;
const LEAST_PATIENCE = 5_000;

/** Bundles the product and the replayer, again and again. */
export interface Bundler {
  /** Writes a bundle to `file`, the text of each saga and reducer as `edit` gives it. */
  bundle(file: string, edit: (name: string, text: string) => string): Promise<void>;
  close(): Promise<void>;
}

/** Starts bundling. What no one edits is parsed once. */
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

/** Tries mutants in a thread, which is replaced when one of them does not end. */
export interface Lab {
  try(trial: Omit<Trial, "id">): Promise<Tried>;
  close(): Promise<void>;
}

/** How long a trial of these logs is waited for, milliseconds. */
export type Patience = (logs: readonly string[]) => number;

/** How long mutants are waited for where the product itself took so many milliseconds a log. */
export const patienceFor =
  (took: ReadonlyMap<string, number>): Patience =>
  (of) =>
    LEAST_PATIENCE + PATIENCE * of.reduce((sum, log) => sum + (took.get(log) ?? 0), 0);

/** Opens a thread on a bundle. */
export function openLab(file: string, given: Given, patience: Patience = () => FIRST_PATIENCE): Lab {
  let worker: Worker | null = null;
  let trials = 0;
  let heard: (tried: Tried) => void = () => undefined;

  function open(): Worker {
    const thread = new Worker(file, { workerData: given });
    thread.on("message", (tried: Tried) => heard(tried));
    thread.on("error", (error) => fail(`it could not run: ${error.message}`));
    return thread;
  }

  async function close(): Promise<void> {
    const old = worker;
    worker = null;
    await old?.terminate();
  }

  /** Ends the present trial with its thread. */
  function fail(caughtBy: string): void {
    const told = heard;
    void close().then(() => told({ id: trials, caughtBy, reached: [] }));
  }

  return {
    close,
    try(trial) {
      worker ??= open();
      trials += 1;
      const asked: Trial = { ...trial, id: trials };
      return new Promise((resolve) => {
        const timer = setTimeout(() => fail("it never ended"), patience(asked.logs));
        heard = (tried) => {
          if (tried.id !== asked.id) return;
          clearTimeout(timer);
          resolve(tried);
        };
        worker?.postMessage(asked);
      });
    },
  };
}
