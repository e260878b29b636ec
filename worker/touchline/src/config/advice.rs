//! Warnings about configurations that are valid but rarely intended, logged at startup and printed by `touchline check`
//! (`OPS-9`).

use touchline_channel::catalogue::ChannelAdvice;
use touchline_channel::media::memory::WHOLE_BYTES;
use touchline_datalake::SinkConfig;

use super::{Config, Mail, NO_REPLY};

impl Config {
    pub(crate) fn advice(&self, channels: &[ChannelAdvice]) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(name) = self.of_kubernetes.first() {
            let others = self.of_kubernetes.len() - 1;
            warnings
                .push(format!("{name} and {others} similar variables are ignored: Kubernetes sets them for a service"));
        }
        if self.channels.is_none() {
            let text = "these are the demo channels, whose account passwords are public: set `channels` to your own";
            warnings.push(text.to_owned());
            return warnings;
        }
        if self.mail_from == NO_REPLY && !channels.iter().all(|channel| channel.has_sender) {
            warnings.push(format!("mail_from is not set: emails come from {NO_REPLY}, and replies are lost"));
        }
        if let Mail::Folder(folder) = &self.mail {
            warnings.push(format!("mail is the folder {}: emails are written there and not sent", folder.display()));
        }
        if self.country_header.is_some() && self.trusted_proxies.is_empty() {
            warnings
                .push("geo.country_header is only read from trusted proxies, and trusted_proxies is empty".to_owned());
        }
        if self.store.is_some() && self.media.is_none() && self.clips == self.data.join("clips") {
            warnings.push(
                "store is shared, but neither media nor clips.folder is: a clip only plays on the worker that created it"
                    .to_owned(),
            );
        }
        let has_http_sink = self.datalake.sinks.iter().any(|sink| matches!(sink, SinkConfig::Http(_)));
        if self.datalake.sink_secret.is_some() && !has_http_sink {
            warnings.push("datalake.sink_secret signs requests to HTTP sinks, and datalake.sinks has none".to_owned());
        }
        if self.memory_bytes < 2 * WHOLE_BYTES {
            warnings.push(format!(
                "media.memory_bytes is {}: each viewer's segment is read from the disk again",
                self.memory_bytes
            ));
        }
        for channel in channels {
            if channel.public_url.is_none() {
                warnings
                    .push(format!("{}: without public_url its emails link to the worker's own address", channel.key));
            }
            if !channel.analytics {
                warnings.push(format!(
                    "{}: without yare-analytics in settings.json no analytics are recorded",
                    channel.key
                ));
            }
            let problems = channel.unchargeable.iter().chain(&channel.unsellable);
            warnings.extend(problems.map(|problem| format!("{}: {problem}", channel.key)));
        }
        warnings
    }
}
