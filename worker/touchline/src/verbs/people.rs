//! `user block|unblock|erase`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;

use crate::admin::calls::{ById, Person};
use crate::admin::client::Worker;

pub(super) async fn block(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "users/block", &person(matches)?).await?;
    Ok(format!("user {id} is blocked\n"))
}

pub(super) async fn unblock(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "users/unblock", &person(matches)?).await?;
    Ok(format!("user {id} may log in again\n"))
}

pub(super) async fn erase(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "users/erase", &person(matches)?).await?;
    Ok(format!("user {id} is erased, in the channel and in the datalake\n"))
}

fn person(matches: &ArgMatches) -> Result<Person> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    match text("channel").zip(text("email")) {
        Some((channel_key, email)) => Ok(Person::Address { channel_key, email }),
        None => Ok(Person::Id(ById { id: super::id_of(matches, "ID")? })),
    }
}
