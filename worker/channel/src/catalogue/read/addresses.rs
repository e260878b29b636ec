//! Addresses of external media: validation, allowed hosts, and the origins for a page's policy.

use std::net::IpAddr;

use url::{Host, Url};

use super::folder::fields::Fields;
use crate::catalogue::records::{EventRecord, MediaHosts, MediaKind, MediaLocation, MediaRecord, VodRecord};

/// Limit of external media hosts per channel, since the policy travels with every page.
const MAX_HOSTS: usize = 32;

/// Parses an external address: https, with a host name or number, without a password. Plain HTTP is accepted for
/// private networks if the operator allows media there (`media.private_networks`).
pub(super) fn address(fields: &Fields<'_>, field: &str, text: &str) -> Option<Url> {
    let Some(url) = Url::parse(text).ok().filter(|url| url.host().is_some_and(|host| is_plain(&host))) else {
        fields.fault(field, "must be an address like `https://media.example.com/live.m3u8`");
        return None;
    };
    let is_allowed = match url.scheme() {
        "https" => true,
        "http" => fields.folder.private_media && url.host().is_some_and(|host| is_near(&host)),
        _ => false,
    };
    if !is_allowed {
        let why = "must start with https://; http:// is only for this machine and private networks, if \
                   `media.private_networks` is on";
        fields.fault(field, why);
    } else if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        fields.fault(field, "must not have a user, password or fragment");
    }
    is_allowed.then_some(url)
}

/// Whether a text looks like an address.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Whether a host is free of wildcards: in a page's policy, a star would match any host.
fn is_plain(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    }
}

/// Whether a host is this machine, or in a private network.
fn is_near(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => is_private(IpAddr::V4(*address)),
        Host::Ipv6(address) => is_private(IpAddr::V6(*address)),
    }
}

pub(super) use crate::media::networks::is_private;

/// Additional hosts that media load from (`media_hosts`).
pub(super) fn more_hosts(fields: &Fields<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    for (index, text) in fields.lines("media_hosts").into_iter().enumerate() {
        let field = format!("media_hosts[{index}]");
        if let Some(url) = address(fields, &field, &text) {
            if url.path() != "/" || url.query().is_some() {
                fields.fault(&field, "must be only a host, like `https://cdn.example.com`");
            }
            hosts.push(url.origin().ascii_serialization());
        }
    }
    hosts
}

/// All hosts from which the channel's pages load media.
pub(super) fn hosts(fields_fault: impl Fn(String), more: &[String], media: &[&MediaRecord]) -> MediaHosts {
    let mut hosts = MediaHosts { streams: more.to_vec(), frames: Vec::new() };
    for medium in media {
        let MediaLocation::Url(text) = &medium.location else { continue };
        let Ok(url) = Url::parse(text) else { continue };
        let is_framed = matches!(medium.kind, MediaKind::Embedded | MediaKind::EmbeddedPreview);
        let list = if is_framed { &mut hosts.frames } else { &mut hosts.streams };
        list.push(url.origin().ascii_serialization());
    }
    for list in [&mut hosts.streams, &mut hosts.frames] {
        list.sort();
        list.dedup();
    }
    if hosts.streams.len() + hosts.frames.len() > MAX_HOSTS {
        fields_fault(format!("has media on more than {MAX_HOSTS} hosts"));
    }
    hosts
}

/// All media of a channel.
pub(super) fn media_of<'a>(events: &'a [EventRecord], videos: &'a [VodRecord]) -> Vec<&'a MediaRecord> {
    events.iter().flat_map(|event| &event.media).chain(videos.iter().map(|video| &video.media)).collect()
}
