//! The OpenAPI documents of all crates, merged.

mod examples;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use touchline_datalake::{Datalake, DatalakeOptions, Limits, SinkConfig};
use touchline_protocol::ambient::{Entropy, SystemClock, SystemEntropy};
use touchline_protocol::envelope::Failure;
use utoipa::openapi::{ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder};
use utoipa::{OpenApi as _, ToSchema};

use crate::serve::middleware;
use crate::site;

/// The document of all calls, as committed in `docs/openapi.json`.
pub(crate) async fn text() -> Result<String> {
    let (_, channel) = touchline_channel::router().split_for_parts();
    let info = InfoBuilder::new()
        .title("Touchline")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "The channel API and the datalake. Calls that need a key take it as `api_key`: in the query for GET and DELETE, \
             in the body otherwise.",
        ))
        .build();
    let mut document = OpenApiBuilder::new().info(info).build();
    document.merge(channel);
    document.merge(datalake().await?);
    document.merge(site::Document::openapi());
    add_common_responses(&mut document);
    let mut document = serde_json::to_value(&document)?;
    examples::add_examples(&mut document).context("the document lacks an example")?;
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// Responses of any request, sent before its handler runs.
const MIDDLEWARE_RESPONSES: [(&str, &str); 2] = [("421", "the host serves no channel"), ("500", "an internal error")];
/// Further responses of any call: calls are rate-limited and time out.
const CALL_RESPONSES: [(&str, &str); 3] = [
    ("413", "the body is too large"),
    ("429", "too many requests; `Retry-After` has the delay in seconds"),
    ("503", "temporarily unavailable"),
];
/// Further responses of any call with a body.
const BODY_RESPONSES: [(&str, &str); 1] = [("408", "the body did not arrive within `limits.body_s`")];

fn add_common_responses(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            let call_responses: &[_] = if middleware::is_call(path) { &CALL_RESPONSES } else { &[] };
            let body_responses: &[_] = if operation.request_body.is_some() { &BODY_RESPONSES } else { &[] };
            for (status, text) in MIDDLEWARE_RESPONSES.iter().chain(call_responses).chain(body_responses) {
                let schema = Ref::from_schema_name(Failure::name());
                let response = ResponseBuilder::new()
                    .description(*text)
                    .content("application/json", ContentBuilder::new().schema(Some(schema)).build());
                let responses = &mut operation.responses.responses;
                responses.entry((*status).to_owned()).or_insert_with(|| response.build().into());
            }
        }
    }
}

/// The datalake's document. It needs an open datalake, so this opens one in a temporary folder.
async fn datalake() -> Result<OpenApi> {
    let folder = std::env::temp_dir().join(format!("touchline-openapi-{:016x}", SystemEntropy.next_u64()));
    let options = DatalakeOptions {
        folder: folder.clone(),
        node: None,
        sinks: vec![SinkConfig::LakeFolder(folder.join("lake"))],
        limits: Limits::default(),
        clock: Arc::new(SystemClock::default()),
        entropy: Arc::new(SystemEntropy),
    };
    let datalake = Datalake::open(options).await?;
    let (_, document) = datalake.router().split_for_parts();
    datalake.shutdown(Duration::ZERO).await;
    std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(document)
}
