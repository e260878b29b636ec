//! What a viewer has, worked out from their orders and rights. What it opens is decided in
//! [`touchline_domain::entitlements`].

use std::sync::Arc;

use touchline_domain::entitlements::Entitlements;
use touchline_store::OrderRecord;

use crate::http::{ApiResult, Caller};
use crate::state::AppState;

/// What the caller has at this moment. A visitor has nothing; neither has a person who must change their password or was
/// blocked.
///
/// # Errors
/// When the store does not answer.
pub async fn entitlements(state: &AppState, caller: &Caller) -> ApiResult<Arc<Entitlements>> {
    let visitor = Entitlements {
        geo_blocked: caller.is_geo_blocked(),
        country: caller.client.country.clone(),
        ..Entitlements::default()
    };
    let Some(user_id) = caller.user_id else { return Ok(Arc::new(visitor)) };
    let Some(user) = state.store.user(user_id).await? else { return Ok(Arc::new(visitor)) };
    let owned = state.store.owned(user_id, state.clock.now_ms()).await?;
    Ok(Arc::new(visitor.with(&user, owned.iter().map(OrderRecord::as_owned))))
}
