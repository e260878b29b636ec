//! The rooms' documents as one.

use utoipa::OpenApi as _;
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder};

use crate::site;

/// The document of every call.
pub(crate) fn document() -> OpenApi {
    let (_, channel) = touchline_channel::router().split_for_parts();
    let mut document = OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Touchline")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(
                    "The channel API and the datalake. Calls with a key take it as `api_key`: in the query for GET and \
                     DELETE, in the body otherwise.",
                ))
                .build(),
        )
        .build();
    document.merge(channel);
    document.merge(site::Document::openapi());
    document
}

/// The document as it is committed.
pub(crate) fn text() -> String {
    let json = serde_json::to_string_pretty(&document()).unwrap_or_default();
    format!("{json}\n")
}
