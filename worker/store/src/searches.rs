//! Operators' searches for users and orders.

use async_trait::async_trait;
use touchline_domain::accounts::User;
use touchline_protocol::purchases::{OrderStatus, OrderType};

use super::{OrderRecord, StoreResult};

/// A search for users. Absent criteria match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleSearch {
    /// Key of the channel.
    pub channel_key: Option<String>,
    /// Part of the email address or name, ignoring case.
    pub text: Option<String>,
    /// Last four digits of a card that the user paid with.
    pub last4: Option<String>,
    /// Half-open range of Unix milliseconds in which the user placed an order or one of their orders changed.
    pub between: Option<(i64, i64)>,
    /// Maximum number of results.
    pub limit: u32,
}

/// A search for orders. Absent criteria match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderSearch {
    /// Key of the channel.
    pub channel_key: Option<String>,
    /// ID of the user.
    pub user_id: Option<i64>,
    /// Status of the order.
    pub status: Option<OrderStatus>,
    /// Type and id of the product.
    pub product: Option<(OrderType, i64)>,
    /// Half-open range of Unix milliseconds in which the order was placed.
    pub between: Option<(i64, i64)>,
    /// Maximum number of results.
    pub limit: u32,
}

/// Searches for users and orders.
#[async_trait]
pub trait Searches {
    /// Returns users with an account, newest first.
    async fn find_people(&self, search: &PeopleSearch) -> StoreResult<Vec<User>>;
    /// Returns orders, newest first.
    async fn find_orders(&self, search: &OrderSearch) -> StoreResult<Vec<OrderRecord>>;
}
