//! The rooms' documents as one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use touchline_datalake::{Datalake, DatalakeOptions, Limits, SinkConfig};
use touchline_protocol::ambient::{Entropy, SystemClock, SystemEntropy};
use touchline_protocol::envelope::Failure;
use utoipa::openapi::{ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder};
use utoipa::{OpenApi as _, ToSchema};

use crate::site;

/// The document of every call, as it is committed.
pub(crate) async fn text() -> Result<String> {
    let (_, channel) = touchline_channel::router().split_for_parts();
    let info = InfoBuilder::new()
        .title("Touchline")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "The channel API and the datalake. Calls with a key take it as `api_key`: in the query for GET and DELETE, \
             in the body otherwise.",
        ))
        .build();
    let mut document = OpenApiBuilder::new().info(info).build();
    document.merge(channel);
    document.merge(datalake().await?);
    document.merge(site::Document::openapi());
    add_fronts_answers(&mut document);
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// What any call can be answered before its handler is asked.
const FRONTS_ANSWERS: [(&str, &str); 4] = [
    ("421", "no channel is shown under this host"),
    ("429", "too many requests; `Retry-After` says when to come back"),
    ("500", "ours"),
    ("503", "not now"),
];

fn add_fronts_answers(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for (status, text) in FRONTS_ANSWERS {
                let schema = Ref::from_schema_name(Failure::name());
                let answer = ResponseBuilder::new()
                    .description(text)
                    .content("application/json", ContentBuilder::new().schema(Some(schema)).build());
                let responses = &mut operation.responses.responses;
                responses.entry(status.to_owned()).or_insert_with(|| answer.build().into());
            }
        }
    }
}

/// The datalake's part, which it gives when it is open: here on a folder that is gone afterwards.
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
