//! `check`: every fault of the channel folders, with file and field.

use touchline_channel::catalogue;

use crate::config::Config;
use crate::serve::source_of;

/// The channels that are sound, or every fault.
pub(crate) fn check(config: &Config) -> Result<String, String> {
    match catalogue::check(&*source_of(config)) {
        Ok(keys) => Ok(keys.iter().map(|key| format!("{key} is sound\n")).collect()),
        Err(faults) => {
            let folder = config.channels.as_ref().map_or_else(String::new, |folder| format!(" {}", folder.display()));
            Err(format!("channels{folder}:\n{faults}"))
        }
    }
}
