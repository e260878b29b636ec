import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import type { Given, Trial, Tried } from "./entry";

const ENTRY = fileURLToPath(new URL("./entry.ts", import.meta.url));
const SAGAS = /[\\/]src[\\/]sagas[\\/][^\\/]+\.ts$/;
/** A mutant that goes round for ever is caught: nobody would miss it. */
const PATIENCE_MS = 15_000;

/** Bundles the product and the replayer into `file`, each saga's text as `edit` gives it. */
export async function bundle(file: string, edit: (name: string, text: string) => string): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "edit-sagas",
        setup({ onLoad }) {
          onLoad({ filter: SAGAS }, ({ path }) => ({
            contents: edit(basename(path), readFileSync(path, "utf8")),
            loader: "ts",
          }));
        },
      },
    ],
  });
}

/** Tries mutants in a thread, which is replaced when one of them does not end. */
export interface Lab {
  try(trial: Omit<Trial, "id">): Promise<Tried>;
  close(): Promise<void>;
}

/** Opens a thread on a bundle. */
export function openLab(file: string, given: Given): Lab {
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
        const timer = setTimeout(() => fail("it never ended"), PATIENCE_MS);
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
