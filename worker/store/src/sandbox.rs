//! Records of the sandbox payment provider: cards and charges. They are separate from the channel's orders, as with a
//! real provider.

use async_trait::async_trait;

use super::{IdempotencyClaim, StoreResult};

/// A card of a sandbox customer. Instead of its number, its behaviour is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCardRecord {
    /// ID of the card, used as `payment_method_id`.
    pub id: String,
    /// The customer: the user's id.
    pub user_id: i64,
    /// Brand, such as `visa`.
    pub brand: String,
    /// Last four digits of the number.
    pub last4: String,
    /// Expiry month, 1 to 12.
    pub exp_month: u32,
    /// Expiry year, four digits.
    pub exp_year: u32,
    /// The result of its charges; see `payments::sandbox`.
    pub behaviour: String,
    /// Time of creation in Unix milliseconds.
    pub created_at: i64,
}

/// A movement of money in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxMovement {
    /// Idempotency key of the charge, or name of the refund.
    pub name: String,
    /// For a refund, the charge.
    pub of_charge: Option<String>,
    /// Amount in minor units.
    pub amount: i64,
    /// Time in Unix milliseconds.
    pub at: i64,
}

/// The status of a sandbox charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxChargeStatus {
    /// The bank requires confirmation.
    RequiresAction,
    /// The charge succeeded.
    Succeeded,
    /// The charge was declined.
    Failed,
    /// The charge was refunded.
    Refunded,
}

/// A sandbox charge. There is one for each idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCharge {
    /// Idempotency key of the request.
    pub idempotency_key: String,
    /// ID of the customer.
    pub user_id: i64,
    /// ID of the card.
    pub card_id: String,
    /// Amount in minor units.
    pub amount: i64,
    /// ISO 4217 currency code.
    pub currency: String,
    /// Status.
    pub status: SandboxChargeStatus,
    /// Reason for the decline, for the viewer.
    pub failure: Option<String>,
    /// Secret for the browser to confirm with.
    pub client_secret: String,
    /// Time of the first request in Unix milliseconds.
    pub created_at: i64,
}

/// The subject of a setup intent's token.
pub fn setup_subject(user_id: i64) -> String {
    format!("setup:{user_id}")
}

/// Storage of the sandbox payment provider.
#[async_trait]
pub trait SandboxLedger {
    /// Uses up a setup intent, which is a token for [`setup_subject`], and stores the card. The response is stored with
    /// it if claimed. Returns whether the setup intent was valid.
    async fn add_sandbox_card(
        &self,
        secret_hash: &str,
        card: SandboxCardRecord,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<bool>;
    /// Returns a customer's cards, newest first.
    async fn sandbox_cards(&self, user_id: i64) -> StoreResult<Vec<SandboxCardRecord>>;
    /// Removes a customer's card. Returns `false` if it wasn't theirs.
    async fn remove_sandbox_card(&self, user_id: i64, id: &str) -> StoreResult<bool>;
    /// Stores a charge unless its key has one, and returns the stored charge.
    async fn charge_once(&self, charge: SandboxCharge) -> StoreResult<SandboxCharge>;
    /// Returns the charge with a key.
    async fn sandbox_charge(&self, idempotency_key: &str) -> StoreResult<Option<SandboxCharge>>;
    /// Confirms or declines a charge that requires action, and makes its order due at once. If claimed, the response is
    /// stored with it. Returns the charge, or `None` if the secret isn't one of the customer's.
    async fn confirm_charge(
        &self,
        client_secret: &str,
        user_id: i64,
        failure: Option<&str>,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<Option<SandboxCharge>>;
    /// Refunds part of a charge, once per name. When nothing is left, the charge is refunded. Returns `false` if less
    /// than the amount is left. Repeating the call returns `true`.
    async fn refund_once(&self, name: &str, idempotency_key: &str, amount: i64, at: i64) -> StoreResult<bool>;
    /// Returns charges and refunds since `since`.
    async fn sandbox_movements(&self, since: i64) -> StoreResult<Vec<SandboxMovement>>;
    /// Changes a charge's status. Returns `false` if it didn't have the expected one.
    async fn change_charge_status(
        &self,
        idempotency_key: &str,
        from: SandboxChargeStatus,
        to: SandboxChargeStatus,
    ) -> StoreResult<bool>;
}
