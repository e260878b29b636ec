//! A lake as DuckDB reads it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use touchline_datalake::Table;

/// Connects without a progress bar, which would appear among the rows of a long query.
const CONNECTED: &str = "import duckdb\n\
    def connected():\n\
    \x20   db = duckdb.connect()\n\
    \x20   db.execute('SET enable_progress_bar = false')\n\
    \x20   return db\n";

/// A Python program that can call `connected()` for its own DuckDB.
pub(crate) fn program(script: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", &format!("{CONNECTED}{script}")]);
    command
}

/// The ids of every row in every table of a lake according to its logs, sorted, with duplicates. Empty for a lake
/// without tables.
pub(crate) fn ids(lake: &Path) -> Vec<String> {
    let script = "import glob, sys\n\
        from deltalake import DeltaTable\n\
        logs = {log.rsplit('/', 1)[0] for log in glob.glob(sys.argv[1] + '/**/_delta_log/*.json', recursive=True)}\n\
        files = [file for log in logs for file in DeltaTable(log.removesuffix('/_delta_log')).file_uris()]\n\
        rows = connected().execute('SELECT event_id FROM read_parquet(?, union_by_name = true) ORDER BY 1', [files]).fetchall() if files else []\n\
        sys.stdout.writelines(id + '\\n' for (id,) in rows)\n";
    let output = program(script).arg(lake).output().unwrap();
    assert!(output.status.success(), "duckdb, deltalake (PyPI): {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Inspects every version of a table: versions with duplicate ids (`doubled`) or fewer rows than the previous one
/// (`missing`), the numbers of `versions`, `joins` and `rows` of the last one, and the number of files that no version
/// names and the table does not need (`orphans`).
pub(crate) fn every_version(lake: &Path, table: Table) -> Value {
    let script = "import collections, glob, json, os, re, sys\n\
        root = sys.argv[1]\n\
        db = connected()\n\
        counts, doubled, missing, named, doubles, rows, joins = collections.Counter(), [], [], {}, 0, 0, 0\n\
        def ids(path):\n\
        \x20   if path not in named:\n\
        \x20       named[path] = [id for (id,) in db.execute('SELECT event_id FROM read_parquet(?)', [root + '/' + path]).fetchall()]\n\
        \x20   return named[path]\n\
        commits = sorted(glob.glob(root + '/_delta_log/*.json'))\n\
        for version, commit in enumerate(commits):\n\
        \x20   before = rows\n\
        \x20   lines = [json.loads(line) for line in open(commit)]\n\
        \x20   joins += any(line.get('commitInfo', {}).get('operation') == 'OPTIMIZE' for line in lines)\n\
        \x20   for line in lines:\n\
        \x20       for what, step in (('remove', -1), ('add', 1)):\n\
        \x20           if what not in line: continue\n\
        \x20           for id in ids(line[what]['path']):\n\
        \x20               was, now = counts[id], counts[id] + step\n\
        \x20               counts[id], rows = now, rows + step\n\
        \x20               doubles += (now > 1) - (was > 1)\n\
        \x20   if doubles: doubled.append(version)\n\
        \x20   if rows < before: missing.append(version)\n\
        stored = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]\n\
        ours = r'_delta_log/(\\d{20}\\.(json|checkpoint\\.parquet)|_last_checkpoint)|_columns/received_date=1970-01-01/columns\\.parquet|_(erased|people)/[\\w-]+\\.json'\n\
        orphans = [path for path in stored if path not in named and not re.fullmatch(ours, path)]\n\
        print(json.dumps({'versions': len(commits), 'joins': joins, 'rows': rows, 'doubled': doubled, 'missing': missing, 'orphans': orphans}))\n";
    let output = program(script).arg(lake.join(table.name())).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The rows and distinct ids that PyPI's `deltalake`, Polars and DuckDB count at each version of a table.
pub(crate) fn counts(lake: &Path, table: Table) -> Vec<Value> {
    counts_of(lake, table, "0")
}

/// The same, starting at a version, which may be relative to the last one.
pub(crate) fn counts_of(lake: &Path, table: Table, first: &str) -> Vec<Value> {
    let script = "import json, sys\n\
        import polars\n\
        from deltalake import DeltaTable\n\
        path = sys.argv[1]\n\
        last = DeltaTable(path).version()\n\
        first = int(sys.argv[2])\n\
        for version in range(first if first >= 0 else last + 1 + first, last + 1):\n\
        \x20   files = DeltaTable(path, version=version).file_uris()\n\
        \x20   duck = connected().execute('SELECT count(*), count(DISTINCT event_id) FROM read_parquet(?)', [files]).fetchone() if files else (0, 0)\n\
        \x20   frame = polars.scan_delta(path, version=version).select(polars.len(), polars.col('event_id').n_unique().alias('ids')).collect()\n\
        \x20   print(json.dumps([*duck, *frame.row(0)]))\n";
    let output = program(script).arg(lake.join(table.name())).arg(first).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows of a query on the documented views, with all cells as text.
pub(crate) fn viewed(lake: &Path, query: &str) -> Value {
    let script = "import json, sys\n\
        lake, views, query = sys.argv[1:]\n\
        db = connected()\n\
        db.execute(\"SET TimeZone = 'UTC'\")\n\
        db.execute('SET VARIABLE lake = ' + repr(lake))\n\
        db.execute(open(views).read())\n\
        rows = db.execute('SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (' + query + chr(10) + ')').fetchall()\n\
        print(json.dumps(rows))\n";
    let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/views.sql");
    let output = program(script).arg(lake).arg(views).arg(query).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
