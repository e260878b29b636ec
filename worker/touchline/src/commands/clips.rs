//! `clip list|hide|unhide`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_channel::routes::operator::clips::ListedClip;

use super::output::{plain_value, render, table_or};
use super::{record_of, text_of};
use crate::admin::calls::RecordId;
use crate::admin::calls::clips::ClipsQuery;
use crate::admin::client::Worker;

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let request = ClipsQuery {
        channel_key: text_of(matches, "channel").unwrap_or_default(),
        public_only: matches.get_flag("public"),
        limit: matches.get_one::<u32>("limit").copied().unwrap_or(50),
    };
    let clips: Vec<ListedClip> = worker.call(Method::POST, "clips/list", &request).await?;
    render(matches, &clips, |clips| {
        let columns = ["clip", "name", "source", "user", "status", "visibility", "hidden", "page"];
        table_or(&columns, &clips.iter().map(row).collect::<Vec<_>>(), "no clips")
    })
}

pub(super) async fn hide(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let RecordId { id } = worker.call(Method::POST, "clips/hide", &record_of(matches)?).await?;
    render(matches, &RecordId { id }, |_| format!("clip {id} is hidden\n"))
}

pub(super) async fn unhide(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let RecordId { id } = worker.call(Method::POST, "clips/unhide", &record_of(matches)?).await?;
    render(matches, &RecordId { id }, |_| format!("clip {id} is visible again\n"))
}

fn row(clip: &ListedClip) -> Value {
    json!({
        "clip": clip.id, "name": clip.name, "source": clip.of, "user": clip.user_id,
        "status": plain_value(&json!(clip.status)), "visibility": plain_value(&json!(clip.visibility)),
        "hidden": if clip.is_hidden { "yes" } else { "no" }, "page": clip.url,
    })
}
