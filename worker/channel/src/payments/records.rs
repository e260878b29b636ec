//! A payment provider's own records, in a common form.

/// A movement of money at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderMove {
    /// The provider's id, as stored in the charge row.
    pub id: String,
    /// The payment, if money was returned.
    pub of_payment: Option<String>,
    /// The order key attached to it.
    pub order_key: Option<String>,
    /// The paying customer.
    pub customer: Option<String>,
    /// Amount, in minor units.
    pub amount: i64,
    /// Creation time, in Unix milliseconds.
    pub at: i64,
    /// Whether it reverses an earlier reversal: a dispute that was won or a refund that failed.
    pub is_won_back: bool,
}

/// An active subscription at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSubscription {
    /// The provider's id, as stored in the order.
    pub id: String,
    /// The order key attached to it.
    pub order_key: Option<String>,
    /// Whether it renews at the end of its period.
    pub renews: bool,
    /// Creation time, in Unix milliseconds.
    pub at: i64,
}

/// A provider's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderRecords {
    /// Movements of money since a time.
    pub moves: Vec<ProviderMove>,
    /// Active subscriptions; `None` for a provider that does not schedule renewals.
    pub subscriptions: Option<Vec<ProviderSubscription>>,
}
