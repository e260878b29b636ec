//! `GET /geo`: the viewer's country.

use axum::Json;
use touchline_protocol::catalogue::Geo;
use touchline_protocol::envelope::Data;

use crate::http::{ApiKeyQuery, ApiResult, Caller, KeyedFailures};

/// Returns the viewer's country and whether the channel's video is blocked there (`GEO-1`).
#[utoipa::path(
    get, path = "/api/geo", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<Geo>), KeyedFailures)
)]
pub(crate) async fn geo(caller: Caller) -> ApiResult<Json<Data<Geo>>> {
    let country_code = caller.client.country.clone().unwrap_or_default();
    let country = rust_iso3166::from_alpha2(&country_code).map_or_else(String::new, |country| country.name.to_owned());
    let ip = caller.client.address.to_string();
    Ok(Json(Data::of(Geo { country, country_code, ip, is_geo_blocked: caller.is_geo_blocked() })))
}
