"""Compares each shipped query with a simulated month: check.py SEED EVENTS [FOLDER]

Writes the lake into the folder and keeps it; without one it is temporary. Prints the seed, so that a failure can be
repeated.
"""

import datetime
import pathlib
import sys
import tempfile
import time

import duckdb
import polars
from deltalake import DeltaTable, QueryBuilder

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import lake
from answers import answers
from world import World

# Columns of a query that the world does not know.
LEFT_OUT = {
    "playback_quality": ["startup", "startup_95", "left_before_start_percent", "rebuffers", "rebuffering_percent"]
    + ["with_errors_percent", "kbps", "dropped_frames", "live_latency"],
    "playback_endings": ["minutes", "spots_begun", "spots_completed"],
    "renditions_over_time": ["viewings"],
}
# The figure that the other columns of a row add up to.
SUMS = {
    "trial_conversion": ("trials", "converted + cancelled + ended + open"),
    "payment_funnel": ("entered", "paid + free + waiting + declined"),
    "preroll_completion": ("started", 'completed + skipped + failed + abandoned'),
    "revenue": ("net", "gross - discount - sent_back"),
}


def equal(found, expected):
    """Whether two cells are equal. Figures are rounded to one digit at least."""
    if isinstance(found, float) or isinstance(expected, float):
        return None not in (found, expected) and abs(found - expected) <= 0.0500001
    return found == expected


def order(row):
    return [(value is None, str(value)) for value in row if not isinstance(value, float)]


def compare(name, found, expected):
    faults = [f"{name}: {len(found)} rows, expected {len(expected)}"] if len(found) != len(expected) else []
    for one, other in zip(sorted(found, key=order), sorted(expected, key=order)):
        if not all(map(equal, one, other)) or len(one) != len(other):
            faults.append(f"{name}: {one}\n    expected {other}")
    return faults[:3]


def main(seed, events, folder):
    start = time.process_time()
    world = World(seed, events)
    print(f"seed {seed}: {world.sent} rows, {sum(map(len, world.rows.values()))} with doubles")
    tables = lake.tables(HERE.parents[2] / "docs/datalake.md")
    for name, schema in tables.items():
        lake.write(folder, name, schema, world.rows[name])
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    db.execute("SET VARIABLE lake = ?", [str(folder)])
    queries = HERE.parent / "queries"
    db.execute((queries / "views.sql").read_text())
    expected, faults = answers(world), []
    shipped = {path.stem: path.read_text() for path in queries.glob("*.sql") if not path.stem.startswith("views")}
    faults += [f"{name}: no answer is known" for name in shipped.keys() - expected.keys()]
    for name, sql in sorted(shipped.items()):
        result = db.sql(sql.strip().rstrip(";"))
        columns = [column for column in zip(result.columns, result.types) if column[0] not in LEFT_OUT.get(name, [])]
        # Python reads times with a zone only with a package of its own.
        cells = [f'CAST("{column}" AS {str(kind).removesuffix(" WITH TIME ZONE")})' for column, kind in columns]
        faults += compare(name, result.project(", ".join(cells)).fetchall(), expected[name])
        if name in SUMS:
            total, parts = SUMS[name]
            wrong = result.filter(f"{total} <> {parts}").fetchall()
            faults += [f"{name}: {total} is not {parts}: {wrong[:2]}"] if wrong else []
    faults += readers(db, folder, tables)
    print("\n".join(faults) or f"{len(shipped)} queries agree", f"{time.process_time() - start:.1f} s of processor time")
    return 1 if faults else 0


def readers(db, folder, tables):
    """Polars counts the same events as the views, also of one day, and finds the same current rows of dimensions."""
    faults, day = [], datetime.datetime(2026, 10, 14, tzinfo=datetime.UTC)
    for name in tables:
        delta = polars.scan_delta(f"{folder}/{name}")
        if name.endswith("_dim"):
            current = delta.sort("occurred_at").unique(["channel", "id"], keep="last").collect()
            found = current["name"].to_list(), [row[0] for row in db.sql(f"SELECT name FROM {name}").fetchall()]
            faults += [f"{name}: {found}"] if sorted(found[0]) != sorted(found[1]) else []
            continue
        key, end, last = polars.col("event_id").n_unique(), day + datetime.timedelta(1), delta
        if name == "viewing":
            # Its last row counts. The period ends between the two rows of one.
            key, last = polars.col("viewing").n_unique(), delta.sort("received_at").unique("viewing", keep="last")
            later = delta.group_by("viewing").agg(polars.len(), polars.col("occurred_at").max())
            end = later.filter(polars.col("len") > 1).collect()["occurred_at"].min()
        start = end - datetime.timedelta(1)
        of_day = last.filter(polars.col("occurred_at").is_between(start, end, "left"))
        bounds = f"lake_{name}(TIMESTAMPTZ '{start}', TIMESTAMPTZ '{end}')"
        for rows, frame in ((name, delta), (bounds, of_day)):
            counts = db.sql(f"SELECT count(*) FROM {rows}").fetchall()[0][0], frame.select(key).collect().item()
            faults += [f"{rows}: DuckDB and Polars count {counts}"] if counts[0] != counts[1] else []
    faults += typed_columns(db, folder)
    few = "SELECT len(lake_files('event', TIMESTAMPTZ '2026-10-14 00:00Z', TIMESTAMPTZ '2026-10-15 00:00Z'))"
    read, whole = (db.sql(sql).fetchall()[0][0] for sql in (few, "SELECT len(lake_files('event', NULL, NULL))"))
    # Late events are received up to three days later.
    return faults + ([f"a day reads {read} of {whole} files"] if read > 8 else [])


def typed_columns(db, folder):
    """Files before version 5 lack the typed columns: Polars and deltalake read them as empty, the views fill them."""
    faults, sums = [], "count(*), count(net_minor), sum(coalesce(net_minor, CAST(net AS BIGINT)))"
    expected = db.sql("SELECT sum(net), sum(net_minor), bool_and(net_minor = net) FROM order_event").fetchall()[0]
    faults += [] if expected[0] == expected[1] and expected[2] else [f"order_event: net and net_minor are {expected}"]
    path = f"{folder}/order_event"
    amount = polars.coalesce("net_minor", polars.col("net").cast(polars.Int64)).sum().alias("total")
    once = polars.scan_delta(path).unique("event_id").select(polars.len(), polars.col("net_minor").count(), amount)
    delta = QueryBuilder().register("t", DeltaTable(path)).execute(f"SELECT {sums} FROM (SELECT max(net) AS net, max(net_minor) AS net_minor FROM t GROUP BY event_id)")
    delta = tuple(polars.DataFrame(delta.read_all()).row(0))
    for name, (rows, typed, total) in (("Polars", once.collect().row(0)), ("deltalake", delta)):
        agrees = 0 < typed < rows and total == expected[0]
        faults += [] if agrees else [f"order_event in {name}: {typed} of {rows} rows typed, {total} of {expected[0]}"]
    starts = db.sql("SELECT DISTINCT CAST(starts AS VARCHAR), starts_at, is_removed FROM event_dim").fetchall()
    return faults + ([] if len(starts) == 1 and None not in starts[0] else [f"event_dim: {starts}"])


if __name__ == "__main__":
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(int(arguments[0]), int(arguments[1]), pathlib.Path(arguments[2] if arguments[2:] else temporary)))
