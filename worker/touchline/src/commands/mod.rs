//! The verbs other than `serve`: how an operator does what no screen does (`USER-6`).
//!
//! | module | what |
//! |---|---|
//! | [`check`] | the channel folders' faults |
//! | [`datalake`] | what became of analytics |
//! | [`clips`], [`orders`], [`people`], [`promo`] | what an operator does about money and people |
//! | [`forms`] | what viewers wrote in the channel's forms |
//! | [`books`] | sales, and the books held against each other |
//! | [`audit_log`] | which operator did what |
//! | [`output`] | what a verb prints |
//! | [`backups`] | the channel's records, out and back, and brought up to this version |
//! | [`move_house`] | the records of a folder, into PostgreSQL |
//! | [`reports`] | what viewers told about problems |
//! | [`scores`] | how events stand |
//! | [`timeline`] | a recorded session and the server's side of it, by time; [`clocks`] says how far the clocks are apart |

mod audit_log;
mod backups;
mod books;
mod check;
mod clips;
mod clocks;
mod datalake;
mod forms;
mod move_house;
mod orders;
mod output;
mod people;
mod promo;
mod reports;
mod scores;
mod timeline;

use anyhow::{Context, Result};
use clap::ArgMatches;

use crate::admin::client::Worker;
use crate::config::Config;

pub(crate) use backups::{accept_loss, migrate, restore};
pub(crate) use check::check;
pub(crate) use move_house::store_copy;

/// What a verb prints.
pub(crate) struct Answer {
    /// For a person, or JSON.
    pub(crate) text: String,
    /// Whether it tells of what is wrong: the verb fails.
    pub(crate) is_failure: bool,
}

/// Does what `words` say by asking the running worker.
///
/// # Errors
/// What the worker says, or why it cannot be asked.
pub(crate) async fn ask(words: &str, matches: &ArgMatches, config: &Config) -> Result<Answer> {
    let worker = Worker::of(&config.data)?;
    if words == "audit" {
        return books::audit(&worker, matches).await;
    }
    say(&worker, words, matches).await.map(|text| Answer { text, is_failure: false })
}

async fn say(worker: &Worker, words: &str, matches: &ArgMatches) -> Result<String> {
    match words {
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
        "reports" => reports::reports(worker, matches).await,
        "backup" => backups::backup(worker, matches).await,
        other => anyhow::bail!("{other} is no verb"),
    }
}

fn id_of(matches: &ArgMatches, name: &str) -> Result<i64> {
    matches.get_one::<i64>(name).copied().with_context(|| format!("{name} is missing"))
}

/// The text of an option; nothing when it was not given.
fn text_of(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}
