//! The channel's rows of the limits table (`LIM-6`). Each row is defined beside the constant that it describes.

use touchline_domain::accounts;
use touchline_protocol::limits::Limit;
use touchline_store as store;

use crate::{
    auth, broadcast, catalogue, clips, erasure, housekeeping, http, mail, media, payments, pictures, pull, reports,
    routes,
};

/// All limits of the channel.
pub fn limits() -> Vec<Limit> {
    let mut rows = auth::limits::limits();
    for more in [
        auth::passwords::LIMITS,
        auth::keyring::LIMITS,
        auth::visitor_tokens::LIMITS,
        http::device_cookies::LIMITS,
        http::idempotency::LIMITS,
        auth::social::LIMITS,
        accounts::LIMITS,
        store::idempotency::LIMITS,
        routes::auth::devices::LIMITS,
        routes::calendar::LIMITS,
        routes::catalogue::query::LIMITS,
        catalogue::listing::LIMITS,
        catalogue::search::LIMITS,
        routes::clips::LIMITS,
        routes::forms::LIMITS,
        routes::orders::LIMITS,
        routes::transactions::LIMITS,
        routes::favorites::LIMITS,
        routes::playback::LIMITS,
        touchline_domain::clips::LIMITS,
        clips::worker::LIMITS,
        payments::billing::LIMITS,
        payments::audit::LIMITS,
        payments::stripe::client::LIMITS,
        media::memory::LIMITS,
        media::signing::LIMITS,
        media::networks::LIMITS,
        media::revocations::LIMITS,
        media::stream::LIMITS,
        media::hls::LIMITS,
        broadcast::LIMITS,
        pull::LIMITS,
        pictures::LIMITS,
        mail::delivery::LIMITS,
        mail::folder::LIMITS,
        mail::templates::LIMITS,
        erasure::LIMITS,
        routes::error_log::LIMITS,
        catalogue::response_cache::LIMITS,
        routes::media::drawing::LIMITS,
        store::sqlite::LIMITS,
        housekeeping::LIMITS,
        catalogue::read::FILE_LIMITS,
        catalogue::read::FIELD_LIMITS,
        catalogue::sound_states::LIMITS,
    ] {
        rows.extend_from_slice(more);
    }
    rows.extend(reports::limits());
    rows.extend_from_slice(routes::problem_report::LIMITS);
    rows
}
