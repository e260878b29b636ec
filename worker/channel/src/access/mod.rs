//! What a viewer has, worked out from their orders and rights. What it opens is decided in
//! [`crate::catalogue::access`].

use std::sync::Arc;

use touchline_protocol::purchases::OrderType;
use touchline_store::{OrderRecord, User};

use crate::catalogue::access::Entitlements;
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
    if user.blocked || user.temporary_password {
        return Ok(Arc::new(visitor));
    }
    let owned = state.store.owned(user_id, state.clock.now_ms()).await?;
    Ok(Arc::new(with_orders(visitor, &user, &owned)))
}

/// Adds what a person's orders and rights give.
fn with_orders(mut has: Entitlements, user: &User, owned: &[OrderRecord]) -> Entitlements {
    has.user_id = Some(user.id);
    has.capabilities = user.capabilities.iter().map(|capability| capability.to_lowercase()).collect();
    for record in owned {
        let product = &record.order.product;
        match (record.order.kind, product.participant_id) {
            (OrderType::Event, _) => drop(has.events.insert(product.id)),
            (OrderType::Subscription, _) => has.subscribed = true,
            (OrderType::Package, Some(team)) => drop(has.participants.insert(team)),
            (OrderType::Package, None) => has.categories.extend(&record.event_categories),
        }
    }
    has
}
