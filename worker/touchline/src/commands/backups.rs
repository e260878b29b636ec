//! `backup`, `restore` and `migrate`

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use reqwest::Method;
use serde_json::Value;
use touchline_protocol::ambient::SystemEntropy;
use touchline_store::{Maintenance, SqliteStore, StoreError, postgres, sqlite};

use crate::admin::calls::BackupPath;
use crate::admin::client::Worker;
use crate::config::Config;
use crate::serve::data_folder::DataFolder;
use crate::serve::store_file;

/// Neither the lake nor the provider is read (`OPS-53`).
const SKIPPED: &str = "numbers issued since the backup are not read from the lake and the provider: new ids start at least \
                       1,000,000 later, and receipts have a new letter";

pub(super) async fn backup(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    // The worker may have another working directory.
    let path = std::path::absolute(file_of(matches)?)?;
    let _done: Value = worker.call(Method::POST, "backup", &BackupPath { path: path.clone() }).await?;
    Ok(format!("the channel's records were saved to {}\n", path.display()))
}

/// Replaces the records with a backup. The data folder is locked meanwhile, so that no worker starts on half of it.
pub(crate) async fn restore(config: &Config, matches: &ArgMatches) -> Result<String> {
    let backup = file_of(matches)?;
    if let Some(address) = &config.store {
        bail!(
            "the records are in {address}: restore a dump with pg_restore into an empty database, then start the workers"
        );
    }
    let folder = DataFolder::lock(&config.data)?;
    let store = folder.join(store_file(config));
    let replaced = sqlite::restore(backup, &store, &SystemEntropy).await?;
    let replaced =
        replaced.map_or_else(String::new, |replaced| format!("; the previous records are in {}", replaced.display()));
    Ok(format!("{} was restored from {}{replaced}\n{SKIPPED}\n", store.display(), backup.display()))
}

/// Continues without the commits lost from a damaged journal (`OPS-50`). The data folder is locked meanwhile.
pub(crate) async fn accept_loss(config: &Config) -> Result<String> {
    let folder = DataFolder::lock(&config.data)?;
    let store = folder.join(store_file(config));
    match SqliteStore::check(&store) {
        Err(StoreError::LostCommits { .. }) => {}
        Err(error) => return Err(error.into()),
        Ok(()) => bail!("{} lost no commits", store.display()),
    }
    let aside = sqlite::accept_loss(&store, &SystemEntropy).await?;
    let aside = aside.map_or_else(String::new, |aside| format!("; the damaged files are {}*", aside.display()));
    Ok(format!("{} is intact, without the lost commits{aside}\n{SKIPPED}\n", store.display()))
}

/// Migrates the records to this version, as a start would. The data folder is locked meanwhile.
pub(crate) async fn migrate(config: &Config) -> Result<String> {
    if let Some(address) = &config.store {
        postgres::migrate(address).await?;
        return Ok(format!("{address} is up to date\n"));
    }
    let folder = DataFolder::lock(&config.data)?;
    let store = folder.join(store_file(config));
    if store.symlink_metadata().is_err() {
        bail!("{} does not exist: the first start creates it", store.display());
    }
    SqliteStore::open(&store, &SystemEntropy).await?.close().await;
    Ok(format!("{} is intact and up to date\n", store.display()))
}

fn file_of(matches: &ArgMatches) -> Result<&Path> {
    matches.get_one::<PathBuf>("file").map(PathBuf::as_path).context("FILE is missing")
}
