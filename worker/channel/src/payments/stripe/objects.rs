//! Stripe's objects, with the fields in use. Times are in seconds since 1970, amounts in minor units.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Suffix of a refund's id for the money that returned when the refund failed.
const FAILED: &str = "-failed";
/// Suffix of a dispute's id for the money that returned when the dispute was won.
const WON: &str = "-won";

/// Returns whether an id is Stripe's or derived from one. Stripe's ids have no dash; the sandbox's have.
pub(super) fn is_stripe_id(id: &str) -> bool {
    let base_id = [FAILED, WON].into_iter().find_map(|added| id.strip_suffix(added));
    !base_id.unwrap_or(id).contains('-')
}

#[derive(Debug, Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) has_more: bool,
}

/// Any object of which only the id is used.
#[derive(Debug, Deserialize)]
pub(super) struct Object {
    pub(super) id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct SetupIntent {
    pub(super) client_secret: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PortalSession {
    pub(super) url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct CardDetails {
    pub(super) brand: Option<String>,
    pub(super) last4: Option<String>,
    #[serde(default)]
    pub(super) exp_month: u32,
    #[serde(default)]
    pub(super) exp_year: u32,
    /// Equal for equal card numbers; absent for some wallets.
    #[serde(default)]
    pub(super) fingerprint: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PaymentMethod {
    pub(super) id: String,
    pub(super) card: Option<CardDetails>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IntentStatus {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Processing,
    RequiresCapture,
    Canceled,
    Succeeded,
}

impl IntentStatus {
    /// Returns whether the bank requires confirmation.
    pub(super) fn requires_action(self) -> bool {
        self == Self::RequiresAction
    }

    /// Returns whether the customer could still pay it.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::RequiresAction | Self::RequiresPaymentMethod | Self::RequiresConfirmation)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct PaymentIntent {
    pub(super) id: String,
    pub(super) status: IntentStatus,
    pub(super) amount: i64,
    /// ISO 4217, lower case.
    pub(super) currency: String,
    pub(super) created: i64,
    #[serde(default)]
    pub(super) customer: Option<String>,
    #[serde(default)]
    pub(super) client_secret: Option<String>,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) last_payment_error: Option<LastError>,
    /// Present if the request expands it.
    #[serde(default)]
    pub(super) latest_charge: Option<Expandable<Charge>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct LastError {
    pub(super) message: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Charge {
    pub(super) created: i64,
    #[serde(default)]
    pub(super) payment_method_details: Option<PaymentMethodDetails>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct PaymentMethodDetails {
    #[serde(default)]
    pub(super) card: Option<CardDetails>,
}

/// An object, or only its id.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Expandable<T> {
    Object(Box<T>),
    Id(serde::de::IgnoredAny),
}

impl PaymentIntent {
    fn charge(&self) -> Option<&Charge> {
        match self.latest_charge.as_ref()? {
            Expandable::Object(charge) => Some(charge),
            Expandable::Id(_) => None,
        }
    }

    pub(super) fn card(&self) -> Option<&CardDetails> {
        self.charge()?.payment_method_details.as_ref()?.card.as_ref()
    }

    /// Returns the time of the charge, in Unix milliseconds.
    pub(super) fn charged_at(&self) -> Option<i64> {
        Some(self.charge()?.created * 1000)
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.last_payment_error.as_ref()?.message.clone()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SubscriptionStatus {
    Incomplete,
    IncompleteExpired,
    Trialing,
    Active,
    PastDue,
    Canceled,
    Unpaid,
    Paused,
}

#[derive(Debug, Deserialize)]
pub(super) struct Subscription {
    pub(super) id: String,
    pub(super) status: SubscriptionStatus,
    pub(super) created: i64,
    pub(super) cancel_at_period_end: bool,
    /// End, in seconds. Stripe's portal sets it for a subscription in flexible billing mode.
    #[serde(default)]
    pub(super) cancel_at: Option<i64>,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) items: List<SubscriptionItem>,
    pub(super) trial_end: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SubscriptionItem {
    pub(super) current_period_end: i64,
}

impl Subscription {
    /// Returns whether it ends without another renewal.
    pub(super) fn stops(&self) -> bool {
        self.cancel_at_period_end || self.cancel_at.is_some()
    }

    /// Returns the end of the current period, in seconds.
    pub(super) fn period_end(&self) -> Option<i64> {
        self.items.data.first().map(|item| item.current_period_end)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Invoice {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) status: Option<String>,
    pub(super) billing_reason: Option<String>,
    pub(super) attempt_count: i64,
    pub(super) amount_due: i64,
    pub(super) next_payment_attempt: Option<i64>,
    pub(super) lines: List<InvoiceLine>,
    /// Present if the request expands it.
    #[serde(default)]
    pub(super) payments: Option<List<InvoicePayment>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct InvoiceLine {
    pub(super) period: Period,
}

#[derive(Debug, Deserialize)]
pub(super) struct Period {
    pub(super) end: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct InvoicePayment {
    pub(super) payment: InvoicePaymentOf,
}

#[derive(Debug, Deserialize)]
pub(super) struct InvoicePaymentOf {
    #[serde(default)]
    pub(super) payment_intent: Option<String>,
}

impl Invoice {
    /// Returns the payment intent that pays the invoice.
    pub(super) fn payment_intent(&self) -> Option<&str> {
        self.payments.as_ref()?.data.iter().find_map(|payment| payment.payment.payment_intent.as_deref())
    }

    /// Returns the end of the paid period, in seconds.
    pub(super) fn period_end(&self) -> Option<i64> {
        self.lines.data.iter().map(|line| line.period.end).max()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) amount: i64,
    pub(super) created: i64,
    #[serde(default)]
    pub(super) payment_intent: Option<String>,
    pub(super) status: Option<String>,
    #[serde(default)]
    pub(super) metadata: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dispute {
    pub(super) id: String,
    pub(super) amount: i64,
    pub(super) created: i64,
    #[serde(default)]
    pub(super) payment_intent: Option<String>,
    pub(super) status: String,
}

impl Refund {
    /// Returns whether the refund failed and the money is the seller's again.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.status.as_deref(), Some("failed" | "canceled"))
    }

    /// Returns the id of the money that returned when the refund failed.
    pub(super) fn failed_id(&self) -> String {
        format!("{}{FAILED}", self.id)
    }
}

impl Dispute {
    /// Returns whether money was taken. A warning takes none.
    pub(super) fn took_money(&self) -> bool {
        !self.status.starts_with("warning_")
    }

    pub(super) fn is_won(&self) -> bool {
        self.status == "won"
    }

    /// Returns the id of the money that returned when the dispute was won.
    pub(super) fn won_id(&self) -> String {
        format!("{}{WON}", self.id)
    }
}
