//! `store copy`: moves the records of a data folder into PostgreSQL (`OPS-31`).

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use touchline_protocol::ambient::SystemEntropy;
use touchline_store::{Maintenance, PostgresAddress, SqliteStore, copy};

use crate::serve::STORE_FILE;
use crate::serve::data_folder::DataFolder;

/// Copies all records, reports progress on stderr, and returns a summary. The data folder is locked meanwhile, so that
/// no worker changes copied records.
pub(crate) async fn store_copy(matches: &ArgMatches) -> Result<String> {
    let argument = |name: &str| matches.get_one::<String>(name).map(String::as_str).context("FROM and TO are missing");
    let Some(data) = argument("from")?.strip_prefix("sqlite:").filter(|data| !data.is_empty()) else {
        bail!("FROM must be sqlite:DIR with a worker's data folder");
    };
    let address = argument("to")?.parse::<PostgresAddress>().map_err(|fault| anyhow::anyhow!("TO is not {fault}"))?;
    let file = PathBuf::from(data).join(STORE_FILE);
    if !file.exists() {
        bail!("{} is not there", file.display());
    }
    let _lock = DataFolder::lock(Path::new(data))?;
    // Verifies the records and migrates them to this version.
    SqliteStore::open(&file, &SystemEntropy).await?.close().await;
    let report = |table: &str, rows: i64| {
        // With stderr closed, the copy continues.
        let _reported = writeln!(std::io::stderr().lock(), "{table}: {rows} rows").is_ok();
        ControlFlow::Continue(())
    };
    let copied = copy::copy(&file, &address, copy::BATCH_SIZE, report).await?;
    let mut text: String = copied.iter().map(|table| format!("{:>10} {}\n", table.rows, table.name)).collect();
    text.push_str(&format!("copied to {address}; counts and sums agree. Start the workers with --store\n"));
    Ok(text)
}
