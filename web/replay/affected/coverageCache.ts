import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileRanges } from "./coverageRecorder";

/** A build whose recordings are stored. */
export interface RecordedBuild {
  /** Texts of its sources, by file. */
  readonly texts: Readonly<Record<string, string>>;
  /** Lines with code. */
  readonly code: FileRanges;
  /** Lines that run as the modules load. */
  readonly loaded: FileRanges;
}

/** A session's lines on one build. */
export interface StoredSession {
  readonly lines: FileRanges;
  readonly isCut: boolean;
}

export interface CoverageCache {
  build(id: string): RecordedBuild | undefined;
  storeBuild(id: string, build: RecordedBuild): void;
  /** The build on which a log was recorded last. */
  buildOf(log: string): string | undefined;
  session(log: string, build: string): StoredSession | undefined;
  /** Replaces the log's earlier recording. */
  storeSession(log: string, build: string, session: StoredSession): void;
  /** Removes builds without a session. */
  prune(): void;
}

/** The name of a log in the cache. */
export const logHash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);

/** Opens the recordings in a folder. A damaged file counts as absent. */
export function openCoverageCache(folder: string): CoverageCache {
  const [builds, sessions] = [join(folder, "builds"), join(folder, "sessions")];
  mkdirSync(builds, { recursive: true });
  mkdirSync(sessions, { recursive: true });
  const buildFile = (id: string): string => join(builds, `${id}.json`);
  const sessionFile = (log: string, build: string): string => join(sessions, `${log}.${build}.json`);
  const recorded = new Map(
    readdirSync(sessions).flatMap((file) => {
      const [log = "", build = "", ending] = file.split(".");
      return ending === "json" ? [[log, build] as const] : [];
    }),
  );
  const read = <Value>(file: string): Value | undefined => {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Value;
    } catch {
      return undefined;
    }
  };
  const write = (file: string, value: unknown): void => {
    // Another run may read it meanwhile.
    const written = `${file}.${process.pid}`;
    writeFileSync(written, JSON.stringify(value));
    renameSync(written, file);
  };

  return {
    build: (id) => (existsSync(buildFile(id)) ? read(buildFile(id)) : undefined),
    storeBuild: (id, build) => write(buildFile(id), build),
    buildOf: (log) => recorded.get(log),
    session: (log, build) => read(sessionFile(log, build)),
    storeSession(log, build, session) {
      const earlier = recorded.get(log);
      write(sessionFile(log, build), session);
      recorded.set(log, build);
      if (earlier !== undefined && earlier !== build) rmSync(sessionFile(log, earlier), { force: true });
    },
    prune() {
      const used = new Set(recorded.values());
      for (const file of readdirSync(builds))
        if (!used.has(file.replace(/\.json.*$/, ""))) rmSync(join(builds, file), { force: true });
    },
  };
}
