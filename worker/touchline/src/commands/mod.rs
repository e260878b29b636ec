//! The verbs other than `serve`: how an operator does what no screen does (`USER-6`).
//!
//! | module | what |
//! |---|---|
//! | [`check`] | the channel folders' faults |
//! | [`datalake`] | what became of analytics |
//! | [`orders`], [`people`] | what an operator does about money and people |
//! | [`backups`] | the channel's records, out and back, and brought up to this version |
//! | [`reports`] | what viewers told about problems |
//! | [`timeline`] | a recorded session and the server's side of it, by time; [`clocks`] says how far the clocks are apart |

mod backups;
mod check;
mod clocks;
mod datalake;
mod orders;
mod people;
mod reports;
mod timeline;

use anyhow::{Context, Result};
use clap::ArgMatches;

use crate::admin::client::Worker;
use crate::config::Config;

pub(crate) use backups::{migrate, restore};
pub(crate) use check::check;

/// Does what `words` say by asking the running worker.
pub(crate) async fn ask(words: &str, matches: &ArgMatches, config: &Config) -> Result<String> {
    let worker = Worker::of(&config.data)?;
    match words {
        "datalake status" => datalake::status(&worker).await,
        "datalake dead-letters" => datalake::dead_letters(&worker, matches).await,
        "datalake requeue" => datalake::requeue(&worker, matches).await,
        "order refund" => orders::refund(&worker, matches).await,
        "order grant" => orders::grant(&worker, matches).await,
        "user block" => people::block(&worker, matches).await,
        "user unblock" => people::unblock(&worker, matches).await,
        "user set" => people::set(&worker, matches).await,
        "user erase" => people::erase(&worker, matches).await,
        "reports" => reports::reports(&worker, matches).await,
        "backup" => backups::backup(&worker, matches).await,
        other => anyhow::bail!("{other} is no verb"),
    }
}

fn id_of(matches: &ArgMatches, name: &str) -> Result<i64> {
    matches.get_one::<i64>(name).copied().with_context(|| format!("{name} is missing"))
}

/// What a viewer wrote must not steer the operator's terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
