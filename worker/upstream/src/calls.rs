//! The calls that are forwarded to the upstream (`UP-1`).

use axum::http::Method;

/// The audience of a response, which decides how it is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// All viewers of a channel.
    Channel,
    /// The catalogue with the viewer's entitlements. All signed-out viewers get the same response.
    Viewer,
    /// One viewer. Never cached.
    Private,
}

/// The service that answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The upstream: the specification has the call.
    Specification,
    Worker,
    /// The upstream if it has the call, otherwise this worker's channel folder.
    Folder,
    /// The upstream if it has the call, otherwise this worker, derived from the upstream's orders.
    Orders,
    /// The upstream if it has the call. Otherwise the call is switched off.
    Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// Path below `/api/`, such as `events/{id}`.
    pub(crate) path: &'static str,
    pub(crate) method: &'static str,
    pub(crate) owner: Owner,
    pub(crate) audience: Audience,
    /// Name of the feature that is unavailable without the call.
    pub(crate) feature: &'static str,
}

const fn spec(method: &'static str, path: &'static str, audience: Audience, feature: &'static str) -> Call {
    Call { path, method, owner: Owner::Specification, audience, feature }
}

const fn local(method: &'static str, path: &'static str, owner: Owner, feature: &'static str) -> Call {
    Call { path, method, owner, audience: Private, feature }
}

use Audience::{Channel, Private, Viewer};
use Owner::{Folder, Orders, Worker};

/// The calls with special handling. Any other call of the API is an [`Owner::Extra`].
pub(crate) const CALLS: &[Call] = &[
    spec("POST", "get_api_key", Private, "start-up"),
    spec("POST", "v2/auth/login", Private, "login"),
    spec("POST", "auth/logout", Private, "login"),
    spec("POST", "v2/auth/register", Private, "registration"),
    spec("POST", "v2/auth/social/{provider}", Private, "social login"),
    spec("POST", "auth/email-verify", Private, "email verification"),
    spec("POST", "auth/password-reset-request", Private, "password reset"),
    spec("POST", "auth/password-reset", Private, "password reset"),
    spec("POST", "auth/add_session", Private, "linking a device"),
    spec("POST", "delete-account-confirm", Private, "account deletion"),
    spec("GET", "profile", Private, "profile"),
    spec("POST", "profile", Private, "profile"),
    spec("GET", "user/access", Private, "profile"),
    spec("GET", "settings", Channel, "start-up"),
    spec("GET", "menu", Channel, "start-up"),
    spec("GET", "pages", Channel, "content pages"),
    spec("GET", "pages/{id}", Channel, "content pages"),
    spec("GET", "color-settings/web", Channel, "start-up"),
    spec("GET", "slides/web", Channel, "home"),
    spec("GET", "channel-bootstrap-data", Viewer, "start-up"),
    spec("GET", "participants", Channel, "start-up"),
    spec("GET", "participant-groups", Channel, "filters"),
    spec("GET", "participant-group-properties", Channel, "filters"),
    spec("GET", "faq", Channel, "FAQ"),
    spec("GET", "geo", Private, "regions"),
    spec("GET", "custom-forms/{alias}", Channel, "custom forms"),
    spec("GET", "events", Viewer, "event lists"),
    spec("GET", "events/{id}", Viewer, "watch page"),
    spec("GET", "download-event/{id}", Private, "downloads"),
    spec("GET", "events-categories", Channel, "filters"),
    spec("GET", "events-for-homepage", Viewer, "home"),
    spec("GET", "events-locations", Channel, "filters"),
    spec("GET", "events/with_clip", Private, "clips"),
    spec("GET", "events/favorite", Private, "favourites"),
    spec("POST", "stripe/buy", Private, "purchases"),
    spec("GET", "packages", Viewer, "packages"),
    spec("GET", "packages/{id}", Viewer, "packages"),
    spec("GET", "subscriptions", Viewer, "subscriptions"),
    spec("GET", "subscriptions/{id}", Viewer, "subscriptions"),
    spec("GET", "orders", Private, "purchases"),
    spec("GET", "orders/{id}", Private, "purchases"),
    spec("GET", "apply_coupon", Private, "promo codes"),
    spec("POST", "stripe/unsubscribe", Private, "subscriptions"),
    spec("GET", "stripe/customer-portal", Private, "subscriptions"),
    spec("GET", "stripe/list-cards", Private, "purchases"),
    spec("POST", "stripe/setup-intent", Private, "purchases"),
    spec("POST", "stripe/subscription/start_trial", Private, "trials"),
    spec("GET", "vod-media-items", Viewer, "video library"),
    spec("GET", "vod-media-items/{id}", Viewer, "video library"),
    spec("GET", "vod-media-categories", Channel, "video library"),
    spec("GET", "vod-media-rails", Viewer, "video library"),
    spec("GET", "vod-media/search", Viewer, "video library"),
    spec("POST", "clip", Private, "clips"),
    spec("GET", "clips/event/{id}", Private, "clips"),
    spec("GET", "shared-clip/{id}", Private, "clips"),
    spec("GET", "clip/download/{id}", Private, "clips"),
    spec("GET", "clips/user", Private, "clips"),
    spec("DELETE", "clip/{id}", Private, "clips"),
    spec("GET", "favorites", Private, "favourites"),
    spec("POST", "favorite", Private, "favourites"),
    spec("DELETE", "favorite/{id}", Private, "favourites"),
    local("POST", "error-log", Worker, "error log"),
    local("POST", "problem-report", Worker, "problem reports"),
    local("GET", "popups", Folder, "popups"),
    local("GET", "transactions", Orders, "transactions"),
];

pub(crate) fn call_of(method: &Method, path: &str) -> Option<Call> {
    CALLS.iter().find(|call| call.method == method.as_str() && call.path == path).copied()
}

/// Whether a write may be sent again under the same `Idempotency-Key`, after a look-up (`UP-5`).
pub(crate) fn has_lookup(path: &str) -> bool {
    matches!(path, "stripe/buy" | "stripe/subscription/start_trial" | "clip" | "favorite")
}

/// Whether the call is missing from the specification, so that an upstream may or may not have it.
pub(crate) fn is_extra(method: &str, path: &str) -> bool {
    let existing = CALLS.iter().find(|call| call.method == method && call.path == path);
    existing.is_none_or(|call| matches!(call.owner, Folder | Orders))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_found_by_method_and_path() {
        let event = call_of(&Method::GET, "events/{id}").unwrap();
        assert_eq!((event.owner, event.audience), (Owner::Specification, Viewer));
        assert_eq!(call_of(&Method::GET, "popups").unwrap().owner, Folder);
        assert!(call_of(&Method::POST, "events/{id}").is_none());
        assert!(is_extra("POST", "auth/session_code") && !is_extra("GET", "orders"));
        assert_eq!(call_of(&Method::POST, "error-log").unwrap().owner, Worker);
    }
}
