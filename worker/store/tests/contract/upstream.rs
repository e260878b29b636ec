use serde_json::json;
use touchline_protocol::sync::{Resume, StatusKind};
use touchline_store::{NewStatus, Scope, UpstreamWatch, UpstreamWrite};

use crate::{AT, Backend};

fn watch(user_id: i64, id: i64) -> UpstreamWatch {
    let (channel_key, api_key) = ("meadow".to_owned(), format!("key-{user_id}"));
    UpstreamWatch { user_id, kind: StatusKind::Order, id, channel_key, api_key, since: AT + id }
}

fn write(key: &str) -> UpstreamWrite {
    let (scope, call) = ("user:7".to_owned(), "stripe/buy".to_owned());
    let (fingerprint, known) = ("f".to_owned(), "[1]".to_owned());
    UpstreamWrite { scope, call, key: key.to_owned(), fingerprint, known, at: AT, answer: None }
}

pub(crate) async fn watches_and_positions_survive_a_restart(backend: impl Backend) {
    for watched in [watch(7, 1), watch(7, 1), watch(8, 2)] {
        backend.store().store_upstream_watch(&watched).await.unwrap();
    }
    let position = Resume { epoch: "e".to_owned(), user_seq: None, channel_seq: 3 };
    backend.store().store_upstream_position("channel:meadow", &position).await.unwrap();
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.upstream_watches().await.unwrap(), [watch(7, 1), watch(8, 2)]);
    store.delete_upstream_watch(7, StatusKind::Order, 1).await.unwrap();
    assert_eq!(store.upstream_watches().await.unwrap(), [watch(8, 2)]);
    assert_eq!(store.upstream_position("channel:meadow").await.unwrap(), Some(position));
    assert_eq!(store.upstream_position("user:7").await.unwrap(), None);
}

pub(crate) async fn a_write_starts_once_and_returns_its_first_response(backend: impl Backend) {
    let store = backend.store();
    assert_eq!(store.start_upstream_write(&write("a")).await.unwrap(), None);
    assert_eq!(store.start_upstream_write(&write("a")).await.unwrap(), Some(write("a")));
    let answered = UpstreamWrite { answer: Some("{}".to_owned()), ..write("a") };
    store.update_upstream_write(&answered).await.unwrap();
    store.update_upstream_write(&UpstreamWrite { answer: Some("other".to_owned()), ..write("a") }).await.unwrap();
    store.delete_upstream_write("user:7", "stripe/buy", "a").await.unwrap();
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.upstream_write("user:7", "stripe/buy", "a").await.unwrap(), Some(answered));
    assert_eq!(store.upstream_write("user:8", "stripe/buy", "a").await.unwrap(), None);
    store.start_upstream_write(&write("b")).await.unwrap();
    store.delete_upstream_write("user:7", "stripe/buy", "b").await.unwrap();
    assert_eq!(store.upstream_write("user:7", "stripe/buy", "b").await.unwrap(), None);
    assert_eq!(store.delete_upstream_writes(AT + 1).await.unwrap(), 1);
}

pub(crate) async fn the_last_state_of_a_resource_is_found_for_any_user(backend: impl Backend) {
    let store = backend.store();
    let line = NewStatus {
        scope: Scope::User(7),
        kind: StatusKind::Order,
        id: 9,
        version: 1,
        state: json!({ "status": "paid" }),
        at: AT,
    };
    store.record_statuses(vec![line]).await.unwrap();
    assert_eq!(store.last_state(StatusKind::Order, 9).await.unwrap(), Some(json!({ "status": "paid" })));
    assert_eq!(store.last_state(StatusKind::Clip, 9).await.unwrap(), None);
}
