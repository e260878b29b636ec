//! Analytics events of changes, written in the transaction of the change (`ANA-14`).

/// Circumstances of a change that analytics record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeContext {
    /// Random identifier of the event, 128 bits in hex.
    pub id: String,
    /// Key of the channel.
    pub channel_key: String,
    /// Analytics key of the channel.
    pub analytics_key: String,
    /// The viewer's country, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The viewer's browser. `None` for a viewer who refused analytics or was not asked: the change is only counted.
    pub browser: Option<AnalyticsBrowser>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// A browser whose viewer allows analytics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalyticsBrowser {
    /// The browser's persistent analytics key.
    pub profile: String,
    /// The analytics session.
    pub session: String,
}

/// The sign-in that a key is issued for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// `password`, or the provider of a social login.
    pub method: String,
    /// See [`ChangeContext`].
    pub context: ChangeContext,
}
