use touchline_store::{Change, SessionCodeRecord};

use crate::{AT, Backend, new_key, register};

pub(crate) async fn a_key_is_found_by_its_hash_until_it_is_revoked(backend: impl Backend) {
    let issued = backend.store().issue_key(new_key("hash", None), None).await.unwrap().unwrap();
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.key("hash").await.unwrap().unwrap(), issued);
    assert!(store.key("other").await.unwrap().is_none());
    assert!(store.revoke_key(issued.id, AT).await.unwrap());
    assert!(!store.revoke_key(issued.id, AT).await.unwrap());
    assert!(store.key("hash").await.unwrap().is_none());
}

pub(crate) async fn a_key_is_replaced_once(backend: impl Backend) {
    let store = backend.store();
    let first = store.issue_key(new_key("first", None), None).await.unwrap().unwrap();
    assert!(store.issue_key(new_key("second", None), Some(first.id)).await.unwrap().is_some());
    assert!(store.key("first").await.unwrap().is_none());
    assert!(store.issue_key(new_key("third", None), Some(first.id)).await.unwrap().is_none());
    assert!(store.key("third").await.unwrap().is_none(), "no key was issued");
}

pub(crate) async fn a_users_keys_are_listed_and_all_but_one_revoked(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let other = register(store, "bob@example.com").await;
    let mut ids = Vec::new();
    for hash in ["a", "b", "c"] {
        ids.push(store.issue_key(new_key(hash, Some(user.id)), None).await.unwrap().unwrap().id);
    }
    store.issue_key(new_key("theirs", Some(other.id)), None).await.unwrap();
    let listed: Vec<_> = store.user_keys(user.id).await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(listed, [ids[2], ids[1], ids[0]]);
    let mut changes = store.changes();
    assert_eq!(store.revoke_user_keys(user.id, Some(ids[1]), AT).await.unwrap(), 2);
    match changes.try_recv().unwrap() {
        Change::KeysRevoked(revoked) => assert_eq!(revoked.iter().copied().collect::<Vec<_>>(), [ids[0], ids[2]]),
        other @ (Change::Status(_) | Change::RightsChanged(_) | Change::Missed) => panic!("{other:?}"),
    }
    assert_eq!(store.user_keys(user.id).await.unwrap().len(), 1);
    assert!(store.key("theirs").await.unwrap().is_some());
}

pub(crate) async fn idle_keys_are_deleted(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let give = async |hash: &str, of| store.issue_key(new_key(hash, of), None).await.unwrap().unwrap().id;
    let used = give("used", Some(user.id)).await;
    give("unused", Some(user.id)).await;
    let revoked = give("revoked", Some(user.id)).await;
    give("nobodys", None).await;
    store.record_key_use(used, AT + 1).await.unwrap();
    store.revoke_key(revoked, AT + 1).await.unwrap();
    assert!(store.key("used").await.unwrap().unwrap().was_used());
    assert!(!store.key("unused").await.unwrap().unwrap().was_used());
    assert_eq!(store.delete_idle_keys(AT, AT, 9).await.unwrap(), 0, "the keys are recent");
    assert_eq!(store.delete_idle_keys(AT + 2, AT, 9).await.unwrap(), 3);
    let remaining: Vec<_> = store.user_keys(user.id).await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(remaining, [used]);
}

/// `LIM-6`: anonymous keys are bounded in time and number.
pub(crate) async fn anonymous_keys_are_limited_and_unused_ones_deleted_first(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let give = async |hash: &str, user_id| store.issue_key(new_key(hash, user_id), None).await.unwrap().unwrap().id;
    let owned_by_user = give("owned_by_user", Some(user.id)).await;
    for (hash, seen) in [("earlier", 5), ("later", 9)] {
        store.record_key_use(give(hash, None).await, AT + seen).await.unwrap();
    }
    give("unused", None).await;
    let remaining = async || {
        let mut remaining = Vec::new();
        for hash in ["owned_by_user", "earlier", "later", "unused"] {
            remaining.push(store.key(hash).await.unwrap().is_some());
        }
        remaining
    };
    assert_eq!(store.delete_idle_keys(AT, AT, 3).await.unwrap(), 0);
    assert_eq!(store.delete_idle_keys(AT, AT, 2).await.unwrap(), 1);
    assert_eq!(remaining().await, [true, true, true, false], "unused keys are deleted first");
    assert_eq!(store.delete_idle_keys(AT, AT, 1).await.unwrap(), 1);
    assert_eq!(remaining().await, [true, false, true, false]);
    give("unused", None).await;
    assert_eq!(store.delete_idle_keys(AT, AT + 1, 9).await.unwrap(), 1, "one unused day is enough");
    assert_eq!(remaining().await, [true, false, true, false]);
    assert!(store.user_keys(user.id).await.unwrap().iter().any(|key| key.id == owned_by_user), "a user's key stays");
}

pub(crate) async fn a_code_links_its_device_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let device = store.issue_key(new_key("device", None), None).await.unwrap().unwrap();
    let code = |hash: &str, key_id| SessionCodeRecord {
        code_hash: hash.to_owned(),
        channel_key: "meadow".to_owned(),
        key_id,
        expires: AT + 10,
    };
    let other = store.issue_key(new_key("other", None), None).await.unwrap().unwrap();
    assert!(store.store_session_code(code("one", device.id), AT).await.unwrap());
    assert!(!store.store_session_code(code("one", other.id), AT).await.unwrap(), "another device displays it");
    assert!(store.link_device("one", "moor", user.id, AT, None).await.unwrap().is_none());
    assert!(store.link_device("one", "meadow", user.id, AT + 10, None).await.unwrap().is_none());
    let linked = store.link_device("one", "meadow", user.id, AT + 9, None).await.unwrap().unwrap();
    assert_eq!((linked.id, linked.current), (device.id, false));
    assert!(store.link_device("one", "meadow", user.id, AT, None).await.unwrap().is_none());
    assert_eq!(store.key("device").await.unwrap().unwrap().user_id, Some(user.id));
}
