//! `sales`, `audit`

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_store::Sales;

use super::audited::{Operator, Subject};
use super::channels::require_channel;
use super::{Answer, OperationError, Operations, answer};
use crate::audit::{self, Audit};

/// The default period compared with the provider and the lake, in milliseconds.
const COMPARED_PERIOD_MS: i64 = 35 * 24 * 3600 * 1000;

/// Times are in Unix milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SalesQuery {
    pub(crate) channel_key: Option<String>,
    pub(crate) between: (i64, i64),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AuditRequest {
    pub(crate) channel_key: Option<String>,
    pub(crate) since: Option<i64>,
}

pub(super) async fn sales(State(operations): State<Operations>, Json(query): Json<SalesQuery>) -> Answer<Vec<Sales>> {
    let SalesQuery { channel_key, between } = query;
    let sales = operations.channel.store().sales(channel_key.as_deref(), between).await.map_err(OperationError::new)?;
    require_channel(&operations, channel_key.as_deref(), sales.is_empty())?;
    answer(sales)
}

pub(super) async fn audit(
    State(operations): State<Operations>,
    operator: Operator,
    Json(query): Json<AuditRequest>,
) -> Answer<Audit> {
    let AuditRequest { channel_key, since } = query;
    let since = since.unwrap_or_else(|| operations.channel.clock.now_ms() - COMPARED_PERIOD_MS);
    // Audited itself: the comparison also updates orders from the provider's records.
    let comparing = async {
        let mut found = audit::run(&operations.channel, &operations.datalake, since).await;
        if let Some(key) = &channel_key {
            found.retain_channel(&operations.channel, key).await.map_err(OperationError::new)?;
        }
        Ok(found)
    };
    let detail = json!({ "since": since, "channel": channel_key });
    let found = operator.run(&operations, "audit", Subject::of_all("books", None), detail, comparing).await?;
    require_channel(&operations, channel_key.as_deref(), found.disagreements.is_empty())?;
    answer(found)
}
