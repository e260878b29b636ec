//! `forms`

use std::fmt::Write;

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use touchline_channel::routes::operator::forms::ListedSubmission;

use super::output::{plain, render};
use super::text_of;
use crate::admin::calls::forms::SubmissionsQuery;
use crate::admin::client::Worker;

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let request = SubmissionsQuery {
        channel_key: text_of(matches, "channel").unwrap_or_default(),
        alias: text_of(matches, "FORM"),
        limit: matches.get_one::<u32>("limit").copied().unwrap_or(50),
    };
    let submissions: Vec<ListedSubmission> = worker.call(Method::POST, "forms", &request).await?;
    render(matches, &submissions, |submissions| {
        if submissions.is_empty() {
            return "no submissions\n".to_owned();
        }
        submissions.iter().map(details).collect::<Vec<_>>().join("\n")
    })
}

fn details(submission: &ListedSubmission) -> String {
    let ListedSubmission { id, form, user_id, created_at, answers } = submission;
    let who = user_id.map_or_else(|| "a visitor".to_owned(), |id| format!("user {id}"));
    let mut text = format!("{form} {id}, {created_at}, {who}\n");
    for answer in answers {
        let _ = writeln!(text, "  {}: {}", plain(&answer.label), plain(&answer.value));
    }
    text
}
