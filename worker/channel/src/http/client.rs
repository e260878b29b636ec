//! Where a request comes from, as the server in front of these routes found out.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Extensions, HeaderMap, Uri, header};

/// Where a request comes from. The server inserts it as a request extension, since it alone knows which proxies to
/// trust; without it the address is `0.0.0.0` and the country unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The viewer's address.
    pub address: IpAddr,
    /// ISO 3166-1 alpha-2, upper case; absent when unknown.
    pub country: Option<String>,
}

impl Default for Client {
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), country: None }
    }
}

impl Client {
    /// What the server found out, or the default.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// What limits count by: an IPv4 address, or the /64 of an IPv6 one, which is what one household has.
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

/// The host that was asked for, with or without port: the address, where HTTP/2 names it, or the header.
pub fn host_of<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let header = || headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.authority().map(Authority::as_str).or_else(header).unwrap_or_default()
}

/// What a device calls itself, in at most 100 characters: enough to know one's own by.
pub fn device_name(headers: &HeaderMap) -> String {
    user_agent(headers, 100)
}

/// What a browser calls itself, whole: its version stands last. No browser needs more than 512 characters.
pub fn browser_name(headers: &HeaderMap) -> String {
    user_agent(headers, 512)
}

fn user_agent(headers: &HeaderMap, most: usize) -> String {
    let name = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    name.chars().filter(|character| !character.is_control()).take(most).collect()
}
