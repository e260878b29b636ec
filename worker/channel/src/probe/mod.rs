//! Checks of media sources. Each address is requested as the worker or a viewer's browser would, and each folder is
//! inspected. Each fault is one line that says what to do (`touchline check --media`, `LIVE-6`).

mod streams;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt, stream};
use url::Url;

use crate::catalogue::records::{EventRecord, MediaKind, MediaLocation, MediaRecord};
use crate::catalogue::{ChannelSnapshot, ChannelSource, ChannelsError, LoadOptions, snapshots};
use crate::media::{Feed, Ingest};
use crate::pull::Upstream;

const MAX_CONCURRENT: usize = 8;

/// Options of a media check, besides the channels.
#[derive(Debug, Clone)]
pub struct ProbeOptions {
    /// Whether hosts in private networks are allowed.
    pub private: bool,
    /// Folder that encoders write to.
    pub live: PathBuf,
    /// Current time, in Unix seconds.
    pub now_s: i64,
}

/// Source of a medium.
struct Medium {
    /// Prefix of its lines: `northfield: medium 12 (pull)`.
    name: String,
    site: Option<String>,
    /// Hosts allowed by the pages' content security policy.
    hosts: Vec<String>,
    from: From,
}

enum From {
    Address {
        url: Url,
        /// Whether browsers request it, rather than the worker.
        is_direct: bool,
    },
    Player(Url),
    Folder(std::sync::Arc<Ingest>),
}

/// Returns a line for each external medium, and for each of its faults.
///
/// # Errors
/// The errors of [`crate::catalogue::check`].
pub async fn probe(source: &dyn ChannelSource, options: &ProbeOptions) -> Result<Vec<String>, ChannelsError> {
    let load = LoadOptions { private_media: options.private, anchor_s: options.now_s, ..LoadOptions::default() };
    let channels = snapshots(source, &load)?;
    let media: Vec<_> = channels.iter().flat_map(|channel| media_of(channel, options.now_s)).collect();
    // The worker avoids private networks. A browser uses whatever network it is in.
    let (worker, viewers) = match (Upstream::new(options.private), Upstream::new(true)) {
        (Ok(worker), Ok(viewers)) => (worker, viewers),
        (Err(error), _) | (_, Err(error)) => return Ok(vec![format!("no URL can be checked: {error}")]),
    };
    let checked = stream::iter(media.iter().map(|medium| medium.faults(&worker, &viewers, options)));
    let lines: Vec<Vec<String>> = checked.buffered(MAX_CONCURRENT).collect().await;
    Ok(lines.concat())
}

/// Returns a channel's external media, each address once. Past live streams are omitted.
fn media_of(channel: &ChannelSnapshot, now_s: i64) -> Vec<Medium> {
    let site = channel.config.public_url.clone().or_else(|| {
        let host = channel.config.hosts.first()?;
        Some(format!("https://{host}"))
    });
    let is_on = |event: &EventRecord, medium: &MediaRecord| medium.kind != MediaKind::Live || now_s < event.ends_at();
    let of_events = channel
        .events
        .iter()
        .flat_map(|event| event.media.iter().filter(move |medium| is_on(event, medium)).map(|medium| ("e", medium)));
    let all = of_events.chain(channel.vod.iter().map(|video| ("v", &video.media)));
    let mut found: BTreeMap<String, Medium> = BTreeMap::new();
    for (prefix, medium) in all {
        let mount = channel.files.mounts.get(&format!("{prefix}{}", medium.id));
        let from = match (&medium.location, mount.map(|mount| &mount.feed)) {
            (MediaLocation::Url(text), _) => match Url::parse(text) {
                Ok(url) if matches!(medium.kind, MediaKind::Embedded | MediaKind::EmbeddedPreview) => From::Player(url),
                Ok(url) => From::Address { url, is_direct: true },
                Err(_) => continue,
            },
            (MediaLocation::Mount, Some(Feed::Pull(pull))) => From::Address { url: pull.url.clone(), is_direct: false },
            (MediaLocation::Mount, Some(Feed::Ingest(ingest))) => From::Folder(std::sync::Arc::clone(ingest)),
            _ => continue,
        };
        let (key, word) = match &from {
            From::Address { url, is_direct: true } => (format!("direct {url}"), "direct"),
            From::Address { url, .. } => (format!("pull {url}"), "pull"),
            From::Player(url) => (format!("player {url}"), "player"),
            From::Folder(ingest) => (format!("folder {}/{}", ingest.folder, ingest.entry), "folder"),
        };
        let name = format!("{}: medium {} ({word})", channel.key(), medium.id);
        let hosts = channel.config.media_hosts.streams.clone();
        found.entry(key).or_insert(Medium { name, site: site.clone(), hosts, from });
    }
    found.into_values().collect()
}

impl Medium {
    async fn faults(&self, worker: &Upstream, viewers: &Upstream, options: &ProbeOptions) -> Vec<String> {
        let faults = match &self.from {
            From::Address { url, is_direct: false } => streams::faults(worker, url, None).await,
            From::Address { url, is_direct: true } => {
                let viewer = streams::Viewer { site: self.site.as_deref(), hosts: &self.hosts };
                streams::faults(viewers, url, Some(&viewer)).await
            }
            From::Player(url) => streams::faults_of_player(viewers, url, self.site.as_deref()).await,
            From::Folder(ingest) => {
                let folder = options.live.join(&ingest.channel_key).join(&ingest.folder);
                let is_on_air = options.now_s >= ingest.starts_at;
                folder_fault(&folder.join(&ingest.entry), is_on_air, ingest.silence_s, options.now_s)
                    .into_iter()
                    .collect()
            }
        };
        if faults.is_empty() {
            return vec![format!("{}: plays", self.name)];
        }
        faults.iter().map(|fault| format!("{}: {fault}", self.name)).collect()
    }
}

/// Returns the fault of an encoder's folder while its event is live.
fn folder_fault(entry: &Path, is_on_air: bool, silence_s: u64, now_s: i64) -> Option<String> {
    if !is_on_air {
        return None;
    }
    let folder = entry.parent()?;
    let newest = std::fs::read_dir(folder).ok().into_iter().flatten().filter_map(Result::ok);
    let newest = newest.filter_map(|file| file.metadata().ok()?.modified().ok()).max();
    let age_s = newest.and_then(|newest| {
        let at = newest.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        Some(now_s.unsigned_abs().saturating_sub(at))
    });
    let path = entry.display();
    if !entry.is_file() {
        return Some(format!("{path} does not exist: start the encoder and configure it to write that playlist"));
    }
    let age_s = age_s.filter(|&age| age > silence_s)?;
    Some(format!("nothing was written beside {path} for {age_s} s: restart the encoder"))
}
