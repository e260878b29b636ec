//! The verbs other than `serve`: operator tasks that no screen offers (`USER-6`).
//!
//! | module | what |
//! |---|---|
//! | [`check`] | faults in the channel folders |
//! | [`datalake`] | the state of the analytics pipeline |
//! | [`clips`], [`orders`], [`people`], [`promo`] | moderation, money and accounts |
//! | [`forms`] | form submissions |
//! | [`books`] | sales, and the audit of the books |
//! | [`audit_log`] | the audit log of operators |
//! | [`output`] | output formats |
//! | [`backups`] | backup, restore and migration of the records |
//! | [`store_copy`] | moves the records of a data folder into PostgreSQL |
//! | [`reports`] | problem reports |
//! | [`scores`] | scores of events |
//! | [`visitors`] | visitors' keys |
//! | [`timeline`] | a recorded session with the server's side; [`clocks`] estimates the clock offset |

mod audit_log;
mod backups;
mod books;
mod check;
mod clips;
mod clocks;
mod datalake;
mod forms;
mod orders;
mod output;
mod people;
mod promo;
mod reports;
mod scores;
mod store_copy;
mod timeline;
mod visitors;

use anyhow::{Context, Result};
use clap::ArgMatches;

use crate::admin::calls::RecordQuery;
use crate::admin::client::Worker;
use crate::config::Config;

pub(crate) use backups::{accept_loss, migrate, restore};
pub(crate) use check::check;
pub(crate) use store_copy::store_copy;

pub(crate) struct Answer {
    /// Text, or JSON with `--json`.
    pub(crate) text: String,
    /// Whether the output reports a problem, so that the verb fails.
    pub(crate) is_failure: bool,
}

/// Runs a verb by calling the running worker; `reports` also reads the folder of one that is stopped.
///
/// # Errors
/// The worker's error, or the reason it cannot be reached.
pub(crate) async fn run(verb_name: &str, matches: &ArgMatches, config: &Config) -> Result<Answer> {
    if verb_name == "reports" {
        return reports::reports(&config.data, matches).await.map(|text| Answer { text, is_failure: false });
    }
    let worker = Worker::of(&config.data)?;
    if verb_name == "audit" {
        return books::audit(&worker, matches).await;
    }
    dispatch(&worker, verb_name, matches).await.map(|text| Answer { text, is_failure: false })
}

async fn dispatch(worker: &Worker, verb_name: &str, matches: &ArgMatches) -> Result<String> {
    match verb_name {
        "datalake status" => datalake::status(worker, matches).await,
        "datalake dead-letters" => datalake::dead_letters(worker, matches).await,
        "datalake requeue" => datalake::requeue(worker, matches).await,
        "sales" => books::sales(worker, matches).await,
        "audit-log" => audit_log::list(worker, matches).await,
        "event score" => scores::set(worker, matches).await,
        "order list" => orders::list(worker, matches).await,
        "order show" => orders::show(worker, matches).await,
        "order refund" => orders::refund(worker, matches).await,
        "order grant" => orders::grant(worker, matches).await,
        "subscription cancel" => orders::cancel(worker, matches).await,
        "clip list" => clips::list(worker, matches).await,
        "clip hide" => clips::hide(worker, matches).await,
        "clip unhide" => clips::unhide(worker, matches).await,
        "forms" => forms::list(worker, matches).await,
        "promo add" => promo::add(worker, matches).await,
        "promo end" => promo::end(worker, matches).await,
        "promo list" => promo::list(worker, matches).await,
        "user find" => people::find(worker, matches).await,
        "user show" => people::show(worker, matches).await,
        "user block" => people::block(worker, matches).await,
        "user unblock" => people::unblock(worker, matches).await,
        "user set" => people::set(worker, matches).await,
        "user erase" => people::erase(worker, matches).await,
        "visitors end-keys" => visitors::end_keys(worker, matches).await,
        "backup" => backups::backup(worker, matches).await,
        other => anyhow::bail!("{other} is not a verb"),
    }
}

/// The record that a verb is about.
fn record_of(matches: &ArgMatches) -> Result<RecordQuery> {
    Ok(RecordQuery { id: id_of(matches, "ID")?, channel_key: text_of(matches, "channel") })
}

fn id_of(matches: &ArgMatches, name: &str) -> Result<i64> {
    matches.get_one::<i64>(name).copied().with_context(|| format!("{name} is missing"))
}

fn text_of(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}
