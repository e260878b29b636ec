//! `clip list|hide|unhide`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_channel::routes::operator::clips::ListedClip;

use super::output::{listed, plain_value, said};
use super::{id_of, text_of};
use crate::admin::calls::ById;
use crate::admin::calls::clips::FindClips;
use crate::admin::client::Worker;

pub(super) async fn list(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let asked = FindClips {
        channel_key: text_of(matches, "channel").unwrap_or_default(),
        public_only: matches.get_flag("public"),
        limit: matches.get_one::<u32>("limit").copied().unwrap_or(50),
    };
    let clips: Vec<ListedClip> = worker.ask(Method::POST, "clips/list", &asked).await?;
    said(matches, &clips, |clips| {
        let columns = ["clip", "name", "source", "user", "status", "visibility", "hidden", "page"];
        listed(&columns, &clips.iter().map(row).collect::<Vec<_>>(), "no clips")
    })
}

pub(super) async fn hide(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "clips/hide", &ById { id: id_of(matches, "ID")? }).await?;
    said(matches, &ById { id }, |_| format!("clip {id} is hidden\n"))
}

pub(super) async fn unhide(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let ById { id } = worker.ask(Method::POST, "clips/unhide", &ById { id: id_of(matches, "ID")? }).await?;
    said(matches, &ById { id }, |_| format!("clip {id} is visible again\n"))
}

fn row(clip: &ListedClip) -> Value {
    json!({
        "clip": clip.id, "name": clip.name, "source": clip.of, "user": clip.user_id,
        "status": plain_value(&json!(clip.status)), "visibility": plain_value(&json!(clip.visibility)),
        "hidden": if clip.is_hidden { "yes" } else { "no" }, "page": clip.url,
    })
}
