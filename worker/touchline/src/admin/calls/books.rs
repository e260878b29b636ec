//! `sales`, `audit`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_store::Sales;

use super::audited::Operator;
use super::lookups::is_known;
use super::{Answer, Failed, Operations, answer};
use crate::audit::{self, Audit};

/// The default period compared with the provider and the lake, in milliseconds.
const COMPARED_MS: i64 = 35 * 24 * 3600 * 1000;

/// Times are in Unix milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AskForSales {
    pub(crate) channel_key: Option<String>,
    pub(crate) between: (i64, i64),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AskToCompare {
    pub(crate) since: Option<i64>,
}

pub(super) async fn sales(State(on): State<Operations>, Json(asked): Json<AskForSales>) -> Answer<Vec<Sales>> {
    let AskForSales { channel_key, between } = asked;
    let sales = on.channel.store().sales(channel_key.as_deref(), between).await.map_err(Failed::by)?;
    is_known(&on, channel_key.as_deref(), sales.is_empty())?;
    answer(sales)
}

pub(super) async fn audit(
    State(on): State<Operations>,
    operator: Operator,
    Json(asked): Json<AskToCompare>,
) -> Answer<Audit> {
    let since = asked.since.unwrap_or_else(|| on.channel.clock.now_ms() - COMPARED_MS);
    // Audited itself: the comparison also updates orders from the provider's records.
    let comparing = async { Ok(audit::run(&on.channel, &on.datalake, since).await) };
    answer(operator.does(&on, "audit", "books".to_owned(), json!({ "since": since }), comparing).await?)
}
