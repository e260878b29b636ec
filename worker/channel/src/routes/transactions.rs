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

/// The most lines of one answer.
const LIMIT_MAX: u32 = 1000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("transactions.limit", LIMIT_MAX as u64, "lines", "The most transactions of one answer.")];

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(transactions))
}

/// Which lines are asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TransactionsQuery {
    /// 1 to 1000; all of them, up to as many, when absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// How many are left out before the first.
    #[serde(default)]
    offset: u32,
}

/// What the person paid and got back, newest first: purchases, renewals, renewals that failed, refunds, trials
/// (`ORDER-5`).
#[utoipa::path(
    get, path = "/api/transactions", tag = "Payments", params(TransactionsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Transaction>), AccountFailures)
)]
pub async fn transactions(
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
