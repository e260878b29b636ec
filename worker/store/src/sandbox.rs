//! What the sandbox payment provider keeps: its cards and charges, apart from the channel's orders, as a real provider's
//! would be.

use async_trait::async_trait;

use super::{IdempotencyClaim, StoreResult};

/// A card of a sandbox customer. Its number is not kept: what it does is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCardRecord {
    /// For `payment_method_id`.
    pub id: String,
    /// The customer: the person's id.
    pub user_id: i64,
    /// E.g. `visa`.
    pub brand: String,
    /// The last four digits.
    pub last4: String,
    /// 1 to 12.
    pub exp_month: u32,
    /// Four digits.
    pub exp_year: u32,
    /// How its charges end; see `payments::sandbox`.
    pub behaviour: String,
    /// When it was entered.
    pub created_at: i64,
}

/// Money that moved, as far as a sandbox moves any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxMove {
    /// A charge's idempotency key, or the name of what was given back.
    pub name: String,
    /// Of what was given back: the charge.
    pub of_charge: Option<String>,
    /// Minor units.
    pub amount: i64,
    /// When, Unix milliseconds.
    pub at: i64,
}

/// How far a charge has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxChargeStatus {
    /// The bank asks its customer.
    RequiresAction,
    /// The money moved, as far as a sandbox moves any.
    Succeeded,
    /// It was refused.
    Failed,
    /// It was given back.
    Refunded,
}

/// A charge, one for each idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCharge {
    /// The key under which it was asked for.
    pub idempotency_key: String,
    /// The customer.
    pub user_id: i64,
    /// The card.
    pub card_id: String,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// How far it has come.
    pub status: SandboxChargeStatus,
    /// Why it was refused, for the viewer.
    pub failure: Option<String>,
    /// What the browser confirms with.
    pub client_secret: String,
    /// When it was first asked for.
    pub created_at: i64,
}

/// What the token of a setup intent is bound to.
pub fn setup_subject(user_id: i64) -> String {
    format!("setup:{user_id}")
}

/// The sandbox provider's books.
#[async_trait]
pub trait SandboxLedger {
    /// Uses a setup intent up (a token of [`setup_subject`]) and keeps the card, with its answer when it was claimed;
    /// whether the intent worked.
    async fn enter_card(
        &self,
        secret_hash: &str,
        card: SandboxCardRecord,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<bool>;
    /// The cards of a customer, newest first.
    async fn sandbox_cards(&self, user_id: i64) -> StoreResult<Vec<SandboxCardRecord>>;
    /// Takes a card off a customer; whether it was theirs.
    async fn remove_sandbox_card(&self, user_id: i64, id: &str) -> StoreResult<bool>;
    /// Keeps a charge unless its key has one; gives the one that is kept.
    async fn charge_once(&self, charge: SandboxCharge) -> StoreResult<SandboxCharge>;
    /// The charge of a key.
    async fn sandbox_charge(&self, idempotency_key: &str) -> StoreResult<Option<SandboxCharge>>;
    /// Ends a charge that requires action and makes the order that waits for it due at once; with a claim, together with
    /// the answer that it is done. Gives the charge as it is then, or nothing for a secret that is none of this customer's.
    async fn confirm_charge(
        &self,
        client_secret: &str,
        user_id: i64,
        failure: Option<&str>,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<SandboxCharge>>;
    /// Gives back a part of a charge that was made, once under a name; what is left of nothing is refunded. Whether it was
    /// given back, now or before: nothing is where less is left.
    async fn give_back_once(&self, name: &str, idempotency_key: &str, amount: i64, at: i64) -> StoreResult<bool>;
    /// What moved from a moment on: charges that were made, and what was given back of them.
    async fn sandbox_moves(&self, since: i64) -> StoreResult<Vec<SandboxMove>>;
    /// Moves a charge from one status to another; whether it stood in the first.
    async fn move_charge(
        &self,
        idempotency_key: &str,
        from: SandboxChargeStatus,
        to: SandboxChargeStatus,
    ) -> StoreResult<bool>;
}
