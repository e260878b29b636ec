//! `GET /transactions`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use touchline_protocol::envelope::{Meta, Page};
use touchline_protocol::limits::Limit;
use touchline_protocol::purchases::Transaction;
use touchline_store::OrderFilter;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Query};
use crate::payments::transactions;

/// Largest `limit`.
const LIMIT_MAX: u32 = 1000;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("transactions.limit", LIMIT_MAX as u64, "lines", "Transactions in a response.")];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(transactions))
}

/// Selects transactions.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TransactionsQuery {
    /// Maximum number of items: 1 to 1000, 1000 by default.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Number of items to skip.
    #[serde(default)]
    offset: u32,
}

/// Returns the viewer's transactions, newest first (`ORDER-5`).
///
/// Includes purchases, renewals, failed renewals, refunds and trials.
#[utoipa::path(
    get, path = "/api/transactions", tag = "Payments", params(TransactionsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Transaction>), AccountFailures)
)]
pub(crate) async fn transactions(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<TransactionsQuery>,
) -> ApiResult<Json<Page<Transaction>>> {
    let user = caller.user(&state).await?;
    let limit = query.limit.unwrap_or(LIMIT_MAX);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::malformed("limit", format!("must be 1 to {LIMIT_MAX}")));
    }
    let (orders, _) = state.store.orders(user.id, OrderFilter::default()).await?;
    let (charges, _) = state.store.user_charges(user.id, u32::MAX, 0).await?;
    let lines = transactions::transactions(&orders, &charges);
    let meta = Meta { total: lines.len() as u64, limit: u64::from(limit), offset: u64::from(query.offset) };
    let data = lines.into_iter().skip(query.offset as usize).take(limit as usize).collect();
    Ok(Json(Page { data, meta }))
}
