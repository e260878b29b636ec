//! Redirects a link for another channel to that channel's site (`NAV-8`).

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, Uri, header};

use super::pages::address_of;
use super::{Site, Visit};

/// Not cached, because channels are added, moved and removed.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

impl Site {
    /// The redirect for a page whose `channel` parameter names another channel. `None` if there is no such channel, or
    /// it has no address.
    pub(super) fn other_channel(&self, visit: &Visit, uri: &Uri) -> Option<Response<Body>> {
        let query = uri.query()?;
        let named = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "channel");
        let (_, key) = named.filter(|(_, key)| *key != visit.branding.key)?;
        let channel = self.0.brandings.channel_of_key(&key)?;
        if channel.config.public_url.is_none() && channel.config.hosts.is_empty() {
            return None;
        }
        let address = address_of(&channel, &visit.host, self.0.public.tls || visit.visitor.https);
        // An address that this host serves would redirect here again.
        let leads_here = address.split_once("://").is_some_and(|(_, host)| host == visit.host);
        if leads_here {
            return None;
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::FOUND;
        let location = HeaderValue::from_str(&format!("{address}{}?{query}", uri.path())).ok()?;
        response.headers_mut().insert(header::LOCATION, location);
        response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
        Some(response)
    }
}
