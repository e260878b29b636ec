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

/// The ids of every row of every file of a lake, sorted, doubles included. None of a lake without files.
pub(crate) fn ids(lake: &Path) -> Vec<String> {
    let script = "import glob, sys\n\
        files = glob.glob(sys.argv[1] + '/**/*.parquet', recursive=True)\n\
        rows = connected().execute('SELECT event_id FROM read_parquet(?, union_by_name = true) ORDER BY 1', [files]).fetchall() if files else []\n\
        sys.stdout.writelines(id + '\\n' for (id,) in rows)\n";
    let output = program(script).arg(lake).output().unwrap();
    assert!(output.status.success(), "duckdb (PyPI): {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
