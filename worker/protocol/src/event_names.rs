//! Names of analytics events in the tables `event` and `event_count` (`ANA-14`, `ANA-15`). `docs/contracts/events.json`
//! has the schema of each event's `extras`.

/// A person registered.
pub const REGISTERED: &str = "registered";
/// A person logged in.
pub const LOGGED_IN: &str = "logged_in";
/// A favourite was added.
pub const FAVORITE_ADDED: &str = "favorite_added";
/// A favourite was removed.
pub const FAVORITE_REMOVED: &str = "favorite_removed";
/// A clip was created.
pub const CLIP_CREATED: &str = "clip_created";
/// A viewer turned off a subscription's auto-renew.
pub const SUBSCRIPTION_CANCELLED: &str = "subscription_cancelled";
/// A viewer searched.
pub const SEARCHED: &str = "searched";
/// A viewer shared a clip.
pub const CLIP_SHARED: &str = "clip_shared";
/// A viewer opened the cancellation of a subscription.
pub const CANCELLATION_OPENED: &str = "cancellation_opened";
/// A viewer allowed analytics.
pub const CONSENT_ALLOWED: &str = "consent_given";
/// A viewer refused analytics. It is only ever counted.
pub const CONSENT_REFUSED: &str = "consent_refused";

/// Events of changes, which the worker writes in the transaction of the change. No call may send them.
pub const OF_CHANGES: [&str; 6] =
    [REGISTERED, LOGGED_IN, FAVORITE_ADDED, FAVORITE_REMOVED, CLIP_CREATED, SUBSCRIPTION_CANCELLED];
/// Events that browsers send, and count for a viewer without consent.
pub const OF_BROWSERS: [&str; 5] = [SEARCHED, CLIP_SHARED, CANCELLATION_OPENED, CONSENT_ALLOWED, CONSENT_REFUSED];
