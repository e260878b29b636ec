//! Parsers of values. An error says what is expected.

use std::borrow::Cow;
use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use axum::http::HeaderName;
use ipnet::IpNet;
use touchline_datalake::SinkSecret;
use touchline_store::PostgresAddress;
use touchline_upstream::Origin;
use tracing_subscriber::EnvFilter;
use url::Url;

use super::{Mail, Secret};

pub(super) fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

pub(super) fn text(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("may not be empty".to_owned()) } else { Ok(text.to_owned()) }
}

pub(super) fn sink_secret(text: &str) -> Result<SinkSecret, String> {
    SinkSecret::new(text).ok_or_else(|| "needs at least 24 characters".to_owned())
}

pub(super) fn path(value: &str) -> Result<PathBuf, String> {
    text(value).map(PathBuf::from)
}

/// An address, a host name with a port, or `:PORT` for every IPv4 address of the machine.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let invalid = || "not an address such as 127.0.0.1:8080, localhost:8080 or :8080".to_owned();
    let named = if text.starts_with(':') { format!("0.0.0.0{text}") } else { text.to_owned() };
    let addresses: Vec<_> = named.to_socket_addrs().map_err(|_| invalid())?.collect();
    // `localhost` is both 127.0.0.1 and ::1, and most clients try IPv4.
    addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()).copied().ok_or_else(invalid)
}

/// The origin of the channel API; `None` if it is embedded.
pub(super) fn origin(text: &str) -> Result<Option<Origin>, String> {
    if text == "embedded" { Ok(None) } else { Origin::parse(text).map(Some) }
}

/// The database of the records; `None` for SQLite.
pub(super) fn store(text: &str) -> Result<Option<PostgresAddress>, String> {
    if text == "sqlite" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|fault: String| format!("must be `sqlite` or a postgres:// URL ({fault})"))
}

/// Whether payments go through Stripe.
pub(super) fn payments(text: &str) -> Result<bool, String> {
    match text {
        "sandbox" => Ok(false),
        "stripe" => Ok(true),
        _ => Err("neither sandbox nor stripe".to_owned()),
    }
}

pub(super) fn number(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let expected = || format!("not a whole number from {} to {}", range.start(), range.end());
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(expected)
}

/// A clock offset, at most a hundred years either way.
pub(super) fn seconds(text: &str) -> Result<i64, String> {
    const MAX_SECONDS: i64 = 100 * 365 * 86_400;
    let expected = || "not a whole number of seconds within a hundred years".to_owned();
    text.parse().ok().filter(|seconds: &i64| seconds.abs() <= MAX_SECONDS).ok_or_else(expected)
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "neither true nor false".to_owned())
}

pub(super) fn header(text: &str) -> Result<HeaderName, String> {
    text.parse().map_err(|_| "not a header name".to_owned())
}

/// A network or a single address.
pub(super) fn network(text: &str) -> Result<IpNet, String> {
    let single = || text.parse().map(|address: std::net::IpAddr| IpNet::from(address));
    text.parse().or_else(|_| single()).map_err(|_| "not a network such as 10.0.0.0/8".to_owned())
}

pub(super) fn url(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err("not a URL that starts with http:// or https://".to_owned()),
    }
}

pub(super) fn mail(text: &str) -> Result<Mail, String> {
    if !text.contains("://") {
        return path(text).map(Mail::Folder);
    }
    match Url::parse(text) {
        Ok(url) if url.scheme() == "smtp" && url.password().is_some() && !url.query_pairs().any(is_tls) => {
            Err("the password would be sent unencrypted: use smtps://, or add ?tls=required".to_owned())
        }
        Ok(url) if matches!(url.scheme(), "smtp" | "smtps") && url.has_host() => Ok(Mail::Smtp(Secret(url))),
        _ => Err("neither a folder nor a URL that starts with smtp:// or smtps://".to_owned()),
    }
}

/// Whether the connection fails on a server without TLS, before the password is sent.
fn is_tls((name, value): (Cow<'_, str>, Cow<'_, str>)) -> bool {
    name == "tls" && value == "required"
}

/// A name that is valid in the lake's file names.
pub(super) fn node(text: &str) -> Result<String, String> {
    let expected = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    if (1..=64).contains(&text.len()) && text.bytes().all(expected) {
        Ok(text.to_owned())
    } else {
        Err("not 1 to 64 letters, digits, '_' or '.'".to_owned())
    }
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string().replace('\n', " "))
}

pub(super) fn log_format(text: &str) -> Result<bool, String> {
    match text {
        "text" => Ok(false),
        "json" => Ok(true),
        _ => Err("neither text nor json".to_owned()),
    }
}
