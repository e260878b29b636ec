//! `user find|show|block|unblock|set|erase`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};

use super::orders;
use super::output::{minute_of, plain, render, span, table_or};
use super::text_of;
use crate::admin::calls::lookups::{OperatorPerson, PeopleQuery, PersonDetails};
use crate::admin::calls::{Person, PersonSet, RecordId, SetPerson};
use crate::admin::client::Worker;

pub(super) async fn find(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let request = PeopleQuery {
        channel_key: text_of(matches, "channel"),
        text: text_of(matches, "TEXT"),
        last4: text_of(matches, "last4"),
        between: span(matches)?,
        limit: matches.get_one::<u32>("limit").copied().unwrap_or(50),
    };
    let people: Vec<OperatorPerson> = worker.call(Method::POST, "users/find", &request).await?;
    render(matches, &people, |people| {
        let columns = ["user", "channel", "email", "name", "registered", "blocked"];
        table_or(&columns, &people.iter().map(row).collect::<Vec<_>>(), "no matching users")
    })
}

pub(super) async fn show(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let found: PersonDetails = worker.call(Method::POST, "users/show", &person(matches)?).await?;
    render(matches, &found, details)
}

pub(super) async fn block(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let RecordId { id } = worker.call(Method::POST, "users/block", &person(matches)?).await?;
    render(matches, &RecordId { id }, |_| format!("user {id} is blocked\n"))
}

pub(super) async fn unblock(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let RecordId { id } = worker.call(Method::POST, "users/unblock", &person(matches)?).await?;
    render(matches, &RecordId { id }, |_| format!("user {id} may log in again\n"))
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
        verified: matches.get_flag("verified"),
    };
    let set: PersonSet = worker.call(Method::POST, "users/set", &request).await?;
    render(matches, &set, |set| settings_summary(set, names, request.verified))
}

fn settings_summary(
    PersonSet { id, temporary_password }: &PersonSet,
    names: Option<Vec<String>>,
    is_verified: bool,
) -> String {
    let capability_text = names.map(|names| match names.join(", ") {
        none if none.is_empty() => format!("user {id} has no capabilities\n"),
        names => format!("user {id} has {names}\n"),
    });
    let password = temporary_password.as_ref().map(|password| {
        format!(
            "user {id} is logged out everywhere and has the temporary password {password}, which is not shown again\n"
        )
    });
    let verified = is_verified.then(|| format!("the email address of user {id} is verified\n"));
    capability_text.into_iter().chain(password).chain(verified).collect()
}

pub(super) async fn erase(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let RecordId { id } = worker.call(Method::POST, "users/erase", &person(matches)?).await?;
    render(matches, &RecordId { id }, |_| format!("user {id} is erased from the channel and the datalake\n"))
}

fn person(matches: &ArgMatches) -> Result<Person> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    match text("channel").zip(text("email")) {
        Some((channel_key, email)) => Ok(Person::Address { channel_key, email }),
        None => Ok(Person::Id(super::record_of(matches)?)),
    }
}

fn row(person: &OperatorPerson) -> Value {
    json!({
        "user": person.id, "channel": person.channel_key, "email": person.email,
        "name": format!("{} {}", person.first_name, person.last_name), "registered": minute_of(&person.created_at),
        "blocked": if person.blocked { "yes" } else { "" },
    })
}

fn details(found: &PersonDetails) -> String {
    let PersonDetails { person, orders } = found;
    let verified = if person.email_verified { "" } else { ", not verified" };
    let blocked = if person.blocked { ", blocked" } else { "" };
    let name = plain(&format!("{} {}", person.first_name, person.last_name));
    let mut out = format!(
        "user     {} of {}{blocked}\nname     {name}\nemail    {}{verified}\nsince    {}\ncan      {}\n",
        person.id,
        person.channel_key,
        plain(&person.email),
        minute_of(&person.created_at),
        person.capabilities.join(", ")
    );
    for order in orders {
        out.push('\n');
        out.push_str(&orders::details(order));
    }
    out
}
