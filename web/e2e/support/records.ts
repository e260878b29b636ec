import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Runs a script in the Python that `make test` set up, and returns its JSON output. */
function python<T>(script: string, ...args: readonly string[]): T {
  return JSON.parse(execFileSync("python3", ["-c", script, ...args], { encoding: "utf8" })) as T;
}

const READ_LAKE = `
import duckdb, json, os, sys
from deltalake import DeltaTable
# A bar would stand in what is read as JSON.
duckdb.sql("SET enable_progress_bar = false")
folder = sys.argv[1]
rows = []
for table in ("event", "video_event", "video_viewing", "session", "cmcd"):
    if not os.path.exists(f"{folder}/{table}/_delta_log"): continue
    files = DeltaTable(f"{folder}/{table}").file_uris()
    if not files: continue
    relation = duckdb.sql(f"SELECT * FROM read_parquet({files!r}, union_by_name = true)")
    named = "event, extras ->> 'page'" if "event" in relation.columns else "NULL, NULL"
    names = ("event_id", "trk", "channel", "app_version", "event", "page")
    rows += [{"table": table, **dict(zip(names, r))} for r in duckdb.sql(f"SELECT event_id, trk, channel, app_version, {named} FROM relation ORDER BY occurred_at").fetchall()]
print(json.dumps(rows))
`;

export interface LakeRow {
  readonly table: "event" | "video_event" | "video_viewing" | "session" | "cmcd";
  readonly event_id: string;
  readonly event: string | null;
  /** The visited page. */
  readonly page: string | null;
  readonly trk: string | null;
  readonly channel: string | null;
  readonly app_version: string | null;
}

/** A worker's Parquet lake as an analyst's DuckDB reads it. */
export const readLake = (data: string): LakeRow[] => python(READ_LAKE, join(data, "lake"));

const READ_VIEWING_TIMES = `
import duckdb, json, sys
from deltalake import DeltaTable
duckdb.sql("SET enable_progress_bar = false")
names = ("user_id", "origin_url", "viewing_time", "category", "sport", "gender", "school", "league")
files = DeltaTable(f"{sys.argv[1]}/video_viewing").file_uris()
read = duckdb.sql(f"SELECT {', '.join(names)} FROM read_parquet({files!r}, union_by_name = true)")
print(json.dumps([dict(zip(names, row)) for row in read.fetchall()]))
`;

/** The lake's viewing times, by their columns. */
export const readViewingTimes = (data: string): { readonly [column: string]: unknown }[] =>
  python(READ_VIEWING_TIMES, join(data, "lake"));

const READ_CHARGES = `
import json, sqlite3, sys
books = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(json.dumps([{"amount": a, "status": s} for a, s in books.execute("SELECT amount, status FROM sandbox_charges")]))
`;

/** Every charge requested from the payment provider. */
export const readCharges = (data: string): { amount: number; status: string }[] =>
  python(READ_CHARGES, join(data, "channel.sqlite"));

const READ_CLIPS = `
import json, sqlite3, sys
books = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(json.dumps([name for name, in books.execute("SELECT name FROM clips")]))
`;

/** The requested clips, by name. */
export const readClips = (data: string): string[] => python(READ_CLIPS, join(data, "channel.sqlite"));

const READ_RECORDS = `
import json, sqlite3, sys
books = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
ask = lambda sql: books.execute(sql).fetchall()
print(json.dumps({
  "favourites": [i for i, in ask("SELECT favoritable_id FROM favorites WHERE kind = 'participant'")],
  "orders": [{"product": p, "status": s} for p, s in ask("SELECT product_id, status FROM orders")],
  "charges": [s for s, in ask("SELECT status FROM sandbox_charges")],
  "clips": [n for n, in ask("SELECT name FROM clips")],
  "cut": [n for n, in ask("SELECT name FROM clips WHERE status = 'ready'")],
}))
`;

export interface WorkerRecords {
  /** Teams. */
  readonly favourites: readonly number[];
  readonly orders: readonly { readonly product: number; readonly status: string }[];
  /** The status of each charge. */
  readonly charges: readonly string[];
  /** Names of clips, and of the finished ones. */
  readonly clips: readonly string[];
  readonly cut: readonly string[];
}

/** The worker's records of its viewers. */
export const readRecords = (data: string): WorkerRecords => python(READ_RECORDS, join(data, "channel.sqlite"));

const READ_VIEWINGS = `
import duckdb, json, os, sys
from deltalake import DeltaTable
duckdb.sql("SET enable_progress_bar = false")
folder = sys.argv[1]
def rows(table, query):
    if not os.path.exists(f"{folder}/{table}/_delta_log"): return []
    files = DeltaTable(f"{folder}/{table}").file_uris()
    if not files: return []
    relation = duckdb.sql(f"SELECT * FROM read_parquet({files!r}, union_by_name = true)")
    found = duckdb.sql(query)
    return [dict(zip(found.columns, row)) for row in found.fetchall()]
print(json.dumps({
  "viewings": rows("viewing", "SELECT viewing, profile, ending, startup_time, rebuffer_count, rebuffer_time, watch_time, content_type || ' ' || content_id AS content FROM relation ORDER BY began_at"),
  "reports": rows("cmcd", "SELECT sid, any_value(profile) AS profile, max(CAST(keys -> 'bsa' ->> 0 AS INTEGER)) AS rebuffers, max(CAST(keys ->> 'com.touchline-spot' AS INTEGER)) AS spot, max(content_id) AS content FROM relation GROUP BY sid ORDER BY min(occurred_at)"),
}))
`;

/** A viewing as an analyst reads it; times in seconds. */
export interface LakeViewing {
  readonly viewing: string;
  /** The browser's analytics key. */
  readonly profile: string;
  readonly ending: string;
  readonly startup_time: number;
  readonly rebuffer_count: number;
  readonly rebuffer_time: number;
  readonly watch_time: number;
  readonly content: string;
}

/** A player's reports of one viewing; `spot` is null without a preroll. */
export interface LakeReports {
  readonly sid: string;
  readonly profile: string;
  readonly rebuffers: number;
  readonly spot: number | null;
  readonly content: string;
}

/** The viewings that have a row, and the players' reports by viewing, both in order of their start. */
export const readViewings = (data: string): { viewings: LakeViewing[]; reports: LakeReports[] } =>
  python(READ_VIEWINGS, join(data, "lake"));
