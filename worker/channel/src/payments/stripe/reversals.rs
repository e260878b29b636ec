//! Refunds and disputes.

use touchline_protocol::purchases::{ChargeKind, ChargeStatus};
use touchline_store::{ChargeRecord, Effect, Reversal};

use super::Stripe;
use super::client::form;
use super::objects::{Dispute, List, Refund};
use crate::payments::{PaymentError, PaymentResult};

/// Reason of a failed refund, for the operator. The site has its own text.
const REFUND_REJECTED: &str = "the card's bank rejected the refund";
/// Metadata field with the refund request.
const REFUND: &str = "metadata[refund]";
/// A refund requested longer ago may have been sent to Stripe already.
const FIRST_TRY_MS: i64 = 1_000;

impl Stripe {
    pub(super) async fn make_refund(&self, refund: &ChargeRecord, payment: &ChargeRecord) -> PaymentResult<String> {
        let name = &refund.provider_id;
        if self.clock.now_ms() - refund.at > FIRST_TRY_MS {
            let existing = self.refunds_of(&payment.provider_id).await?;
            if let Some(existing) =
                existing.into_iter().find(|existing| request_of(existing).is_some_and(|other| other == name))
            {
                return refund_id(existing);
            }
        }
        let body = form([
            ("payment_intent", payment.provider_id.clone()),
            ("amount", refund.amount.to_string()),
            (REFUND, name.clone()),
        ]);
        refund_id(self.client.post("/v1/refunds", body, Some(name)).await?)
    }

    /// Returns refunds, disputes and failed refunds of an order's payments that are not recorded yet.
    pub(super) async fn reversals(&self, charges: &[ChargeRecord]) -> PaymentResult<Vec<Effect>> {
        let mut effects = Vec::new();
        let is_payment = |charge: &&ChargeRecord| {
            charge.status == ChargeStatus::Succeeded
                && matches!(charge.kind, ChargeKind::Purchase | ChargeKind::Renewal)
        };
        for payment in charges.iter().filter(is_payment) {
            for refund in self.refunds_of(&payment.provider_id).await? {
                let request = request_of(&refund).and_then(|name| charges.iter().find(|row| row.provider_id == name));
                effects.extend(refund_effects(&refund, payment, request));
            }
            let query = form([("payment_intent", payment.provider_id.clone()), ("limit", "100".to_owned())]);
            let disputes: List<Dispute> = self.client.get("/v1/disputes", query).await?;
            for dispute in disputes.data.into_iter().filter(Dispute::took_money) {
                let (of, amount) = (&payment.provider_id, dispute.amount);
                let at = Some(dispute.created * 1000);
                effects.push(reversed(of, ChargeKind::Dispute, dispute.id.clone(), amount, at));
                if dispute.is_won() {
                    effects.push(reversed(of, ChargeKind::DisputeWon, dispute.won_id(), amount, None));
                }
            }
        }
        Ok(effects)
    }

    /// Returns the refunds of a payment, including failed ones.
    async fn refunds_of(&self, intent: &str) -> PaymentResult<Vec<Refund>> {
        let query = form([("payment_intent", intent.to_owned()), ("limit", "100".to_owned())]);
        let refunds: List<Refund> = self.client.get("/v1/refunds", query).await?;
        Ok(refunds.data)
    }
}

fn request_of(refund: &Refund) -> Option<&str> {
    refund.metadata.as_ref()?.get("refund").map(String::as_str)
}

fn refund_id(refund: Refund) -> PaymentResult<String> {
    if refund.has_failed() {
        return Err(PaymentError::Fatal(REFUND_REJECTED.to_owned()));
    }
    Ok(refund.id)
}

/// Returns the effects of a payment's refund. `request` is the charge row that requested it.
fn refund_effects(refund: &Refund, payment: &ChargeRecord, request: Option<&ChargeRecord>) -> Vec<Effect> {
    let id = refund.id.clone();
    if let Some(row) = request {
        let charge_id = row.id;
        return vec![if refund.has_failed() {
            Effect::RefundRefused { charge_id, failure: REFUND_REJECTED.to_owned() }
        } else {
            Effect::RefundMade { charge_id, provider_id: id }
        }];
    }
    let at = Some(refund.created * 1000);
    let mut effects = vec![reversed(&payment.provider_id, ChargeKind::Refund, id.clone(), refund.amount, at)];
    if refund.has_failed() {
        effects.push(reversed(&id, ChargeKind::RefundFailed, refund.failed_id(), refund.amount, None));
    }
    effects
}

fn reversed(of: &str, kind: ChargeKind, provider_id: String, amount: i64, at: Option<i64>) -> Effect {
    Effect::Reversed(Reversal { kind, of_provider_id: of.to_owned(), provider_id, amount, at })
}
