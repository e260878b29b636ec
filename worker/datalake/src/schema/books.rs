//! Tables of the books and the catalogue.

use super::shared::{AT, EVENT_ID, OCCURRED_AT, RECEIVED_AT};
use super::{Column, Kind, Source, column, personal, required, text};

const fn number(name: &'static str, unit: &'static str, meaning: &'static str) -> Column {
    Column { unit, ..column(name, Kind::Number, meaning) }
}

/// A column added in version 4 of the schema.
const fn fourth(column: Column) -> Column {
    Column { since: 4, ..column }
}

/// A column added in version 5, with the value of the column `from` in a better type.
const fn typed(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    from: &'static str,
    meaning: &'static str,
) -> Column {
    Column { source: Source::Derived(from), unit, since: 5, ..column(name, kind, meaning) }
}

pub(super) const MINOR: &str = "minor units";
pub(super) const BOOKS_CHANNEL: Column = fourth(required(text("channel", "The channel's key.")));
pub(super) const BOOKS_ID: Column = fourth(required(text("id", "The id in the channel.")));
pub(super) const BOOKS_NAME: Column = fourth(text("name", "Its name."));
pub(super) const BASE_PRICE: Column = fourth(number("base_price", MINOR, "The price without the service fee."));
pub(super) const SERVICE_FEE: Column = fourth(number("service_fee", MINOR, "The service fee, which includes taxes."));
pub(super) const CURRENCY: Column = fourth(text("currency", "ISO 4217."));

const BASE_PRICE_MINOR: Column = typed("base_price_minor", Kind::Integer, MINOR, "base_price", "`base_price`, whole.");
const SERVICE_FEE_MINOR: Column =
    typed("service_fee_minor", Kind::Integer, MINOR, "service_fee", "`service_fee`, whole.");

const IS_REMOVED: Column = Column {
    since: 5,
    ..column("is_removed", Kind::Flag, "Whether the channel no longer has it. The row has its last name and price.")
};

pub(super) const ORDER_EVENT: &[Column] = &[
    fourth(EVENT_ID),
    fourth(AT),
    fourth(RECEIVED_AT),
    fourth(OCCURRED_AT),
    fourth(required(text(
        "event",
        "The change: `placed`, `action_needed`, `paid`, `failed`, `renewed`, `renewal_failed`, `renewal_action_needed` (the bank requires confirmation of a renewal), `partly_refunded` (the order stays active), `refunded` (the order has ended), `refund_failed` (the refund did not reach the card), `not_taken` and `returned` (a payment after the order had ended, which is refunded), `disputed`, `dispute_won`, `granted`, `trial_started`, `cancelled`, `resumed`, `reopened` (restored after a failed refund), `lapsed`, `ended`.",
    ))),
    BOOKS_CHANNEL,
    fourth(required(text("order_id", "The order."))),
    fourth(personal(text("user_id", "The person's id, as in `event.user_id`; empty after erasure."))),
    fourth(text("product_type", "`event`, `package` or `subscription`.")),
    fourth(text(
        "product_id",
        "The product's id; together with `channel` it joins `event_dim`, `package_dim` or `subscription_dim`.",
    )),
    fourth(text("product_name", "The product's name at the time of purchase.")),
    fourth(text("participant_id", "The team of a team pass; joins `team_dim`.")),
    fourth(text("promo_code", "The promo code used.")),
    fourth(number("renewal", "", "0 for the order's first payment, `n` for its `n`-th renewal.")),
    fourth(number("gross", MINOR, "The price with the service fee, before the discount; 0 if no money moved.")),
    fourth(number("discount", MINOR, "The discount of the promo code.")),
    fourth(number("fee", MINOR, "The service fee within `net`; negative for refunds.")),
    fourth(number(
        "net",
        MINOR,
        "The amount paid, `gross` minus `discount`; negative for refunds. Its sum is the revenue.",
    )),
    CURRENCY,
    typed("renewal_number", Kind::Integer, "", "renewal", "`renewal`, whole."),
    typed("gross_minor", Kind::Integer, MINOR, "gross", "`gross`, whole."),
    typed("discount_minor", Kind::Integer, MINOR, "discount", "`discount`, whole."),
    typed("fee_minor", Kind::Integer, MINOR, "fee", "`fee`, whole."),
    typed("net_minor", Kind::Integer, MINOR, "net", "`net`, whole."),
];

pub(super) const PACKAGE_DIM: &[Column] = &[
    fourth(EVENT_ID),
    fourth(AT),
    fourth(RECEIVED_AT),
    fourth(OCCURRED_AT),
    BOOKS_CHANNEL,
    BOOKS_ID,
    BOOKS_NAME,
    fourth(text("kind", "`package`, `pass` or `single_event`.")),
    fourth(text("is_team_pass", "`true` or `false`.")),
    fourth(number("period_days", "days", "Validity; 0 means unlimited.")),
    BASE_PRICE,
    SERVICE_FEE,
    CURRENCY,
    typed("team_pass", Kind::Flag, "", "is_team_pass", "Whether it is a team pass."),
    typed("valid_days", Kind::Integer, "days", "period_days", "`period_days`, whole."),
    BASE_PRICE_MINOR,
    SERVICE_FEE_MINOR,
    IS_REMOVED,
];

pub(super) const SUBSCRIPTION_DIM: &[Column] = &[
    fourth(EVENT_ID),
    fourth(AT),
    fourth(RECEIVED_AT),
    fourth(OCCURRED_AT),
    BOOKS_CHANNEL,
    BOOKS_ID,
    BOOKS_NAME,
    fourth(text("offer", "`annual` or `monthly`.")),
    fourth(number("trial_days", "days", "Length of the free trial; 0 for none.")),
    BASE_PRICE,
    SERVICE_FEE,
    CURRENCY,
    typed("free_days", Kind::Integer, "days", "trial_days", "`trial_days`, whole."),
    BASE_PRICE_MINOR,
    SERVICE_FEE_MINOR,
    IS_REMOVED,
];

pub(super) const EVENT_DIM: &[Column] = &[
    fourth(EVENT_ID),
    fourth(AT),
    fourth(RECEIVED_AT),
    fourth(OCCURRED_AT),
    BOOKS_CHANNEL,
    BOOKS_ID,
    BOOKS_NAME,
    fourth(text("access", "`free`, `register`, `paid` or `ppv`.")),
    fourth(text("category_id", "The category's id.")),
    fourth(text("category", "The category's name.")),
    fourth(text("starts_at", "Start time, RFC 3339 UTC.")),
    fourth(text("home_team_id", "The home team; joins `team_dim`.")),
    fourth(text("away_team_id", "The away team, if there are two teams; joins `team_dim`.")),
    BASE_PRICE,
    SERVICE_FEE,
    CURRENCY,
    typed("starts", Kind::Moment, "µs, UTC", "starts_at", "Start time."),
    BASE_PRICE_MINOR,
    SERVICE_FEE_MINOR,
    IS_REMOVED,
];

pub(super) const TEAM_DIM: &[Column] = &[
    fourth(EVENT_ID),
    fourth(AT),
    fourth(RECEIVED_AT),
    fourth(OCCURRED_AT),
    BOOKS_CHANNEL,
    BOOKS_ID,
    BOOKS_NAME,
    fourth(text("short_name", "Its short name.")),
    IS_REMOVED,
];
