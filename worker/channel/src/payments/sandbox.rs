//! A payment provider that moves no money. It accepts Stripe's test numbers and keeps its own books.
//!
//! | number | result |
//! |---|---|
//! | 4242 4242 4242 4242 | paid |
//! | 4000 0000 0000 0002 | declined |
//! | 4000 0000 0000 9995 | insufficient funds |
//! | 4000 0000 0000 0069 | expired card |
//! | 4000 0000 0000 0127 | incorrect security code |
//! | 4000 0025 0000 3155 | paid once the cardholder confirms it |

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use touchline_domain::payments as rules;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::purchases::{Card, SandboxCard};
use touchline_store::{
    ChargeRecord, DueOrder, IdempotencyClaim, NewCharge, OrderRecord, Outcome, SandboxCardRecord, SandboxCharge,
    SandboxChargeStatus, SandboxMovement, Settlement, Store, StoreError, is_outside, setup_subject,
};

use super::records::{ProviderMove, ProviderRecords};
use super::{CONFIRM_TIMEOUT_MS, PaymentError, PaymentProvider, PaymentResult, SandboxEntry, payment_key};
use crate::auth::keyring::{digest, random_token};
use crate::messages;

const SETUP_MS: i64 = 3600 * 1000;

/// Result of charging a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Pays,
    RequiresConfirmation,
    Declines(&'static str),
}

/// Number, name in the store, behaviour.
const TEST_NUMBERS: [(&str, &str, Behaviour); 6] = [
    ("4242424242424242", "pays", Behaviour::Pays),
    ("4000002500003155", "asks", Behaviour::RequiresConfirmation),
    ("4000000000000002", "declined", Behaviour::Declines("Your card was declined.")),
    ("4000000000009995", "insufficient_funds", Behaviour::Declines("Your card has insufficient funds.")),
    ("4000000000000069", "expired_card", Behaviour::Declines("Your card has expired.")),
    ("4000000000000127", "incorrect_cvc", Behaviour::Declines("Your card's security code is incorrect.")),
];

/// The sandbox provider.
#[derive(Clone)]
pub struct Sandbox {
    store: Arc<dyn Store>,
    clock: SharedClock,
    entropy: SharedEntropy,
}

impl Sandbox {
    /// Creates a sandbox with its books in this store.
    pub fn new(store: Arc<dyn Store>, clock: SharedClock, entropy: SharedEntropy) -> Self {
        Self { store, clock, entropy }
    }

    /// Charges a card once per key. Returns the stored charge of the key.
    async fn charge(
        &self,
        record: &OrderRecord,
        idempotency_key: String,
        amount: i64,
        card: Option<&SandboxCardRecord>,
    ) -> PaymentResult<SandboxCharge> {
        let (status, failure) = match card.and_then(|card| behaviour(&card.behaviour)) {
            Some(Behaviour::Pays) => (SandboxChargeStatus::Succeeded, None),
            Some(Behaviour::RequiresConfirmation) => (SandboxChargeStatus::RequiresAction, None),
            Some(Behaviour::Declines(message)) => (SandboxChargeStatus::Failed, Some(message)),
            None => (SandboxChargeStatus::Failed, Some("Your card was declined.")),
        };
        let charge = SandboxCharge {
            idempotency_key,
            user_id: record.user_id,
            card_id: record.payment_method_id.clone(),
            amount,
            currency: record.order.currency.clone(),
            status,
            failure: failure.map(str::to_owned),
            client_secret: format!("pi_secret_{}", random_token(&*self.entropy)),
            created_at: self.clock.now_ms(),
        };
        let stored = self.store.charge_once(charge).await.map_err(unanswered)?;
        if stored.amount != amount {
            return Err(PaymentError::Fatal("an idempotency key was used for another charge".to_owned()));
        }
        Ok(stored)
    }

    /// Charges the payment to the order's current card. If a renewal's pending charge is to another card, that charge
    /// is withdrawn unless it was confirmed in the meantime.
    async fn charge_current_card(
        &self,
        due: &DueOrder,
        amount: i64,
        card: Option<&SandboxCardRecord>,
    ) -> PaymentResult<SandboxCharge> {
        let (record, key) = (&due.record, payment_key(&due.record, due.renewal));
        let stored = self.charge(record, key.clone(), amount, card).await?;
        if due.renewal == 0 || stored.card_id == record.payment_method_id {
            return Ok(stored);
        }
        let withdrawn = self.give_up(stored).await?;
        if withdrawn.status != SandboxChargeStatus::Failed {
            return Ok(withdrawn);
        }
        self.charge(record, format!("{key}-{}", record.payment_method_id), amount, card).await
    }

    /// Fails a charge that waits for confirmation. A charge that was already paid stays paid.
    async fn give_up(&self, charge: SandboxCharge) -> PaymentResult<SandboxCharge> {
        let key = &charge.idempotency_key;
        let (from, to) = (SandboxChargeStatus::RequiresAction, SandboxChargeStatus::Failed);
        self.store.change_charge_status(key, from, to).await.map_err(unanswered)?;
        Ok(self.store.sandbox_charge(key).await.map_err(unanswered)?.unwrap_or(charge))
    }

    /// Validates the entered card.
    fn card(&self, user_id: i64, entered: &SandboxCard) -> Result<SandboxCardRecord, SandboxEntry> {
        let refused = |field, code, message| SandboxEntry::Refused { field, code, message };
        let number: String = entered.number.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
            return Err(refused("number", ErrorCode::IncorrectNumber, "Your card number is incorrect."));
        }
        let Some((_, behaviour, _)) = TEST_NUMBERS.iter().find(|(candidate, ..)| *candidate == number) else {
            return Err(refused(
                "number",
                ErrorCode::CardDeclined,
                "Your card was declined. Your request was in test mode, but used a non test card.",
            ));
        };
        let now = self.clock.now().to_zoned(TimeZone::UTC);
        let this_month = (i32::from(now.year()), i32::from(now.month()));
        let Some((year, month)) = expiry(&entered.exp) else {
            return Err(refused("exp", ErrorCode::InvalidExpiry, "Your card's expiration date is invalid."));
        };
        if (year, month) < this_month {
            return Err(refused("exp", ErrorCode::InvalidExpiry, "Your card's expiration year is in the past."));
        }
        if !(3..=4).contains(&entered.cvc.len()) || !entered.cvc.chars().all(|c| c.is_ascii_digit()) {
            return Err(refused("cvc", ErrorCode::InvalidCvc, "Your card's security code is invalid."));
        }
        Ok(SandboxCardRecord {
            id: format!("pm_{}", random_token(&*self.entropy)),
            user_id,
            brand: "visa".to_owned(),
            last4: number[number.len() - 4..].to_owned(),
            exp_month: month.unsigned_abs(),
            exp_year: year.unsigned_abs(),
            behaviour: (*behaviour).to_owned(),
            created_at: self.clock.now_ms(),
        })
    }
}

/// Parses the year and month of `MM/YY` or `MM/YYYY`.
fn expiry(text: &str) -> Option<(i32, i32)> {
    let (month, year) = text.split_once('/')?;
    let digits = |text: &str| {
        let text = text.trim();
        (text.chars().all(|c| c.is_ascii_digit()) && matches!(text.len(), 1 | 2 | 4))
            .then(|| text.parse::<i32>().ok())?
    };
    let (month, year) = (digits(month)?, digits(year)?);
    let year = if year < 100 { 2000 + year } else { year };
    (1..=12).contains(&month).then_some((year, month))
}

fn behaviour(word: &str) -> Option<Behaviour> {
    TEST_NUMBERS.iter().find(|(_, candidate, _)| *candidate == word).map(|(_, _, behaviour)| *behaviour)
}

fn unanswered(error: StoreError) -> PaymentError {
    PaymentError::Retryable(error.into())
}

#[async_trait]
impl PaymentProvider for Sandbox {
    fn is_sandbox(&self) -> bool {
        true
    }

    async fn setup_intent(&self, user_id: i64) -> PaymentResult<String> {
        let secret = format!("seti_secret_{}", random_token(&*self.entropy));
        let expires = self.clock.now_ms() + SETUP_MS;
        self.store
            .store_token(&hex::encode(digest(&secret)), &setup_subject(user_id), expires)
            .await
            .map_err(unanswered)?;
        Ok(secret)
    }

    async fn cards(&self, user_id: i64) -> PaymentResult<Vec<Card>> {
        let cards = self.store.sandbox_cards(user_id).await.map_err(unanswered)?;
        let card = |card: SandboxCardRecord| Card {
            id: card.id,
            brand: card.brand,
            last4: card.last4,
            exp_month: card.exp_month,
            exp_year: card.exp_year,
            declined: false,
            is_default: false,
        };
        Ok(cards.into_iter().map(card).collect())
    }

    /// The sandbox has few numbers: a number and its expiry date are a card.
    async fn card_fingerprint(&self, user_id: i64, id: &str) -> PaymentResult<Option<String>> {
        let cards = self.store.sandbox_cards(user_id).await.map_err(unanswered)?;
        let card = cards.into_iter().find(|card| card.id == id);
        Ok(card.map(|card| format!("{}-{}-{}", card.behaviour, card.exp_month, card.exp_year)))
    }

    async fn remove_card(&self, user_id: i64, id: &str) -> PaymentResult<bool> {
        self.store.remove_sandbox_card(user_id, id).await.map_err(unanswered)
    }

    async fn advance(&self, due: &DueOrder, at: i64) -> PaymentResult<Settlement> {
        let (record, renewal) = (&due.record, due.renewal);
        let amount = rules::amount(record.order.total, record.subscription, renewal);
        if amount == 0 {
            return Ok(rules::paid(record.subscription, renewal, at).into());
        }
        let cards = self.store.sandbox_cards(record.user_id).await.map_err(unanswered)?;
        let card = cards.into_iter().find(|card| card.id == record.payment_method_id);
        let mut stored = self.charge_current_card(due, amount, card.as_ref()).await?;
        let current = record.order.next_action.as_ref().map(|next| &next.client_secret);
        // The confirmation deadline has passed.
        let is_expired = stored.status == SandboxChargeStatus::RequiresAction && current == Some(&stored.client_secret);
        if is_expired {
            stored = self.give_up(stored).await?;
        }
        let charge = |failure| NewCharge {
            provider_id: stored.idempotency_key.clone(),
            amount,
            card_brand: card.as_ref().map(|card| card.brand.clone()),
            card_last4: card.as_ref().map(|card| card.last4.clone()),
            failure,
            at: None,
        };
        let refused = |failure: String| {
            if renewal == 0 {
                return Outcome::Failed(failure).into();
            }
            let outcome = match is_expired {
                true => Outcome::Failed(failure.clone()),
                false => rules::refused(record.subscription, failure.clone(), at),
            };
            Settlement { outcome, charge: Some(charge(Some(failure))) }
        };
        Ok(match stored.status {
            SandboxChargeStatus::Succeeded => {
                Settlement { outcome: rules::paid(record.subscription, renewal, at), charge: Some(charge(None)) }
            }
            SandboxChargeStatus::RequiresAction => {
                let client_secret = stored.client_secret.clone();
                match record.subscription.filter(|_| renewal > 0) {
                    Some(bought) => {
                        rules::renewal_confirmation(bought, client_secret, rules::confirmation_deadline(bought, at))
                    }
                    None => Outcome::NeedsAction { client_secret, give_up_at: at + CONFIRM_TIMEOUT_MS },
                }
                .into()
            }
            SandboxChargeStatus::Failed => {
                refused(stored.failure.clone().unwrap_or_else(|| messages::NOT_CONFIRMED.to_owned()))
            }
            SandboxChargeStatus::Refunded => refused("The payment was refunded.".to_owned()),
        })
    }

    async fn records(&self, since_ms: i64) -> PaymentResult<ProviderRecords> {
        let moves = self.store.sandbox_movements(since_ms).await.map_err(unanswered)?;
        let moved = |it: SandboxMovement| ProviderMove {
            order_key: Some(it.name.clone()),
            id: it.name,
            of_payment: it.of_charge,
            customer: None,
            amount: it.amount,
            at: it.at,
            is_won_back: false,
        };
        Ok(ProviderRecords { moves: moves.into_iter().map(moved).collect(), subscriptions: None })
    }

    fn recognises_id(&self, provider_id: &str) -> bool {
        provider_id.contains('-') && !is_outside(provider_id)
    }

    async fn refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String> {
        let name = format!("re_{}", refund.provider_id);
        let now = self.clock.now_ms();
        let done = self.store.refund_once(&name, &payment.provider_id, refund.amount, now).await.map_err(unanswered)?;
        if done {
            Ok(name)
        } else {
            Err(PaymentError::Fatal("the payment does not exist, or too little of it is left".to_owned()))
        }
    }

    /// Withdraws the pending confirmation of the previous card, so that an open page cannot pay with it.
    async fn renew_with(&self, record: &OrderRecord, _: &str) -> PaymentResult<()> {
        let Some(question) = &record.order.next_action else { return Ok(()) };
        let (secret, now) = (&question.client_secret, self.clock.now_ms());
        let failure = Some(messages::NOT_CONFIRMED);
        self.store.confirm_charge(secret, record.user_id, failure, now, None).await.map_err(unanswered)?;
        Ok(())
    }

    async fn portal(&self, _: i64, _: &str) -> PaymentResult<Option<String>> {
        Ok(None)
    }

    async fn enter_sandbox_card(
        &self,
        user_id: i64,
        entered: &SandboxCard,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<SandboxEntry> {
        let card = match self.card(user_id, entered) {
            Ok(card) => card,
            Err(refused) => return Ok(refused),
        };
        let id = card.id.clone();
        let secret = hex::encode(digest(&entered.client_secret));
        if self.store.add_sandbox_card(&secret, card, claim).await.map_err(unanswered)? {
            return Ok(SandboxEntry::Entered(id));
        }
        Ok(SandboxEntry::Refused {
            field: "client_secret",
            code: ErrorCode::SetupIntentUnusable,
            message: "This setup intent has expired, was already used, or belongs to someone else.",
        })
    }

    async fn confirm_sandbox_charge(
        &self,
        user_id: i64,
        client_secret: &str,
        accept: bool,
        claim: Option<IdempotencyClaim>,
    ) -> PaymentResult<bool> {
        let failure = (!accept).then_some("We are unable to authenticate your payment method.");
        let now = self.clock.now_ms();
        let stored =
            self.store.confirm_charge(client_secret, user_id, failure, now, claim).await.map_err(unanswered)?;
        Ok(stored.is_some())
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sandbox").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiries_have_a_month_and_a_year() {
        assert_eq!(expiry("12/34"), Some((2034, 12)));
        assert_eq!(expiry("1/2034"), Some((2034, 1)));
        for bad in ["", "13/34", "0/34", "12", "12/345", "1a/34", "-1/34", "+1/34", "12/"] {
            assert_eq!(expiry(bad), None, "{bad}");
        }
    }
}
