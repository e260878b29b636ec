//! `promo add|list|end`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::promo::{self, ListedPromoCode, PromoCode};

use super::audited::Operator;
use super::{Answer, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AddPromo {
    pub(crate) channel_key: String,
    pub(crate) promo: PromoCode,
}

/// A channel, and one of its codes where the call is about one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OfChannel {
    pub(crate) channel_key: String,
    pub(crate) code: String,
}

pub(super) async fn add(
    State(on): State<Operations>,
    operator: Operator,
    Json(AddPromo { channel_key, promo }): Json<AddPromo>,
) -> Answer<PromoCode> {
    let (subject, detail) = (format!("promo {channel_key} {}", promo.code), json!(promo));
    let adding = async { Ok(promo::add(&on.channel, &channel_key, promo).await?) };
    answer(operator.does(&on, "promo add", subject, detail, adding).await?)
}

pub(super) async fn end(
    State(on): State<Operations>,
    operator: Operator,
    Json(OfChannel { channel_key, code }): Json<OfChannel>,
) -> Answer<PromoCode> {
    let subject = format!("promo {channel_key} {code}");
    let ending = async { Ok(promo::end(&on.channel, &channel_key, &code).await?) };
    answer(operator.does(&on, "promo end", subject, json!({}), ending).await?)
}

pub(super) async fn list(
    State(on): State<Operations>,
    Json(OfChannel { channel_key, .. }): Json<OfChannel>,
) -> Answer<Vec<ListedPromoCode>> {
    answer(promo::list(&on.channel, &channel_key).await?)
}
