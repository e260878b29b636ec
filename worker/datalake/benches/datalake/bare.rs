//! The upper bound: the same server and request parsing on a plain append-only file, with one fdatasync for all waiting
//! requests. It does not validate, deduplicate or read anything back.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use touchline_protocol::analytics::{BatchAnswer, BatchRequest, EventResult, Outcome};
use touchline_protocol::envelope::Data;

type Waiting = (Vec<u8>, oneshot::Sender<()>);

fn accepted(id: String) -> EventResult {
    EventResult { id, outcome: Outcome::Accepted, reason: None }
}

fn append(record: &mut Vec<u8>, event: &str) {
    record.extend_from_slice(&u32::try_from(event.len()).unwrap().to_le_bytes());
    record.extend_from_slice(event.as_bytes());
}

async fn store(writer: &mpsc::Sender<Waiting>, record: Vec<u8>) {
    let (reply, stored) = oneshot::channel();
    writer.send((record, reply)).await.unwrap();
    stored.await.unwrap();
}

async fn take_batch(State(writer): State<mpsc::Sender<Waiting>>, body: Bytes) -> Json<Data<BatchAnswer>> {
    let batch: BatchRequest<'_> = serde_json::from_str(std::str::from_utf8(&body).unwrap()).unwrap();
    let mut record = Vec::with_capacity(body.len());
    for event in &batch.events {
        append(&mut record, &event.id);
        append(&mut record, event.body.get());
    }
    store(&writer, record).await;
    Json(Data::of(BatchAnswer {
        results: batch.events.into_iter().map(|event| accepted(event.id.into_owned())).collect(),
    }))
}

async fn take_call(
    State(writer): State<mpsc::Sender<Waiting>>,
    headers: axum::http::HeaderMap,
    body: Bytes,
) -> Json<Data<EventResult>> {
    let id = headers["idempotency-key"].to_str().unwrap().to_owned();
    let event: &RawValue = serde_json::from_str(std::str::from_utf8(&body).unwrap()).unwrap();
    let mut record = Vec::with_capacity(body.len());
    append(&mut record, &id);
    append(&mut record, event.get());
    store(&writer, record).await;
    Json(Data::of(accepted(id)))
}

/// The server's routes, storing to a file in `folder`.
pub(crate) fn router(folder: &Path) -> Router {
    let (writer, mut waiting) = mpsc::channel::<Waiting>(1024);
    let mut file = File::options().append(true).create(true).open(folder.join("log")).unwrap();
    std::thread::spawn(move || {
        let mut group = Vec::new();
        while waiting.blocking_recv_many(&mut group, 256) > 0 {
            let records: Vec<u8> = group.iter().flat_map(|(record, _)| record).copied().collect();
            file.write_all(&records).unwrap();
            file.sync_data().unwrap();
            for (_, reply) in group.drain(..) {
                // The caller may have left.
                let _ = reply.send(());
            }
        }
    });
    Router::new().route("/datalake/batch", post(take_batch)).fallback(post(take_call)).with_state(writer)
}
