//! Saved cards.

use async_trait::async_trait;

use super::StoreResult;

/// A card saved by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedCard {
    /// ID of the card at the provider.
    pub payment_method_id: String,
    /// Whether the card was added outside a purchase. Such a card is offered before its first payment.
    pub added: bool,
    /// Whether the card is the user's default.
    pub is_default: bool,
}

/// A card to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSavedCard {
    /// ID of the user.
    pub user_id: i64,
    /// ID of the card at the provider.
    pub payment_method_id: String,
    /// Time in Unix milliseconds.
    pub at: i64,
    /// Whether the card was added outside a purchase.
    pub added: bool,
    /// Whether to make the card the default. At most one card is.
    pub is_default: bool,
}

/// Storage of saved cards.
#[async_trait]
pub trait SavedCards {
    /// Saves a card. A card that is already saved stays saved, and stays the default if it was.
    async fn save_card(&self, card: NewSavedCard) -> StoreResult<()>;
    /// Returns a user's cards, newest first.
    async fn saved_cards(&self, user_id: i64) -> StoreResult<Vec<SavedCard>>;
    /// Removes a saved card.
    async fn remove_card(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()>;
    /// Returns the user and id of cards that were entered for a purchase that has ended, and weren't saved.
    async fn cards_to_detach(&self, limit: u32) -> StoreResult<Vec<(i64, String)>>;
    /// Marks a card as detached at the provider, or as in use again.
    async fn mark_card_detached(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()>;
}
