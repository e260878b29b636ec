//! The client of a request, as the server in front of these routes determined it.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Extensions, HeaderMap, Uri, header};

/// The client of a request. The server inserts it as a request extension, since only the server knows which proxies to
/// trust. The default is the address `0.0.0.0` and no country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The client's address.
    pub address: IpAddr,
    /// ISO 3166-1 alpha-2 code, upper case; `None` when unknown.
    pub country: Option<String>,
}

impl Default for Client {
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), country: None }
    }
}

impl Client {
    /// Reads the extension, or returns the default.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// The key that limits count by: an IPv4 address, or the /64 of an IPv6 address, which is one household's share.
    pub fn subject(&self) -> String {
        match self.address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}

/// The requested host, with or without port: from the URI, as in HTTP/2, or from the header.
pub fn host_of<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let header = || headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(Authority::as_str).or_else(header).unwrap_or_default()
}

/// The device's user agent, cut to 100 characters: enough to recognise one's own devices.
pub fn device_name(headers: &HeaderMap) -> String {
    user_agent(headers, 100)
}

/// The browser's user agent in full, since its version comes last. No browser needs more than 512 characters.
pub(crate) fn browser_name(headers: &HeaderMap) -> String {
    user_agent(headers, 512)
}

fn user_agent(headers: &HeaderMap, max_characters: usize) -> String {
    let name = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    name.chars().filter(|character| !character.is_control()).take(max_characters).collect()
}
