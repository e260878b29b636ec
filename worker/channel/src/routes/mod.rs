//! The calls under `/api`, a file a noun, as their paths are.

pub mod account_deletion;
pub mod auth;
pub mod calendar;
pub mod catalogue;
pub mod clips;
pub mod coupons;
pub mod error_log;
pub mod favorites;
pub mod forms;
pub mod media;
pub mod operator;
pub mod orders;
pub mod playback;
pub mod problem_report;
pub mod profile;
pub mod stripe;
pub mod transactions;
pub mod webhooks;

use utoipa_axum::router::OpenApiRouter;

use crate::http::AppState;

/// Every call of the channel.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(catalogue::router())
        .merge(calendar::router())
        .merge(auth::router())
        .merge(account_deletion::router())
        .merge(profile::router())
        .merge(favorites::router())
        .merge(playback::router())
        .merge(clips::router())
        .merge(forms::router())
        .merge(orders::router())
        .merge(transactions::router())
        .merge(coupons::router())
        .merge(stripe::router())
        .merge(error_log::router())
        .merge(problem_report::router())
}
