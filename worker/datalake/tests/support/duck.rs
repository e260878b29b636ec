//! A lake as DuckDB reads it.

use std::path::Path;
use std::process::Command;

/// Connects without a progress bar: it would stand among the rows of a query that takes long.
const CONNECTED: &str = "import duckdb\n\
    def connected():\n\
    \x20   db = duckdb.connect()\n\
    \x20   db.execute('SET enable_progress_bar = false')\n\
    \x20   return db\n";

/// A Python program, which calls `connected()` for a DuckDB of its own.
pub(crate) fn program(script: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", &format!("{CONNECTED}{script}")]);
    command
}

/// The ids of every row of every table of a lake as its logs have them, sorted, doubles included. None of a lake
/// without a table.
pub(crate) fn ids(lake: &Path) -> Vec<String> {
    let script = "import glob, sys\n\
        from deltalake import DeltaTable\n\
        logs = glob.glob(sys.argv[1] + '/**/_delta_log', recursive=True)\n\
        files = [file for log in logs for file in DeltaTable(log.removesuffix('/_delta_log')).file_uris()]\n\
        rows = connected().execute('SELECT event_id FROM read_parquet(?, union_by_name = true) ORDER BY 1', [files]).fetchall() if files else []\n\
        sys.stdout.writelines(id + '\\n' for (id,) in rows)\n";
    let output = program(script).arg(lake).output().unwrap();
    assert!(output.status.success(), "duckdb, deltalake (PyPI): {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
