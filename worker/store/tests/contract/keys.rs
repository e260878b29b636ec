use touchline_store::{Change, KeyId, Revoked, SessionCodeRecord};

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
        other @ (Change::Status(_) | Change::VisitorsEnded(_) | Change::RightsChanged(_) | Change::Missed) => {
            panic!("{other:?}")
        }
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
    assert_eq!(store.delete_idle_keys(AT + 2, AT, 2).await.unwrap(), 2, "a batch");
    assert_eq!(store.delete_idle_keys(AT + 2, AT, 2).await.unwrap(), 1);
    let remaining: Vec<_> = store.user_keys(user.id).await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(remaining, [used]);
}

/// `LIM-6`
pub(crate) async fn unused_keys_of_nobody_are_deleted_early(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let give = async |hash: &str, user_id| store.issue_key(new_key(hash, user_id), None).await.unwrap().unwrap().id;
    give("owned_by_user", Some(user.id)).await;
    store.record_key_use(give("used", None).await, AT + 5).await.unwrap();
    give("unused", None).await;
    assert_eq!(store.delete_idle_keys(AT, AT + 1, 9).await.unwrap(), 1);
    for (hash, stays) in [("owned_by_user", true), ("used", true), ("unused", false)] {
        assert_eq!(store.key(hash).await.unwrap().is_some(), stays, "{hash}");
    }
}

pub(crate) async fn a_channels_generation_is_raised_and_announced(backend: impl Backend) {
    let store = backend.store();
    let mut changes = store.changes();
    assert_eq!(store.key_generation("meadow").await.unwrap(), 0);
    assert_eq!(store.raise_key_generation("meadow", AT).await.unwrap(), 1);
    assert_eq!(store.raise_key_generation("meadow", AT + 1).await.unwrap(), 2);
    assert_eq!(store.key_generation("meadow").await.unwrap(), 2);
    assert_eq!(store.key_generation("moor").await.unwrap(), 0);
    match changes.try_recv().unwrap() {
        Change::VisitorsEnded(channel_key) => assert_eq!(&*channel_key, "meadow"),
        other @ (Change::Status(_) | Change::KeysRevoked(_) | Change::RightsChanged(_) | Change::Missed) => {
            panic!("{other:?}")
        }
    }
    let ended = vec![(Revoked::Visitors("meadow".to_owned()), AT + 1)];
    assert_eq!(store.revoked_since(AT + 1, 9).await.unwrap(), ended);
    assert!(store.revoked_since(AT + 2, 9).await.unwrap().is_empty());
}

pub(crate) async fn a_code_links_its_device_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let device = store.issue_key(new_key("device", None), None).await.unwrap().unwrap();
    let code = |hash: &str, key_id| SessionCodeRecord {
        code_hash: hash.to_owned(),
        channel_key: "meadow".to_owned(),
        key_id: KeyId::Stored(key_id),
        device_key: None,
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

/// A token has no record, so its device gets a key with the code.
pub(crate) async fn a_code_of_a_token_links_the_key_that_came_with_it(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let code = |hash: &str, bits, key: &str| SessionCodeRecord {
        code_hash: hash.to_owned(),
        channel_key: "meadow".to_owned(),
        key_id: KeyId::Token(bits),
        device_key: Some(new_key(key, None)),
        expires: AT + 10,
    };
    assert!(store.store_session_code(code("one", 1, "first"), AT).await.unwrap());
    assert!(!store.store_session_code(code("one", 2, "collides"), AT).await.unwrap(), "another device displays it");
    assert!(store.key("collides").await.unwrap().is_none(), "nothing was issued");
    assert!(store.store_session_code(code("two", 1, "second"), AT).await.unwrap());
    assert!(store.store_session_code(code("three", 2, "third"), AT).await.unwrap());
    assert!(store.link_device("one", "meadow", user.id, AT, None).await.unwrap().is_none(), "it was replaced");
    assert!(store.link_device("two", "meadow", user.id, AT, None).await.unwrap().is_some());
    assert!(store.link_device("two", "meadow", user.id, AT, None).await.unwrap().is_none());
    for (hash, user_id) in [("first", None), ("second", Some(user.id)), ("third", None)] {
        assert_eq!(store.key(hash).await.unwrap().unwrap().user_id, user_id, "{hash}");
    }
}
