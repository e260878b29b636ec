//! Calls under `/api`, one file per noun of their paths.

pub(crate) mod account_deletion;
pub(crate) mod auth;
pub(crate) mod calendar;
pub mod catalogue;
pub(crate) mod clips;
pub(crate) mod coupons;
pub(crate) mod error_log;
pub(crate) mod favorites;
pub(crate) mod forms;
pub(crate) mod media;
pub mod operator;
pub(crate) mod orders;
pub(crate) mod playback;
pub mod problem_report;
pub(crate) mod profile;
pub(crate) mod stripe;
pub(crate) mod transactions;
pub mod webhooks;

use utoipa_axum::router::OpenApiRouter;

use crate::http::AppState;

pub(crate) fn router() -> OpenApiRouter<AppState> {
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
