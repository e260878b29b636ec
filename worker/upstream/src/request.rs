//! The checked parts of a viewer's request that are forwarded: path, query and headers (`UP-2`).

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use bytes::Bytes;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use touchline_protocol::site_path::{PathFault, SitePath};
use url::form_urlencoded;

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Longest `Idempotency-Key`, in characters.
const MAX_KEY_LENGTH: usize = 255;
/// Headers of the viewer that are forwarded. All others are dropped, and so are those named by `Connection`.
static FORWARDED_HEADERS: [HeaderName; 4] =
    [header::ACCEPT_LANGUAGE, header::CONTENT_TYPE, header::USER_AGENT, IDEMPOTENCY_KEY];
/// Prefix of the cookies by which another Touchline recognises a device.
const DEVICE_COOKIE: &str = "touchline-device-";

/// A problem with a request: its location, and a description.
pub(crate) type Fault = (&'static str, &'static str);

/// The path of a request below `/api/`, encoded again. It can't lead outside the API.
pub(crate) fn api_path(path: &str) -> Result<String, Fault> {
    let path = SitePath::parse(path.trim_end_matches('/')).map_err(|fault| match fault {
        PathFault::NotUtf8 => ("path", "must be UTF-8"),
        PathFault::Relative | PathFault::Ambiguous => ("path", "must not lead outside the API"),
    })?;
    path.encoded().strip_prefix("api/").map(str::to_owned).ok_or(("path", "no such call"))
}

/// A query with the key removed, and the key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) api_key: Option<String>,
    /// Encoded again, in the original order.
    pub(crate) rest: String,
}

impl Query {
    /// # Errors
    /// Fails if there are two keys, because the upstream might read the other one.
    pub(crate) fn read(query: Option<&str>) -> Result<Self, Fault> {
        let mut api_key = None;
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if name != "api_key" {
                rest.append_pair(&name, &value);
            } else if api_key.replace(value.into_owned()).is_some() {
                return Err(("api_key", "must not be repeated"));
            }
        }
        Ok(Self { api_key, rest: rest.finish() })
    }

    /// The query with a key added.
    pub(crate) fn with_key(&self, api_key: Option<&str>) -> String {
        let Some(key) = api_key else { return self.rest.clone() };
        let mut query = form_urlencoded::Serializer::new(self.rest.clone());
        query.append_pair("api_key", key);
        query.finish()
    }
}

/// A JSON object as request body.
#[derive(Debug, Clone, Default)]
pub(crate) struct PostBody {
    pub(crate) api_key: Option<String>,
    pub(crate) fields: Map<String, Value>,
    pub(crate) bytes: Bytes,
}

impl PostBody {
    /// # Errors
    /// Fails if the body isn't a JSON object, or has two keys.
    pub(crate) fn read(bytes: Bytes) -> Result<Self, Fault> {
        let fields: Map<String, Value> =
            serde_json::from_slice(&bytes).map_err(|_| ("body", "the body is not a JSON object"))?;
        // Parsers disagree about repeated fields. The forwarded body has each field once.
        let bytes = serde_json::to_vec(&fields).map_err(|_| ("body", "the body is not a JSON object"))?.into();
        let api_key = match fields.get("api_key") {
            Some(Value::String(key)) => Some(key.clone()),
            None => None,
            Some(_) => return Err(("api_key", "must be a string")),
        };
        Ok(Self { api_key, fields, bytes })
    }

    /// SHA-256 of the body without its key, in hex. The order of fields doesn't matter.
    pub(crate) fn fingerprint(&self) -> String {
        let mut fields: Vec<_> = self.fields.iter().filter(|(name, _)| *name != "api_key").collect();
        fields.sort_by_key(|(name, _)| name.as_str());
        let mut digest = Sha256::new();
        for (name, value) in fields {
            digest.update(name.as_bytes());
            digest.update([0]);
            digest.update(value.to_string().as_bytes());
            digest.update([0]);
        }
        hex::encode(digest.finalize())
    }
}

/// The `Idempotency-Key`, if any.
///
/// # Errors
/// Fails if there are two, or an invalid one.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(("Idempotency-Key", "must not be repeated"));
    }
    let text = value.to_str().map_err(|_| ("Idempotency-Key", "must be a string"))?;
    if text.is_empty() || text.len() > MAX_KEY_LENGTH {
        return Err(("Idempotency-Key", "must not be empty or too long"));
    }
    Ok(Some(text.to_owned()))
}

/// The viewer's details that the upstream gets besides the call.
#[derive(Debug, Clone, Default)]
pub struct Viewpoint {
    /// The viewer's IP address, as determined by this worker's proxy settings.
    pub address: Option<String>,
    /// The viewer's country, ISO 3166-1 alpha-2, if known.
    pub country: Option<String>,
    /// Whether the viewer uses `https` rather than `http`.
    pub is_https: bool,
}

impl Viewpoint {
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }
}

/// A channel to read, and the viewer's country to read it for.
#[derive(Debug, Clone, Copy)]
pub struct Public<'a> {
    /// Key of the channel.
    pub channel_key: &'a str,
    /// A host that serves the channel.
    pub host: &'a str,
    /// A viewer in that country.
    pub viewpoint: &'a Viewpoint,
}

/// The headers to forward. Headers that a browser can't set (`Forwarded`, `X-Forwarded-For`, `Authorization`, a
/// rewritten path, `Host`) are dropped. This worker sets the viewer's details itself.
pub(crate) fn forwarded_headers(
    headers: &HeaderMap,
    viewpoint: &Viewpoint,
    request_id: Option<&HeaderValue>,
) -> HeaderMap {
    let mut result = HeaderMap::new();
    for name in &FORWARDED_HEADERS {
        if let Some(value) = headers.get(name) {
            result.insert(name, value.clone());
        }
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let devices: Vec<_> =
        cookies.flat_map(|value| value.split(';')).map(str::trim).filter(|c| c.starts_with(DEVICE_COOKIE)).collect();
    if !devices.is_empty()
        && let Ok(value) = HeaderValue::from_str(&devices.join("; "))
    {
        result.insert(header::COOKIE, value);
    }
    let mut set_header = |name: &'static str, value: Option<&str>| {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            result.insert(name, value);
        }
    };
    set_header("x-forwarded-for", viewpoint.address.as_deref());
    set_header("x-forwarded-proto", Some(viewpoint.scheme()));
    if let Some(id) = request_id {
        result.insert("x-request-id", id.clone());
    }
    result
}

/// Response headers that are returned to the viewer.
static RETURNED_HEADERS: [HeaderName; 7] = [
    header::CONTENT_TYPE,
    header::CONTENT_DISPOSITION,
    header::CONTENT_RANGE,
    header::ACCEPT_RANGES,
    header::CACHE_CONTROL,
    header::RETRY_AFTER,
    header::LAST_MODIFIED,
];

/// The response headers to return: those about the content, and device cookies. An upstream sets no policy, no other
/// cookie and no connection header for this site.
pub(crate) fn returned_headers(headers: &HeaderMap) -> HeaderMap {
    let mut result = HeaderMap::new();
    for name in &RETURNED_HEADERS {
        if let Some(value) = headers.get(name) {
            result.insert(name, value.clone());
        }
    }
    for cookie in headers.get_all(header::SET_COOKIE) {
        let is_device_cookie =
            cookie.to_str().is_ok_and(|c| c.starts_with(DEVICE_COOKIE) && !c.to_ascii_lowercase().contains("domain="));
        if is_device_cookie {
            result.append(header::SET_COOKIE, cookie.clone());
        }
    }
    result
}

/// Whether a request can be repeated without a second effect.
pub(crate) fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The digest that represents a key in memory, in the store and in notices.
pub(crate) fn digest_of(api_key: &str) -> String {
    hex::encode(&Sha256::digest(api_key.as_bytes())[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_cannot_leave_the_api() {
        assert_eq!(api_path("/api/custom-forms/contact%20us"), Ok("custom-forms/contact%20us".to_owned()));
        for path in ["/api/pages/..%2fadmin", "/api/pages/%2e%2e", "/api/pages/a%5cb", "/api/pages/a%0d%0ab", "/x"] {
            assert!(api_path(path).is_err(), "{path}");
        }
    }

    #[test]
    fn the_key_is_separated_from_the_query_and_must_be_unique() {
        let query = Query::read(Some("limit=2&api_key=k%2F1&text=a+b")).unwrap();
        assert_eq!((query.api_key.as_deref(), query.rest.as_str()), (Some("k/1"), "limit=2&text=a+b"));
        assert_eq!(query.with_key(Some("x&y")), "limit=2&text=a+b&api_key=x%26y");
        assert!(Query::read(Some("api_key=1&api%5Fkey=2")).is_err());
    }

    #[test]
    fn a_duplicate_key_in_a_body_is_forwarded_once() {
        let body = PostBody::read(Bytes::from_static(br#"{"api_key":"a","id":1,"api_key":"b"}"#)).unwrap();
        assert_eq!(body.api_key.as_deref(), Some("b"));
        assert_eq!(body.bytes.iter().filter(|byte| **byte == b'b').count(), 1);
        let other = PostBody::read(Bytes::from_static(br#"{"id":1,"api_key":"c"}"#)).unwrap();
        assert_eq!(body.fingerprint(), other.fingerprint());
        assert!(PostBody::read(Bytes::from_static(b"[]")).is_err());
    }

    #[test]
    fn only_headers_that_the_upstream_reads_are_forwarded() {
        let mut headers = HeaderMap::new();
        let set = |headers: &mut HeaderMap, name: &'static str, value: &'static str| {
            headers.append(name, HeaderValue::from_static(value));
        };
        set(&mut headers, "x-forwarded-for", "6.6.6.6");
        set(&mut headers, "authorization", "Bearer x");
        set(&mut headers, "connection", "idempotency-key, x-forwarded-for");
        set(&mut headers, "idempotency-key", "k1");
        set(&mut headers, "x-original-url", "/admin");
        set(&mut headers, "cookie", "session=1; touchline-device-7=abc");
        let viewpoint = Viewpoint { address: Some("1.2.3.4".to_owned()), country: None, is_https: true };
        let result = forwarded_headers(&headers, &viewpoint, None);
        assert_eq!(result["x-forwarded-for"], "1.2.3.4");
        assert_eq!(result["idempotency-key"], "k1");
        assert_eq!(result["cookie"], "touchline-device-7=abc");
        assert_eq!(result.len(), 4, "{result:?}");
        set(&mut headers, "idempotency-key", "k2");
        assert!(idempotency_key(&headers).is_err());
    }
}
