import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A known unstable journey: it runs and reports, and its failure doesn't fail the run. */
export interface Entry {
  /** Its name from `nameOf`: `tabs/leader.spec.ts: two tabs that press Pay…`. */
  readonly journey: string;
  readonly cause: string;
  /** Date of the entry, `2026-11-28`. */
  readonly since: string;
}

/** Lifetime of an entry, in days. */
const LIFETIME_DAYS = 14;
/** More entries at a time fail the run. */
const MAX_ENTRIES = 2;
const DAY_MS = 86_400_000;

const FOLDER = join(import.meta.dirname, "..");
const FILE = "unstable.json";

/** A journey's name: its file from `web/e2e`, the titles of its groups and its own. */
export const nameOf = (file: string, titles: readonly string[]): string =>
  `${file.replace(/^.*\/e2e\//, "")}: ${titles.join(" › ")}`;

/**
 * The faults of a ledger as sentences; none if it is valid. `history` has the entries of each earlier version of the
 * file: an entry with a later date than its journey's first one is a renewal.
 */
export function faultsOf(entries: readonly Entry[], history: readonly Entry[], today: Date): string[] {
  const faults = entries.flatMap(({ journey, cause, since }) => {
    const start = Date.parse(since);
    const first = history
      .filter((earlier) => earlier.journey === journey)
      .map((earlier) => earlier.since)
      .sort()[0];
    const all: string[] = [];
    if (!journey || !cause?.trim()) all.push("an entry names its journey and its cause");
    if (!/^\d{4}-\d\d-\d\d$/.test(since) || Number.isNaN(start)) all.push("its date is not a date");
    else if (start > today.getTime()) all.push("its date is in the future");
    else if (today.getTime() >= start + LIFETIME_DAYS * DAY_MS)
      all.push(`it expired ${LIFETIME_DAYS} days after ${since}`);
    if (first !== undefined && first !== since) all.push(`it was first listed on ${first} and cannot be renewed`);
    return all.map((fault) => `${journey}: ${fault}`);
  });
  const journeys = entries.map(({ journey }) => journey);
  if (new Set(journeys).size < journeys.length) faults.push("a journey is listed twice");
  if (entries.length > MAX_ENTRIES) faults.push(`${entries.length} journeys are listed; the limit is ${MAX_ENTRIES}`);
  return faults;
}

export type Status = "passed" | "failed" | "timedout" | "interrupted";

/** A run's status under the ledger. `failures` has the failed journeys; `isWhole`: nothing else went wrong. */
export function statusOf(
  status: Status,
  failures: readonly string[],
  entries: readonly Entry[],
  faults: readonly string[],
  isWhole: boolean,
): Status {
  const listed = new Set(entries.map(({ journey }) => journey));
  if (faults.length > 0 && status === "passed") return "failed";
  const areAllListed = failures.length > 0 && failures.every((journey) => listed.has(journey));
  return status === "failed" && isWhole && areAllListed && faults.length === 0 ? "passed" : status;
}

export const readLedger = (): Entry[] => JSON.parse(readFileSync(join(FOLDER, FILE), "utf8")) as Entry[];

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: FOLDER, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Ledger entries from every git revision; empty outside a clone. */
export function readHistory(): Entry[] {
  let commits: string[];
  try {
    commits = git("log", "--format=%H", "--diff-filter=AM", "--", FILE).split("\n").filter(Boolean);
  } catch {
    return [];
  }
  return commits.flatMap((commit) => JSON.parse(git("show", `${commit}:./${FILE}`)) as Entry[]);
}
