import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import type { Given, Trial, Tried } from "./entry";

const ENTRY = fileURLToPath(new URL("./entry.ts", import.meta.url));
const SAGAS = /[\\/]src[\\/]sagas[\\/][^\\/]+\.ts$/;
/** A mutant that goes round for ever is caught: nobody would miss it. */
const PATIENCE_MS = 5_000;

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
  let id = 0;

  async function stop(): Promise<void> {
    const old = worker;
    worker = null;
    await old?.terminate();
  }

  return {
    close: stop,
    try(trial) {
      worker ??= new Worker(file, { workerData: given });
      const thread = worker;
      id += 1;
      const asked: Trial = { ...trial, id };
      return new Promise((resolve) => {
        const end = (caughtBy: string): void => {
          thread.removeAllListeners();
          void stop().then(() => resolve({ id: asked.id, caughtBy, reached: [] }));
        };
        const timer = setTimeout(() => end("it never ended"), PATIENCE_MS);
        thread.once("message", (tried: Tried) => {
          clearTimeout(timer);
          thread.removeAllListeners();
          resolve(tried);
        });
        thread.once("error", (error) => {
          clearTimeout(timer);
          end(`it could not run: ${error.message}`);
        });
        thread.postMessage(asked);
      });
    },
  };
}
