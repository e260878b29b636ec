//! `check`: every fault of the channel folders, with file and field; with `--media` what is wrong with where media come from.

use touchline_channel::catalogue::{self, ChannelsError};
use touchline_channel::probe::{ProbeOptions, probe};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::config::Config;
use crate::serve::source_of;

/// The channels that are sound, or every fault.
pub(crate) async fn check(config: &Config, with_media: bool) -> Result<String, String> {
    let told = |faults: ChannelsError| {
        let folder = config.channels.as_ref().map_or_else(String::new, |folder| format!(" {}", folder.display()));
        format!("channels{folder}:\n{faults}")
    };
    let source = source_of(config);
    let channels = catalogue::check(&*source, config.private_media).map_err(told)?;
    let sound = channels.iter().map(|channel| format!("{} is sound\n", channel.key));
    let mut words = config.advice(&channels);
    let left_out = source.left_out().unwrap_or_default();
    words.extend(left_out.into_iter().map(|what| format!("{what}: it is left out")));
    let mut text: String = sound.chain(words.iter().map(|word| format!("note: {word}\n"))).collect();
    if with_media {
        let now_s = SystemClock::with_offset(config.clock_offset_s).now_s();
        let options = ProbeOptions { private: config.private_media, live: config.live.clone(), now_s };
        let lines = probe(&*source, &options).await.map_err(told)?;
        text.extend(lines.iter().map(|line| format!("{line}\n")));
    }
    Ok(text)
}
