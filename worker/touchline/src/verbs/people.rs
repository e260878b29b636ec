//! `user block|unblock|erase`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use serde_json::Value;

use crate::admin::calls::ById;
use crate::admin::client::Worker;

pub(super) async fn block(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let id = super::id_of(matches, "ID")?;
    let _done: Value = worker.ask(Method::POST, "users/block", &ById { id }).await?;
    Ok(format!("user {id} is blocked\n"))
}

pub(super) async fn unblock(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let id = super::id_of(matches, "ID")?;
    let _done: Value = worker.ask(Method::POST, "users/unblock", &ById { id }).await?;
    Ok(format!("user {id} may log in again\n"))
}

pub(super) async fn erase(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let id = super::id_of(matches, "ID")?;
    let _done: Value = worker.ask(Method::POST, "users/erase", &ById { id }).await?;
    Ok(format!("user {id} is erased, in the channel and in the datalake\n"))
}
