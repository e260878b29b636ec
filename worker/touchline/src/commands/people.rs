//! `user block|unblock|set|erase`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;

use crate::admin::calls::{ById, Person, PersonSet, SetPerson};
use crate::admin::client::Worker;

pub(super) async fn block(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "users/block", &person(matches)?).await?;
    Ok(format!("user {id} is blocked\n"))
}

pub(super) async fn unblock(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "users/unblock", &person(matches)?).await?;
    Ok(format!("user {id} may log in again\n"))
}

pub(super) async fn set(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let capabilities = matches.get_one::<String>("capabilities").map(|names| {
        names.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect::<Vec<_>>()
    });
    let names = capabilities.clone();
    let request = SetPerson {
        person: person(matches)?,
        capabilities,
        temporary_password: matches.get_flag("temporary-password"),
    };
    let PersonSet { id, temporary_password } = worker.ask(Method::POST, "users/set", &request).await?;
    let rights = names.map(|names| match names.join(", ") {
        none if none.is_empty() => format!("user {id} has no capability\n"),
        names => format!("user {id} has {names}\n"),
    });
    let password = temporary_password.map(|password| {
        format!("user {id} is logged out everywhere and has the temporary password {password}, told here alone\n")
    });
    Ok(rights.into_iter().chain(password).collect())
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
