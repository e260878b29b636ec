//! `promo add|list|end`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::routes::operator::promo::{self, ListedPromoCode, PromoCode};

use super::audited::{Operator, Subject};
use super::{Answer, Operations, answer};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AddPromo {
    pub(crate) channel_key: String,
    pub(crate) promo: PromoCode,
}

/// A channel, and one of its codes where the call is about one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChannelCode {
    pub(crate) channel_key: String,
    pub(crate) code: String,
}

pub(super) async fn add(
    State(operations): State<Operations>,
    operator: Operator,
    Json(AddPromo { channel_key, promo }): Json<AddPromo>,
) -> Answer<PromoCode> {
    let subject = Subject::of(&channel_key, format!("promo {channel_key} {}", promo.code));
    let detail = json!(promo);
    let addition = async { Ok(promo::add(&operations.channel, &channel_key, promo).await?) };
    answer(operator.run(&operations, "promo add", subject, detail, addition).await?)
}

pub(super) async fn end(
    State(operations): State<Operations>,
    operator: Operator,
    Json(ChannelCode { channel_key, code }): Json<ChannelCode>,
) -> Answer<PromoCode> {
    let subject = Subject::of(&channel_key, format!("promo {channel_key} {code}"));
    let ending = async { Ok(promo::end(&operations.channel, &channel_key, &code).await?) };
    answer(operator.run(&operations, "promo end", subject, json!({}), ending).await?)
}

pub(super) async fn list(
    State(operations): State<Operations>,
    Json(ChannelCode { channel_key, .. }): Json<ChannelCode>,
) -> Answer<Vec<ListedPromoCode>> {
    answer(promo::list(&operations.channel, &channel_key).await?)
}
