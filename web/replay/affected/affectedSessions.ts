import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Accepted } from "../../src/eventlog/accepted";
import { type Affected, affectedText } from "./affectedText";
import { type ChangedFile, type Changes, changesSince } from "./changes";
import { coverOf } from "./cover";
import { bundleSources, type CoverageBundle, writeBundle } from "./coverageBundle";
import { logHash, openCoverageCache, type RecordedBuild, type StoredSession } from "./coverageCache";
import type { FileRanges, Recording, RecordingJob } from "./coverageRecorder";
import { linesIn, rangesText } from "./lineRanges";
import { importLines } from "./sourceLines";
import { tokensOf } from "./tokens";
import { type Transfer, transferBetween } from "./transfer";

export interface AffectedOptions {
  /** The folder of the sessions, as the caller typed it. */
  readonly from: string;
  readonly folder: string;
  /** The package's folder. */
  readonly web: string;
  readonly cache: string;
  /** The revision to compare with; undefined: the commit at which the branch left main. */
  readonly since: string | undefined;
  readonly json: boolean;
  readonly accepted: readonly Accepted[];
  record(job: RecordingJob): Promise<Recording>;
  print(text: string): void;
  progress(text: string): void;
}

/** Number of progress reports. */
const PROGRESS_STEPS = 20;

interface Recorded {
  readonly build: RecordedBuild;
  /** By file. */
  readonly sessions: ReadonlyMap<string, StoredSession & { readonly bytes: number }>;
  readonly unreadable: Affected["unreadable"];
  /** Number of sessions that weren't in the cache. */
  readonly newCount: number;
}

/** Without a changed line nothing needs to be recorded. */
const NOTHING: Recorded = {
  build: { texts: {}, code: {}, loaded: {} },
  sessions: new Map(),
  unreadable: [],
  newCount: 0,
};

/** Prints the fewest sessions that run the changed lines, and the changed lines that none runs. */
export async function affectedSessions(files: readonly string[], options: AffectedOptions): Promise<void> {
  const { from, web, since, json, print, progress } = options;
  const changes = await changesSince(web, since);
  const started = performance.now();
  const recorded =
    changes.files.size === 0 ? NOTHING : await recordedSessions(files, await bundleSources(web), options);
  const { sessions, newCount } = recorded;
  if (sessions.size > 0) {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    progress(`${sessions.size - newCount} sessions from the cache, ${newCount} recorded, in ${seconds} s`);
  }
  const affected = affectedBy(changes, recorded, { from, prefix: basename(web), of: files.length });
  print(json ? JSON.stringify(affected, null, 2) : affectedText(affected));
}

/** The lines that sessions run on this build: from the cache if it has them, else recorded. */
async function recordedSessions(
  files: readonly string[],
  bundle: CoverageBundle,
  { web, folder, cache, accepted, record, progress }: AffectedOptions,
): Promise<Recorded> {
  const stored = openCoverageCache(cache);
  const written = writeBundle(web, bundle);
  try {
    const job = { bundle: written.file, folder, accepted };
    const build = stored.build(bundle.id) ?? (await recordedBuild(bundle, job, record));
    stored.storeBuild(bundle.id, build);
    const transfers = new Map<string, Transfer | undefined>();
    const transferOf = (id: string): Transfer | undefined => {
      const before = transfers.has(id) ? undefined : stored.build(id);
      if (before) transfers.set(id, transferBetween(before, build));
      return transfers.get(id);
    };
    const sessions = new Map<string, StoredSession & { bytes: number }>();
    const unreadable: { file: string; reason: string }[] = [];
    const unrecorded: { readonly file: string; readonly bytes: number; readonly log: string }[] = [];
    for (const file of files) {
      const content = readFileSync(join(folder, file));
      const log = logHash(content);
      const id = stored.buildOf(log);
      const session = id === undefined ? undefined : stored.session(log, id);
      const current = session && (id === bundle.id ? session : transferOf(id as string)?.move(session));
      if (current) sessions.set(file, { ...current, bytes: content.length });
      else unrecorded.push({ file, bytes: content.length, log });
    }
    const step = Math.max(1, Math.ceil(unrecorded.length / PROGRESS_STEPS));
    let done = 0;
    await Promise.all(
      unrecorded.map(async ({ file, bytes, log }) => {
        const recording = await record({ ...job, file });
        done += 1;
        if (done % step === 0 || done === unrecorded.length) progress(`${done} of ${unrecorded.length} recorded`);
        if ("unreadable" in recording) {
          unreadable.push({ file, reason: recording.unreadable });
          return;
        }
        stored.storeSession(log, bundle.id, recording);
        sessions.set(file, { ...recording, bytes });
      }),
    );
    stored.prune();
    return { build, sessions, unreadable, newCount: unrecorded.length - unreadable.length };
  } finally {
    written.remove();
  }
}

/** The texts and lines of a build, and what runs as it loads. */
async function recordedBuild(
  { code, map, sources }: CoverageBundle,
  job: RecordingJob,
  record: AffectedOptions["record"],
): Promise<RecordedBuild> {
  const recording = await record(job);
  if ("unreadable" in recording) throw new Error(`the program cannot be loaded: ${recording.unreadable}`);
  const imports = new Map([...sources].map(([file, text]) => [file, importLines(file, text)]));
  const withoutImports = (file: string, lines: Iterable<number>): string =>
    rangesText([...lines].filter((line) => !imports.get(file)?.has(line)));
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of tokensOf(code, map)) lines.set(file, (lines.get(file) ?? new Set()).add(line));
  return {
    texts: Object.fromEntries(sources),
    code: Object.fromEntries([...lines].map(([file, all]) => [file, withoutImports(file, all)])),
    loaded: Object.fromEntries(
      Object.entries(recording.lines).map(([file, ranges]) => [file, withoutImports(file, linesIn(ranges))]),
    ),
  };
}

type Line = `${string}:${number}`;

const fileOf = (line: Line): string => line.slice(0, line.lastIndexOf(":"));

/** Line ranges of lines such as `src/sagas/auth.ts:3`. */
function rangesOf(lines: Iterable<Line>, prefix: string): FileRanges {
  const byFile = new Map<string, number[]>();
  for (const line of lines) {
    const file = `${prefix}/${fileOf(line)}`;
    byFile.set(file, [...(byFile.get(file) ?? []), Number(line.slice(fileOf(line).length + 1))]);
  }
  return Object.fromEntries([...byFile].map(([file, numbers]) => [file, rangesText(numbers)]));
}

/** Lines of the build that have code. A file that it doesn't have is of no replay. */
function changedLines(build: RecordedBuild, files: Changes["files"], of: (file: ChangedFile) => ReadonlySet<number>) {
  return [...files].flatMap(([file, changed]) => {
    const code = build.texts[file] === undefined ? undefined : linesIn(build.code[file] ?? "");
    return [...of(changed)].filter((line) => code?.has(line) ?? true).map((line): Line => `${file}:${line}`);
  });
}

function affectedBy(
  { since, files }: Changes,
  { build, sessions, unreadable }: Recorded,
  { from, prefix, of }: { readonly from: string; readonly prefix: string; readonly of: number },
): Affected {
  const changed = new Set(changedLines(build, files, ({ lines }) => lines));
  const changedIn = (ranges: FileRanges): Line[] =>
    [...files.keys()].flatMap((file) =>
      [...linesIn(ranges[file] ?? "")].map((line): Line => `${file}:${line}`).filter((line) => changed.has(line)),
    );
  const loaded = changedIn(build.loaded);
  const candidates = [...sessions]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { lines, bytes }]) => ({
      name,
      cost: bytes,
      elements: new Set([...changedIn(lines), ...loaded]),
    }));
  const { chosen, isMinimal } = coverOf(candidates);
  const unrun = [...changed].filter((line) => !candidates.some(({ elements }) => elements.has(line)));
  const isLoaded = (line: Line): boolean => build.texts[fileOf(line)] !== undefined;
  const removals = new Set(changedLines(build, files, (file) => file.removals));
  return {
    since,
    changed: changed.size,
    of,
    sessions: chosen.map(({ name, adds }) => ({
      file: join(from, name),
      adds: adds.length,
      lines: rangesOf(adds, prefix),
    })),
    isMinimal,
    loaded: rangesOf(loaded, prefix),
    unrun: rangesOf(unrun.filter(isLoaded), prefix),
    notLoaded: rangesOf(
      unrun.filter((line) => !isLoaded(line)),
      prefix,
    ),
    removals: rangesOf(removals, prefix),
    cut: [...sessions].flatMap(([file, { isCut }]) => (isCut ? [join(from, file)] : [])).sort(),
    unreadable: unreadable.map(({ file, reason }) => ({ file: join(from, file), reason })),
  };
}
