//! `event score`

use anyhow::Result;
use clap::ArgMatches;
use reqwest::Method;
use touchline_protocol::catalogue::EventScore;

use super::output::{plain, render};
use super::{id_of, text_of};
use crate::admin::calls::scores::SetScore;
use crate::admin::client::Worker;

pub(super) async fn set(worker: &Worker, matches: &ArgMatches) -> Result<String> {
    let side = |name| matches.get_one::<i64>(name).copied();
    let score = side("AWAY").zip(side("HOME")).map(|(away, home)| EventScore {
        away,
        home,
        period: text_of(matches, "period").unwrap_or_default(),
    });
    let request =
        SetScore { channel_key: text_of(matches, "channel").unwrap_or_default(), id: id_of(matches, "ID")?, score };
    let set: SetScore = worker.call(Method::POST, "events/score", &request).await?;
    render(matches, &set, |SetScore { id, score, .. }| match score {
        None => format!("event {id} has the score from the channel's folder\n"),
        Some(EventScore { away, home, period }) => {
            format!("event {id}: away {away}, home {home} {}", plain(period)).trim_end().to_owned() + "\n"
        }
    })
}
