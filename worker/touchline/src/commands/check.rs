//! `check`: every fault in the channel folders, with its file and field. `--media` also probes remote media; `--origin`
//! lists the site's features that work with that API (`UP-10`).

use std::sync::Arc;

use touchline_channel::bucket::{Bucket, WithBucket};
use touchline_channel::catalogue::{self, ChannelsError};
use touchline_channel::probe::{ProbeOptions, probe};
use touchline_protocol::ambient::{Clock, SystemClock};
use touchline_upstream::check as upstream;

use crate::config::Config;
use crate::serve::source_of;

/// Returns the report, or every fault.
pub(crate) async fn check(config: &Config, with_media: bool) -> Result<String, String> {
    let with_folder = |faults: ChannelsError| {
        let folder = config.channels.as_ref().map_or_else(String::new, |folder| format!(" {}", folder.display()));
        format!("channels{folder}:\n{faults}")
    };
    let mut source = source_of(config);
    if let Some(address) = &config.media {
        let bucket = Bucket::open(address).map_err(|fault| format!("media {fault}"))?;
        source = Arc::new(WithBucket::new(source, bucket));
    }
    let channels = catalogue::check(&*source, config.private_media).map_err(with_folder)?;
    let sound = channels.iter().map(|channel| format!("{} is valid\n", channel.key));
    let mut warnings = config.advice(&channels);
    let ignored = source.skipped().unwrap_or_default();
    warnings.extend(ignored.into_iter().map(|what| format!("{what}: ignored")));
    let mut text: String = sound.chain(warnings.iter().map(|warning| format!("note: {warning}\n"))).collect();
    if with_media {
        let now_s = SystemClock::with_offset(config.clock_offset_s).now_s();
        let options = ProbeOptions { private: config.private_media, live: config.live.clone(), now_s };
        let lines = probe(&*source, &options).await.map_err(with_folder)?;
        text.extend(lines.iter().map(|line| format!("{line}\n")));
    }
    if let Some(origin) = &config.origin {
        let (_, document) = touchline_channel::router().split_for_parts();
        let document = serde_json::to_value(&document).map_err(|error| error.to_string())?;
        let mut without_key = Vec::new();
        for channel in &channels {
            match upstream::check(origin.clone(), config.upstream_timeout, &document, &channel.key).await {
                Ok(features) => {
                    text.push_str(&format!("\n{origin}, channel {}:\n{}", channel.key, upstream::table(&features)));
                }
                Err(why) => without_key.push(why),
            }
        }
        // The API may lack some of the folder's channels, but not all.
        if without_key.len() == channels.len() {
            return Err(without_key.join("\n"));
        }
        text.extend(without_key.iter().map(|why| format!("\n{why}\n")));
    }
    Ok(text)
}
