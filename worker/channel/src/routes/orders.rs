//! `GET /orders`, `GET /orders/{id}`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use touchline_protocol::envelope::{Data, Failure, Meta, Page};
use touchline_protocol::limits::Limit;
use touchline_protocol::purchases::Order;
use touchline_store::OrderFilter;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, PathId, Query};

/// Largest `limit`.
const LIMIT_MAX: u32 = 100;
const LIMIT_DEFAULT: u32 = 24;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("orders.limit", LIMIT_MAX as u64, "orders", "Largest `limit` of the orders.")];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(orders)).routes(routes!(order))
}

/// Selects orders.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrdersQuery {
    /// `1` returns all items.
    #[param(minimum = 0, maximum = 1)]
    #[serde(default)]
    no_limit: u8,
    /// Maximum number of items: 1 to 100.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// Number of items to skip.
    #[serde(default)]
    offset: u32,
}

/// Returns the viewer's orders, newest first.
#[utoipa::path(
    get, path = "/api/orders", tag = "Payments", params(OrdersQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Order>), AccountFailures)
)]
pub(crate) async fn orders(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<OrdersQuery>,
) -> ApiResult<Json<Page<Order>>> {
    let user = caller.user(&state).await?;
    if query.limit.is_some_and(|limit| !(1..=LIMIT_MAX).contains(&limit)) {
        return Err(ApiError::malformed("limit", format!("must be 1 to {LIMIT_MAX}")));
    }
    if query.no_limit > 1 {
        return Err(ApiError::malformed("no_limit", "must be 0 or 1"));
    }
    let limit = query.limit.or((query.no_limit == 0).then_some(LIMIT_DEFAULT));
    let filter = OrderFilter { limit, offset: query.offset };
    let (records, total) = state.store.orders(user.id, filter).await?;
    let meta = Meta { total, limit: limit.map_or(total, u64::from), offset: u64::from(query.offset) };
    Ok(Json(Page { data: records.into_iter().map(|record| record.order).collect(), meta }))
}

/// Returns one of the viewer's orders (`ORDER-1`).
#[utoipa::path(
    get, path = "/api/orders/{id}", tag = "Payments",
    params(("id" = i64, Path, description = "ID of the order.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Order>), (status = 404, body = Failure, description = "the order doesn't exist or belongs to another viewer"), AccountFailures)
)]
pub(crate) async fn order(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Order>>> {
    let user = caller.user(&state).await?;
    let record = state.store.order(user.id, id).await?.ok_or(ApiError::NotFound)?;
    Ok(Json(Data::of(record.order)))
}
