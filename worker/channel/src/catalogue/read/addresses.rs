//! Addresses of media elsewhere: which are addresses at all, whose they may be, and what a page's policy names of them.

use std::net::IpAddr;

use url::{Host, Url};

use super::folder::fields::Fields;
use crate::catalogue::records::{EventRecord, MediaHosts, MediaKind, MediaPlace, MediaRecord, VodRecord};

/// The most hosts that a channel's pages may reach for media: a policy travels with every page.
const MAX_HOSTS: usize = 32;

/// The address in a field: https, of a host by name or number, without a password. Plain http is for hosts of the worker's
/// own networks, where the operator lets media be there (`media.private_networks`).
pub(super) fn address(fields: &Fields<'_>, field: &str, text: &str) -> Option<Url> {
    let Some(url) = Url::parse(text).ok().filter(|url| url.host().is_some_and(|host| is_plain(&host))) else {
        fields.fault(field, "is not an address like `https://media.example.com/live.m3u8`");
        return None;
    };
    let is_allowed = match url.scheme() {
        "https" => true,
        "http" => fields.folder.private_media && url.host().is_some_and(|host| is_near(&host)),
        _ => false,
    };
    if !is_allowed {
        let why = "must begin with https://; http:// is for this machine and private networks, where \
                   `media.private_networks` is on";
        fields.fault(field, why);
    } else if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        fields.fault(field, "must have no user, password and fragment");
    }
    is_allowed.then_some(url)
}

/// Whether a text is meant as an address.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// A host that means itself alone: a star would stand for any in a page's policy.
fn is_plain(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    }
}

/// Whether a host is this machine, or in a network of the operator's.
fn is_near(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => is_private(IpAddr::V4(*address)),
        Host::Ipv6(address) => is_private(IpAddr::V6(*address)),
    }
}

pub(super) use crate::media::networks::is_private;

/// The hosts that the channel names beside its media (`media_hosts`), where those fetch more from.
pub(super) fn more_hosts(fields: &Fields<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    for (place, text) in fields.lines("media_hosts").into_iter().enumerate() {
        let field = format!("media_hosts[{place}]");
        if let Some(url) = address(fields, &field, &text) {
            if url.path() != "/" || url.query().is_some() {
                fields.fault(&field, "must be a host alone, like `https://cdn.example.com`");
            }
            hosts.push(url.origin().ascii_serialization());
        }
    }
    hosts
}

/// Every host that the channel's pages reach for media, and no other.
pub(super) fn hosts(fields_fault: impl Fn(String), more: &[String], media: &[&MediaRecord]) -> MediaHosts {
    let mut hosts = MediaHosts { streams: more.to_vec(), frames: Vec::new() };
    for medium in media {
        let MediaPlace::Url(text) = &medium.place else { continue };
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
        fields_fault(format!("its media are of too many hosts: at most {MAX_HOSTS}"));
    }
    hosts
}

/// The media of a channel.
pub(super) fn media_of<'a>(events: &'a [EventRecord], videos: &'a [VodRecord]) -> Vec<&'a MediaRecord> {
    events.iter().flat_map(|event| &event.media).chain(videos.iter().map(|video| &video.media)).collect()
}
