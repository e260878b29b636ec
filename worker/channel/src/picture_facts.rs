//! What is known of photographs, from where they are made smaller into the channels (`FAST-9`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::catalogue::Channels;
use crate::pictures::Pictures;

/// How often it is looked whether there is more to say.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Tells the channels what is known of their photographs. It blocks.
pub(crate) fn refresh(pictures: &Pictures, channels: &Channels) {
    let mut names = HashSet::new();
    for channel in channels.all() {
        let mut known = HashMap::new();
        for (address, file) in channel.media_files() {
            let (name, facts) = pictures.known_of(file);
            known.extend(facts.map(|facts| (address, facts)));
            // Also of one that is found out meanwhile.
            names.extend(name);
        }
        channels.set_pictures(channel.key(), Arc::new(known));
    }
    pictures.know_only(&names);
}

/// Tells the channels of what is found out, and of what their folders change, until it is cancelled.
pub(crate) async fn run(pictures: Pictures, channels: Arc<Channels>, cancel: CancellationToken) {
    let mut seen = None;
    loop {
        let generations = channels.all().iter().map(|channel| channel.generation).collect::<Vec<_>>();
        let now = Some((pictures.found_out(), generations));
        if seen != now {
            let (own, theirs) = (pictures.clone(), Arc::clone(&channels));
            // It hashes the name of each file, and copies a channel.
            match tokio::task::spawn_blocking(move || refresh(&own, &theirs)).await {
                Ok(()) => seen = now,
                Err(error) => tracing::error!(%error, "what pictures are like was not told"),
            }
        }
        if cancel.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_none() {
            return;
        }
    }
}
