//! Passes facts about photographs from the resizer to the channels (`FAST-9`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::catalogue::Channels;
use crate::pictures::Pictures;

const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Updates the facts about each channel's photographs. Blocks.
pub(crate) fn refresh(pictures: &Pictures, channels: &Channels) {
    let mut names = HashSet::new();
    for channel in channels.all() {
        let mut facts_by_address = HashMap::new();
        for (address, file) in channel.media_files() {
            let (name, facts) = pictures.facts_of(file);
            facts_by_address.extend(facts.map(|facts| (address, facts)));
            // Pictures that are still being measured are retained too.
            names.extend(name);
        }
        channels.set_pictures(channel.key(), Arc::new(facts_by_address));
    }
    pictures.retain_facts(&names);
}

/// Updates the channels when facts or folders change, until cancelled.
pub(crate) async fn run(pictures: Pictures, channels: Arc<Channels>, cancel: CancellationToken) {
    let mut last_state = None;
    loop {
        let generations = channels.all().iter().map(|channel| channel.generation).collect::<Vec<_>>();
        let state = Some((pictures.facts_version(), generations));
        if last_state != state {
            let (pictures, channels) = (pictures.clone(), Arc::clone(&channels));
            // The refresh hashes the name of each file and copies a channel.
            match tokio::task::spawn_blocking(move || refresh(&pictures, &channels)).await {
                Ok(()) => last_state = state,
                Err(error) => tracing::error!(%error, "cannot update the facts about pictures"),
            }
        }
        if cancel.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_none() {
            return;
        }
    }
}
