//! What a provider says of itself, whichever it is.

/// Money that moved at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderMove {
    /// The provider's id of it, as the charge's row has it.
    pub id: String,
    /// Of money that went back: the payment.
    pub of_payment: Option<String>,
    /// The order's key that it carries.
    pub order_key: Option<String>,
    /// The customer who paid.
    pub customer: Option<String>,
    /// Minor units.
    pub amount: i64,
    /// When it was begun, Unix milliseconds.
    pub at: i64,
    /// Whether it brings back what went back before: a dispute that was won, a refund that failed.
    pub is_won_back: bool,
}

/// A subscription that runs at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSubscription {
    /// Its id, as the order has it.
    pub id: String,
    /// The order's key that it carries.
    pub order_key: Option<String>,
    /// Whether it renews at the end of its period.
    pub renews: bool,
    /// When it was made, Unix milliseconds.
    pub at: i64,
}

/// What the provider says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderRecords {
    /// Money that moved since a moment.
    pub moves: Vec<ProviderMove>,
    /// The subscriptions that run; none of a provider that keeps no clock.
    pub subscriptions: Option<Vec<ProviderSubscription>>,
}
