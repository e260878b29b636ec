"""Writes rows as a lake: Parquet files by day and a Delta log, with the columns that the dictionary names."""

import datetime
import json
import os
import re

import polars
from deltalake import DeltaTable

US = polars.Datetime("us", "UTC")
TYPES = {"text": polars.String, "text (JSON)": polars.String, "double": polars.Float64, "timestamp": US}
TYPES |= {"bigint": polars.Int64, "boolean": polars.Boolean}
DELTA = {polars.String: "string", polars.Float64: "double", US: "timestamp", polars.Int64: "long", polars.Boolean: "boolean"}


# Files of earlier days were written before version 5 of the schema, and have the columns of that time.
UPGRADED_DAY = 20731 + 14


def tables(dictionary):
    """The columns of each table, by name, from docs/datalake.md, with the version that added them."""
    found = {}
    text = open(dictionary).read().partition("\n## Names of events")[0]
    for part in re.split(r"^### `", text, flags=re.M)[1:]:
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|.* \| (\d+) \|$", part, flags=re.M)
        found[part[: part.index("`")]] = {name: (TYPES[kind], int(since)) for name, kind, since in rows if name != "received_date"}
    return found


def statistics(rows):
    """The number of rows and the range of their times, as the worker writes them."""
    times = [row["occurred_at"] // 1000 for row in rows]
    moments = [datetime.datetime.fromtimestamp(ms / 1000, datetime.UTC).isoformat(timespec="milliseconds") for ms in times]
    ends = {"minValues": {"occurred_at": min(moments)}, "maxValues": {"occurred_at": max(moments)}} if rows else {}
    return {"numRecords": len(rows), **ends}


def write_file(rows, schema, root, path):
    """Writes rows, given as lists of values by column, and returns the log's line."""
    os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
    times = {name: polars.Int64 if kind == US else kind for name, kind in schema.items()}
    frame = polars.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=times, strict=False)
    frame = frame.with_columns(polars.col(name).cast(US) for name, kind in schema.items() if kind == US)
    frame.write_parquet(f"{root}/{path}")
    day = re.search(r"received_date=([\d-]+)", path).group(1)
    add = {"path": path, "partitionValues": {"received_date": day}, "size": os.path.getsize(f"{root}/{path}")}
    add |= {"modificationTime": 0, "dataChange": True, "stats": json.dumps(statistics(rows))}
    return json.dumps({"add": add})


def write(folder, name, columns, rows):
    """Writes one table. Each day has one file, so that rows received twice are in different files now and then."""
    root, days = f"{folder}/{name}", {}
    schema = {column: kind for column, (kind, _) in columns.items()}
    # A table that came later has no files of that time.
    earlier = {column: kind for column, (kind, since) in columns.items() if since < 5} or schema
    for row in rows:
        days.setdefault(row["received_at"] // 86_400_000_000, []).append(row)
    fields = [(column, DELTA[kind]) for column, kind in schema.items()] + [("received_date", "date")]
    fields = [{"name": column, "type": kind, "nullable": True, "metadata": {}} for column, kind in fields]
    meta = {"id": name, "format": {"provider": "parquet", "options": {}}, "partitionColumns": ["received_date"]}
    meta |= {"schemaString": json.dumps({"type": "struct", "fields": fields}), "configuration": {}, "createdTime": 0}
    lines = [json.dumps({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}), json.dumps({"metaData": meta})]
    write_file([], schema, root, "_columns/received_date=1970-01-01/columns.parquet")
    for day, of_day in sorted(days.items()):
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
        of_time = schema if day >= UPGRADED_DAY else earlier
        lines.append(write_file(of_day, of_time, root, f"received_date={date}/part.parquet"))
    os.makedirs(f"{root}/_delta_log")
    open(f"{root}/_delta_log/{0:020}.json", "w").write("\n".join(lines) + "\n")
    DeltaTable(root).create_checkpoint()
