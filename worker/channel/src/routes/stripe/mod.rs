//! Calls for payments (`CALL-6`).

pub(crate) mod buy;
pub(crate) mod cards;
pub(crate) mod sandbox;
pub(crate) mod subscription;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::AppState;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(buy::buy))
        .routes(routes!(cards::setup_intent))
        .routes(routes!(cards::list_cards))
        .routes(routes!(cards::save_card))
        .routes(routes!(cards::remove_card))
        .routes(routes!(cards::customer_portal))
        .routes(routes!(subscription::start_trial))
        .routes(routes!(subscription::unsubscribe))
        .routes(routes!(subscription::resume))
        .routes(routes!(subscription::use_card))
        .routes(routes!(sandbox::sandbox_card))
        .routes(routes!(sandbox::sandbox_confirm))
}
