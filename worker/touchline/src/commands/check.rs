//! `check`: every fault of the channel folders, with file and field.

use touchline_channel::catalogue;

use crate::config::Config;
use crate::serve::source_of;

/// The channels that are sound, or every fault.
pub(crate) fn check(config: &Config) -> Result<String, String> {
    match catalogue::check(&*source_of(config)) {
        Ok(channels) => {
            let sound = channels.iter().map(|channel| format!("{} is sound\n", channel.key));
            let mut words = config.advice(&channels);
            let left_out = source_of(config).left_out().unwrap_or_default();
            words.extend(left_out.into_iter().map(|what| format!("{what}: it is left out")));
            Ok(sound.chain(words.iter().map(|word| format!("note: {word}\n"))).collect())
        }
        Err(faults) => {
            let folder = config.channels.as_ref().map_or_else(String::new, |folder| format!(" {}", folder.display()));
            Err(format!("channels{folder}:\n{faults}"))
        }
    }
}
