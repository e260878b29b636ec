//! What operators look for: people and orders.

use async_trait::async_trait;
use touchline_domain::accounts::User;
use touchline_protocol::purchases::{OrderStatus, OrderType};

use super::{OrderRecord, StoreResult};

/// Which people are looked for; what is absent narrows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleSearch {
    /// The channel.
    pub channel_key: Option<String>,
    /// A part of the address or of the name, in either case.
    pub text: Option<String>,
    /// The last four digits of a card that they paid with.
    pub last4: Option<String>,
    /// They placed an order, or something became of one, from the first moment until before the second; Unix milliseconds.
    pub between: Option<(i64, i64)>,
    /// At most so many.
    pub limit: u32,
}

/// Which orders are looked for; what is absent narrows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderSearch {
    /// The channel.
    pub channel_key: Option<String>,
    /// Whose.
    pub user_id: Option<i64>,
    /// Where they stand.
    pub status: Option<OrderStatus>,
    /// What was bought.
    pub product: Option<(OrderType, i64)>,
    /// Placed from the first moment until before the second; Unix milliseconds.
    pub between: Option<(i64, i64)>,
    /// At most so many.
    pub limit: u32,
}

/// Looking for people and orders.
#[async_trait]
pub trait Searches {
    /// People who have an account, newest first.
    async fn find_people(&self, search: &PeopleSearch) -> StoreResult<Vec<User>>;
    /// Orders, newest first.
    async fn find_orders(&self, search: &OrderSearch) -> StoreResult<Vec<OrderRecord>>;
}
