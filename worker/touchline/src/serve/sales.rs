//! Verification of sales for the datalake.

use async_trait::async_trait;
use touchline_channel::Channel;
use touchline_datalake::Sales;
use touchline_protocol::purchases::OrderStatus;

/// The channel's paid orders.
#[derive(Debug)]
pub(crate) struct PaidOrders(pub(crate) Channel);

#[async_trait]
impl Sales for PaidOrders {
    async fn is_sale(&self, transaction_id: &str) -> bool {
        let Ok(id) = transaction_id.parse() else { return false };
        match self.0.state().store().any_order(id).await {
            Ok(order) => {
                order.is_some_and(|record| matches!(record.order.status, OrderStatus::Paid | OrderStatus::Refunded))
            }
            // If the store cannot be read, the sale counts as real.
            Err(_) => true,
        }
    }
}
