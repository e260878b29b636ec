//! `visitors end-keys`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;

use super::output::render;
use super::text_of;
use crate::admin::calls::visitors::{EndedKeys, VisitorsOf};
use crate::admin::client::Worker;

pub(super) async fn end_keys(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let request = VisitorsOf { channel_key: text_of(matches, "channel").unwrap_or_default() };
    let ended: EndedKeys = worker.call(Method::POST, "visitors/end-keys", &request).await?;
    render(matches, &ended, |EndedKeys { channel_key, generation }| {
        format!("visitors of {channel_key} get new keys, of generation {generation}\n")
    })
}
