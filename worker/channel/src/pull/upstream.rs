//! Requests to other hosts, with limits on size, time, redirects and networks.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Response, StatusCode, redirect};
use url::{Host, Url};

use super::slots::{MEMORY_BLOCK, Memory};
use crate::media::hls::MAX_PLAYLIST_BYTES;
use crate::media::networks::is_private;

pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;
/// Timeout of a playlist request, which may wait for an update.
pub(super) const PLAYLIST_TIMEOUT: Duration = Duration::from_secs(20);
pub(super) const FILE_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
pub(super) const MAX_REDIRECTS: usize = 3;

/// Reasons why a pulled medium cannot be served. Errors never contain the address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PullError {
    /// The host returned an error.
    #[error("the host returned {0}")]
    Status(u16),
    /// The request timed out.
    #[error("the host did not respond in time")]
    TimedOut,
    /// The host is unreachable or closed the connection.
    #[error("the host is unreachable or closed the connection: {0}")]
    Broken(String),
    /// The host is in a private network, which the operator did not allow.
    #[error("the address is in a private network, and media.private_networks is off")]
    Private,
    /// The response is too large.
    #[error("the response is larger than {0} bytes")]
    TooLarge(u64),
    /// The response is not what was requested.
    #[error("the response {0}")]
    Wrong(&'static str),
    /// Too many requests are in progress.
    #[error("too many requests are in progress")]
    NoSlot,
    /// Too much is being fetched for the viewer's address, of the medium, or in total.
    #[error("too many large files are being fetched")]
    NoMemory,
}

/// A complete response of another host.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    pub(crate) bytes: Bytes,
    /// URL after redirects.
    pub(crate) url: Url,
    /// First byte and the file's length, if it is a part.
    pub(crate) part: Option<(u64, Option<u64>)>,
    /// Lifetime specified by the host.
    pub(crate) lifetime: Option<Duration>,
    pub(crate) headers: HeaderMap,
}

/// Options of a request to another host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchOptions<'a> {
    /// Requested byte range, both ends included.
    pub(crate) range: Option<(u64, u64)>,
    /// Value of the `Origin` header that a browser would send.
    pub(crate) origin: Option<&'a str>,
    /// Whether an HTML page is acceptable.
    pub(crate) allows_page: bool,
    pub(crate) max_bytes: u64,
    pub(crate) timeout: Duration,
    /// Memory for the response; `None` for small ones.
    pub(crate) memory: Option<&'a Memory>,
}

impl FetchOptions<'_> {
    pub(crate) const PLAYLIST: Self = Self {
        range: None,
        origin: None,
        allows_page: false,
        max_bytes: MAX_PLAYLIST_BYTES,
        timeout: PLAYLIST_TIMEOUT,
        memory: None,
    };
    pub(crate) const FILE: Self = Self { max_bytes: MAX_FILE_BYTES, timeout: FILE_TIMEOUT, ..Self::PLAYLIST };
}

#[derive(Debug)]
pub(crate) struct Upstream {
    http: Client,
    private: bool,
}

impl Upstream {
    /// Creates the client. `private` allows hosts in private networks.
    pub(crate) fn new(private: bool) -> anyhow::Result<Self> {
        // Whichever component needs TLS first installs it. Later calls have no effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy()
            .dns_resolver(Arc::new(PublicResolver { private }))
            .build()?;
        Ok(Self { http, private })
    }

    pub(crate) async fn get(&self, url: &Url, options: &FetchOptions<'_>) -> Result<Fetched, PullError> {
        tokio::time::timeout(options.timeout, self.fetch(url.clone(), options))
            .await
            .map_err(|_| PullError::TimedOut)?
    }

    async fn fetch(&self, mut url: Url, options: &FetchOptions<'_>) -> Result<Fetched, PullError> {
        for _ in 0..=MAX_REDIRECTS {
            self.check(&url)?;
            let mut request = self.http.get(url.clone());
            if let Some((from, to)) = options.range {
                request = request.header(header::RANGE, format!("bytes={from}-{to}"));
            }
            if let Some(origin) = options.origin {
                request = request.header(header::ORIGIN, origin);
            }
            let response = request.send().await.map_err(broken)?;
            if response.status().is_redirection() {
                let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
                url = to.and_then(|to| url.join(to).ok()).ok_or(PullError::Wrong("redirects to an invalid URL"))?;
                continue;
            }
            return read(response, url, options).await;
        }
        Err(PullError::Wrong("redirects too many times"))
    }

    /// IP addresses bypass the resolver, so they are checked here.
    fn check(&self, url: &Url) -> Result<(), PullError> {
        let is_near = match url.host() {
            Some(Host::Ipv4(address)) => is_private(address.into()),
            Some(Host::Ipv6(address)) => is_private(address.into()),
            Some(Host::Domain(_)) => false,
            None => true,
        };
        match url.scheme() {
            _ if is_near && !self.private => Err(PullError::Private),
            "https" => Ok(()),
            "http" if self.private => Ok(()),
            _ => Err(PullError::Wrong("does not come from an https URL")),
        }
    }
}

async fn read(mut response: Response, url: Url, options: &FetchOptions<'_>) -> Result<Fetched, PullError> {
    let (status, headers, max_bytes) = (response.status(), response.headers().clone(), options.max_bytes);
    if !status.is_success() {
        return Err(PullError::Status(status.as_u16()));
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // An error page is not a video.
    let is_page = text(header::CONTENT_TYPE).is_some_and(|kind| kind.trim_start().starts_with("text/html"));
    if is_page && !options.allows_page {
        return Err(PullError::Wrong("is an HTML page"));
    }
    let part = if status == StatusCode::PARTIAL_CONTENT {
        Some(text(header::CONTENT_RANGE).and_then(part_of).ok_or(PullError::Wrong("has no valid Content-Range"))?)
    } else {
        None
    };
    let lifetime = text(header::CACHE_CONTROL).and_then(|value| {
        let max_ages = value.split(',').filter_map(|word| word.trim().strip_prefix("max-age="));
        max_ages.filter_map(|seconds| seconds.parse().ok()).map(Duration::from_secs).next()
    });
    let length = response.content_length();
    if length.is_some_and(|length| length > max_bytes) {
        return Err(PullError::TooLarge(max_bytes));
    }
    let mut bytes = BytesMut::new();
    let mut reserved = 0;
    // An incomplete body is an error here, detected by its length or its last chunk.
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if (bytes.len() + chunk.len()) as u64 > max_bytes {
            return Err(PullError::TooLarge(max_bytes));
        }
        while reserved < bytes.len() + chunk.len() {
            if options.memory.is_some_and(|memory| !memory.grow()) {
                return Err(PullError::NoMemory);
            }
            bytes.reserve(MEMORY_BLOCK);
            reserved += MEMORY_BLOCK;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Fetched { bytes: bytes.freeze(), url, part, lifetime, headers })
}

/// Parses `bytes 0-99/1000` into the first byte and the total length.
fn part_of(value: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = value.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, total.parse().ok()))
}

fn broken(error: reqwest::Error) -> PullError {
    if error.is_timeout() {
        return PullError::TimedOut;
    }
    // The URL is in the error's own text but not in its sources.
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    if cause.downcast_ref::<NotPublic>().is_some() {
        return PullError::Private;
    }
    PullError::Broken(cause.to_string())
}

/// The host name resolves to a private network.
#[derive(Debug, thiserror::Error)]
#[error("a private network")]
struct NotPublic;

/// A resolver that returns no private addresses: the owner of a host name must not be able to direct the worker to its
/// internal network.
#[derive(Debug)]
struct PublicResolver {
    private: bool,
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let private = self.private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let addresses: Vec<SocketAddr> = found.filter(|address| private || !is_private(address.ip())).collect();
            if addresses.is_empty() {
                return Err(Box::new(io::Error::other(NotPublic)) as Box<dyn std::error::Error + Send + Sync>);
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::Uri;

    use super::super::slots::{MAX_BLOCKS_OF_ADDRESS, Slots};
    use super::*;

    /// `PULL-4`
    #[tokio::test]
    async fn a_file_uses_memory_as_it_arrives_and_none_above_the_limit() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let zeros = async |uri: Uri| vec![0_u8; uri.path()[1..].parse().unwrap()];
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(zeros)).await });
        let (upstream, slots) = (Upstream::new(true).unwrap(), Slots::new());
        let memory = || slots.memory(&"tv/1".to_owned(), &"a".to_owned());
        let others = memory();
        assert!((0..MAX_BLOCKS_OF_ADDRESS - 2).all(|_| others.grow()));
        for (len, is_fetched) in [(2 * MEMORY_BLOCK, true), (2 * MEMORY_BLOCK + 1, false), (3, true)] {
            let url = Url::parse(&format!("http://{address}/{len}")).unwrap();
            let fetched = upstream.get(&url, &FetchOptions { memory: Some(&memory()), ..FetchOptions::FILE }).await;
            assert_eq!(
                fetched.as_ref().map(|file| file.bytes.len()),
                is_fetched.then_some(len).ok_or(&PullError::NoMemory)
            );
        }
    }
}
