//! Orders, cards, coupons and subscriptions. Amounts are integers in minor units, with a currency.

mod cards;
mod checkout;
mod orders;
mod transactions;

pub use cards::{Card, CustomerPortal, PaymentMethod, SandboxCard, SandboxConfirm, SaveCard, SetupIntent};
pub use checkout::{Buy, Coupon, CurrentPrice, StartTrial, Unsubscribe, UseCard};
pub use orders::{
    ActivityStatus, AutoRenew, NextAction, Order, OrderStatus, OrderType, Product, SubscriptionState,
    SubscriptionStatus,
};
pub use transactions::{ChargeKind, ChargeStatus, Transaction, TransactionKind};
