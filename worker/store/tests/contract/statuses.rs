use serde_json::json;
use touchline_protocol::sync::StatusKind;
use touchline_store::{Backlog, Change, NewStatus, Scope, Store};

use crate::{AT, Backend};

fn scope() -> Scope {
    Scope::Channel("meadow".to_owned())
}

fn line(id: i64, version: i64) -> NewStatus {
    NewStatus {
        scope: scope(),
        kind: StatusKind::Event,
        id,
        version,
        state: json!({ "id": id, "version": version }),
        at: AT + version,
    }
}

async fn since(store: &dyn Store, seq: u64, limit: u32) -> Option<Vec<(u64, i64, i64)>> {
    match store.statuses_since(&scope(), seq, limit).await.unwrap() {
        Backlog::Complete(lines) => Some(lines.iter().map(|line| (line.seq, line.id, line.version)).collect()),
        Backlog::Unavailable => None,
    }
}

pub(crate) async fn positions_increase_by_one_and_survive_a_restart(backend: impl Backend) {
    assert_eq!(backend.store().status_head(&scope()).await.unwrap(), 0);
    backend.store().record_statuses(vec![line(1, 1), line(2, 1), line(1, 2)]).await.unwrap();
    let epoch = backend.store().epoch();
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.epoch(), epoch);
    assert_eq!(store.status_head(&scope()).await.unwrap(), 3);
    assert_eq!(since(store, 0, 10).await.unwrap(), [(1, 1, 1), (2, 2, 1), (3, 1, 2)]);
    assert_eq!(since(store, 2, 10).await.unwrap(), [(3, 1, 2)]);
    assert_eq!(since(store, 3, 10).await.unwrap(), []);
    assert_eq!(store.status_head(&Scope::Channel("moor".to_owned())).await.unwrap(), 0);
    assert_eq!(store.status_head(&Scope::User(1)).await.unwrap(), 0);
}

pub(crate) async fn a_backlog_is_complete_or_unavailable(backend: impl Backend) {
    let store = backend.store();
    store.record_statuses((1..=5).map(|version| line(1, version)).collect()).await.unwrap();
    assert_eq!(since(store, 0, 5).await.unwrap().len(), 5);
    assert_eq!(since(store, 0, 4).await, None, "there are too many");
    assert_eq!(since(store, 6, 10).await, None, "the position was never issued");
    assert_eq!(since(store, u64::MAX, 10).await, None);
    assert_eq!(store.delete_statuses(AT + 3).await.unwrap(), 2);
    assert_eq!(since(store, 1, 10).await, None, "one of its lines was deleted");
    assert_eq!(since(store, 2, 10).await.unwrap().len(), 3);
    assert_eq!(store.status_head(&scope()).await.unwrap(), 5);
}

pub(crate) async fn an_older_version_is_ignored(backend: impl Backend) {
    let store = backend.store();
    let mut changes = store.changes();
    store.record_statuses(vec![line(1, 2)]).await.unwrap();
    store.record_statuses(vec![line(1, 1), line(1, 2)]).await.unwrap();
    assert_eq!(store.status_head(&scope()).await.unwrap(), 1);
    assert!(matches!(changes.try_recv().unwrap(), Change::Status(line) if line.status.version == 2));
    assert!(changes.try_recv().is_err());
}

pub(crate) async fn a_snapshot_has_the_last_state_of_each_resource(backend: impl Backend) {
    let store = backend.store();
    store.record_statuses(vec![line(1, 1), line(2, 1), line(1, 2)]).await.unwrap();
    store.delete_statuses(AT + 100).await.unwrap();
    let (seq, items) = store.status_snapshot(&scope()).await.unwrap();
    assert_eq!(seq, 3);
    let states: Vec<_> = items.into_iter().map(|item| item.state).collect();
    assert_eq!(states, [json!({ "id": 1, "version": 2 }), json!({ "id": 2, "version": 1 })]);
}

pub(crate) async fn subscribers_receive_every_line_in_order(backend: impl Backend) {
    let store = backend.store();
    let mut changes = store.changes();
    let write = |id: i64| store.record_statuses(vec![line(id, 1)]);
    let writes: Vec<_> = (1..=50).map(write).collect();
    for done in futures_util::future::join_all(writes).await {
        done.unwrap();
    }
    for expected in 1..=50 {
        match changes.try_recv().unwrap() {
            Change::Status(line) => assert_eq!(line.status.seq, expected),
            other @ (Change::KeysRevoked(_) | Change::VisitorsEnded(_) | Change::RightsChanged(_) | Change::Missed) => {
                panic!("{other:?}")
            }
        }
    }
}
