//! A lake as DuckDB reads it.

use std::path::Path;
use std::process::Command;

/// The ids of every row of every file of a lake, sorted, doubles included. None of a lake without files.
pub(crate) fn ids(lake: &Path) -> Vec<String> {
    let program = "import duckdb, glob, sys\n\
        files = glob.glob(sys.argv[1] + '/**/*.parquet', recursive=True)\n\
        duckdb.execute('SET enable_progress_bar = false')\n\
        rows = duckdb.execute('SELECT event_id FROM read_parquet(?, union_by_name = true) ORDER BY 1', [files]).fetchall() if files else []\n\
        sys.stdout.writelines(id + '\\n' for (id,) in rows)\n";
    let output = Command::new("python3").args(["-c", program]).arg(lake).output().unwrap();
    assert!(output.status.success(), "duckdb (PyPI): {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
