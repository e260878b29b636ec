//! The OpenAPI documents of all crates, merged.

mod examples;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use touchline_datalake::{Datalake, DatalakeOptions, Limits, SinkConfig};
use touchline_protocol::ambient::{Entropy, SystemClock, SystemEntropy};
use touchline_protocol::envelope::Failure;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder, SecurityRequirement,
    Server,
};
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
            "The channel API and the analytics API. Send the API key as `api_key`, in the query for GET and DELETE and in the \
             body otherwise.",
        ))
        .license(Some(license()))
        .build();
    // Every channel serves its own API, so the address is relative to the document's.
    let mut document = OpenApiBuilder::new().info(info).servers(Some([Server::new("/")])).build();
    document.merge(channel);
    document.merge(datalake().await?);
    document.merge(site::Document::openapi());
    let scheme = SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::new(API_KEY)));
    document.components.get_or_insert_default().add_security_scheme(API_KEY, scheme);
    for (path, item) in &mut document.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            add_common_responses(path, operation);
            describe_responses(operation);
            operation.security = Some(security(operation));
        }
    }
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

/// The key's parameter and its security scheme.
const API_KEY: &str = "api_key";

fn license() -> License {
    let mut license = License::new("GNU Affero General Public License, version 3 or later");
    license.identifier = Some(env!("CARGO_PKG_LICENSE").to_owned());
    license
}

fn add_common_responses(path: &str, operation: &mut Operation) {
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

/// Describes the responses without a description, which OpenAPI requires.
fn describe_responses(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let common = CALL_RESPONSES.iter().find(|(common, _)| common == status);
            response.description = match (status.as_str(), common) {
                ("200", _) => "success".to_owned(),
                (_, Some((_, text))) => (*text).to_owned(),
                _ => "invalid fields".to_owned(),
            };
        }
    }
}

/// The key that a call requires. OpenAPI has no scheme for a key in the body, which is a required field there instead.
fn security(operation: &Operation) -> Vec<SecurityRequirement> {
    let mut parameters = operation.parameters.iter().flatten();
    let has_key = parameters.any(|one| matches!(one, RefOr::T(parameter) if parameter.name == API_KEY));
    if has_key { vec![SecurityRequirement::new(API_KEY, [""; 0])] } else { Vec::new() }
}

/// The datalake's document. It needs an open datalake, so this opens one in a temporary folder.
async fn datalake() -> Result<OpenApi> {
    let folder = std::env::temp_dir().join(format!("touchline-openapi-{:016x}", SystemEntropy.next_u64()));
    let options = DatalakeOptions {
        folder: folder.clone(),
        node: None,
        sinks: vec![SinkConfig::LakeFolder(folder.join("lake"))],
        sink_secret: None,
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
