//! Refunds and disputes.

use touchline_protocol::purchases::{ChargeKind, ChargeStatus};
use touchline_store::{ChargeRecord, Effect, Reversal};

use super::Stripe;
use super::client::form;
use super::objects::{Dispute, List, Refund};
use crate::payments::PaymentResult;

/// The field that names the request of a refund.
const REFUND: &str = "metadata[refund]";
/// A refund that was requested so long ago may have been asked for before.
const FIRST_TRY_MS: i64 = 1_000;

impl Stripe {
    pub(super) async fn make_refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String> {
        let name = &refund.provider_id;
        if self.clock.now_ms() - refund.at > FIRST_TRY_MS {
            let made = self.refunds_of(&payment.provider_id).await?;
            if let Some(made) = made.into_iter().find(|made| named(made).is_some_and(|other| other == name)) {
                return Ok(made.id);
            }
        }
        let body = form([
            ("payment_intent", payment.provider_id.clone()),
            ("amount", refund.amount.to_string()),
            (REFUND, name.clone()),
        ]);
        let made: Refund = self.client.post("/v1/refunds", body, Some(name)).await?;
        Ok(made.id)
    }

    pub(super) async fn give_back_whole(&self, intent: &str) -> PaymentResult<()> {
        if !self.refunds_of(intent).await?.is_empty() {
            return Ok(());
        }
        let key = format!("give-back-{intent}");
        let body = form([("payment_intent", intent.to_owned()), (REFUND, key.clone())]);
        let _: Refund = self.client.post("/v1/refunds", body, Some(&key)).await?;
        Ok(())
    }

    /// What went back of an order's payments and is not written down.
    pub(super) async fn reversals(&self, charges: &[ChargeRecord]) -> PaymentResult<Vec<Effect>> {
        let mut effects = Vec::new();
        let is_payment = |charge: &&ChargeRecord| {
            charge.status == ChargeStatus::Succeeded
                && matches!(charge.kind, ChargeKind::Purchase | ChargeKind::Renewal)
        };
        for payment in charges.iter().filter(is_payment) {
            for refund in self.refunds_of(&payment.provider_id).await? {
                let request = named(&refund).and_then(|name| charges.iter().find(|row| row.provider_id == name));
                match request {
                    Some(row) => effects.push(Effect::RefundMade { charge_id: row.id, provider_id: refund.id }),
                    None => effects.push(reversed(payment, ChargeKind::Refund, refund.id, refund.amount)),
                }
            }
            let query = form([("payment_intent", payment.provider_id.clone()), ("limit", "100".to_owned())]);
            let disputes: List<Dispute> = self.client.get("/v1/disputes", query).await?;
            for dispute in disputes.data.into_iter().filter(Dispute::took_money) {
                effects.push(reversed(payment, ChargeKind::Dispute, dispute.id.clone(), dispute.amount));
                if dispute.is_won() {
                    effects.push(reversed(payment, ChargeKind::DisputeWon, dispute.won_id(), dispute.amount));
                }
            }
        }
        Ok(effects)
    }

    /// The refunds of a payment that were made or are on their way.
    async fn refunds_of(&self, intent: &str) -> PaymentResult<Vec<Refund>> {
        let query = form([("payment_intent", intent.to_owned()), ("limit", "100".to_owned())]);
        let refunds: List<Refund> = self.client.get("/v1/refunds", query).await?;
        Ok(refunds.data.into_iter().filter(Refund::stands).collect())
    }
}

fn named(refund: &Refund) -> Option<&str> {
    refund.metadata.as_ref()?.get("refund").map(String::as_str)
}

fn reversed(payment: &ChargeRecord, kind: ChargeKind, provider_id: String, amount: i64) -> Effect {
    Effect::Reversed(Reversal { kind, of_provider_id: payment.provider_id.clone(), provider_id, amount })
}
