//! Which cards people keep.

use async_trait::async_trait;

use super::StoreResult;

/// A card that a person keeps for the next purchase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCard {
    /// The card.
    pub payment_method_id: String,
    /// It was entered by itself: it is offered before anything was paid with it.
    pub added: bool,
    /// The person chose it as the one that is offered first.
    pub is_default: bool,
}

/// A card that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeptCard {
    /// Whose.
    pub user_id: i64,
    /// The card.
    pub payment_method_id: String,
    /// When, Unix milliseconds.
    pub at: i64,
    /// It was entered by itself.
    pub added: bool,
    /// It is offered first from now on, and no other is.
    pub is_default: bool,
}

/// Keeping, listing and forgetting cards.
#[async_trait]
pub trait KeptCards {
    /// Keeps a card; kept already, it stays, and is the default where it was or is to be.
    async fn keep_card(&self, card: NewKeptCard) -> StoreResult<()>;
    /// The cards of a person, the newest first.
    async fn kept_cards(&self, user_id: i64) -> StoreResult<Vec<KeptCard>>;
    /// Keeps a card no longer.
    async fn forget_card(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()>;
    /// Cards that were entered for one purchase, which has ended, and are not kept: whose, and which.
    async fn cards_to_release(&self, limit: u32) -> StoreResult<Vec<(i64, String)>>;
    /// A card is taken off at the provider, or stays because it is used again.
    async fn card_released(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()>;
}
