use touchline_protocol::playback::{PlaybackPosition, WatchedKind};
use touchline_store::{Mail, NewUser, RegisterResult, User, UserChange, no_mail};

use crate::{AT, Backend, new_favorite, new_key, new_user, register};

pub(crate) async fn a_user_is_found_by_id_email_and_social_login(backend: impl Backend) {
    let new = NewUser { social: Some(("google".to_owned(), "sub".to_owned())), ..new_user("Ada@Example.com") };
    let RegisterResult::New(user, _) = backend.store().register_user(new, None, None, &no_mail).await.unwrap() else {
        panic!("the address is free")
    };
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.user(user.id).await.unwrap().unwrap(), *user);
    assert_eq!(store.user_by_email("meadow", "ADA@example.COM").await.unwrap().unwrap(), *user);
    assert_eq!(store.user_by_social("meadow", "google", "sub").await.unwrap().unwrap(), *user);
    assert!(store.user_by_email("moor", "ada@example.com").await.unwrap().is_none());
    assert!(store.user_by_social("meadow", "facebook", "sub").await.unwrap().is_none());
    assert!(store.user_by_social("moor", "google", "sub").await.unwrap().is_none());
}

pub(crate) async fn an_email_belongs_to_one_user_of_a_channel(backend: impl Backend) {
    let store = backend.store();
    let ada = register(store, "ada@example.com").await;
    let bob = register(store, "bob@example.com").await;
    assert_eq!(
        store.register_user(new_user("ADA@example.com"), None, None, &no_mail).await.unwrap(),
        RegisterResult::EmailTaken
    );
    let change = UserChange { email: Some("Ada@example.com".to_owned()), ..UserChange::default() };
    assert_eq!(store.change_user(bob.id, change.clone(), &[]).await.unwrap(), Some(RegisterResult::EmailTaken));
    assert!(
        matches!(store.change_user(ada.id, change, &[]).await.unwrap(), Some(RegisterResult::New(..))),
        "the user may keep their own email"
    );
    let elsewhere = NewUser { channel_key: "moor".to_owned(), ..new_user("ada@example.com") };
    assert!(matches!(store.register_user(elsewhere, None, None, &no_mail).await.unwrap(), RegisterResult::New(..)));
}

pub(crate) async fn registering_with_a_key_is_all_or_nothing(backend: impl Backend) {
    let store = backend.store();
    let mail = |user: &User| Some(Mail { user_id: Some(user.id), recipient: user.email.clone(), ..Mail::default() });
    let visitor = store.issue_key(new_key("visitor", None), None).await.unwrap().unwrap();
    let registered = store
        .register_user(new_user("ada@example.com"), Some(new_key("hers", None)), Some(visitor.id), &mail)
        .await
        .unwrap();
    let RegisterResult::New(user, Some(key)) = registered else { panic!("{registered:?}") };
    assert_eq!(store.key("hers").await.unwrap().unwrap(), key);
    assert_eq!(key.user_id, Some(user.id));
    let late = store
        .register_user(new_user("bob@example.com"), Some(new_key("his", None)), Some(visitor.id), &mail)
        .await
        .unwrap();
    assert_eq!(late, RegisterResult::KeyRevoked);
    assert!(store.user_by_email("meadow", "bob@example.com").await.unwrap().is_none());
    assert!(store.key("his").await.unwrap().is_none());
    let mails = store.due_mails(AT, 10).await.unwrap();
    let queued: Vec<_> = mails.iter().map(|mail| (mail.user_id, mail.recipient.as_str())).collect();
    assert_eq!(queued, [(Some(user.id), "ada@example.com")]);
}

pub(crate) async fn an_update_changes_only_its_fields_and_a_new_email_is_unverified(backend: impl Backend) {
    let store = backend.store();
    let before = register(store, "ada@example.com").await;
    let verified = UserChange { email_verified: Some(true), ..UserChange::default() };
    store.change_user(before.id, verified, &[]).await.unwrap();
    let change = UserChange { first_name: Some("Augusta".to_owned()), ..UserChange::default() };
    store.change_user(before.id, change, &[]).await.unwrap();
    let mut expected = before.clone();
    (expected.email_verified, expected.first_name) = (true, "Augusta".to_owned());
    assert_eq!(store.user(before.id).await.unwrap().unwrap(), expected);
    let change = UserChange { email: Some("new@example.com".to_owned()), ..UserChange::default() };
    store.change_user(before.id, change, &[]).await.unwrap();
    (expected.email_verified, expected.email) = (false, "new@example.com".to_owned());
    assert_eq!(store.user(before.id).await.unwrap().unwrap(), expected);
    assert_eq!(store.change_user(999, UserChange::default(), &[]).await.unwrap(), None);
}

pub(crate) async fn a_blocked_users_key_is_invalid(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    store.issue_key(new_key("hers", Some(user.id)), None).await.unwrap();
    let block = |blocked| UserChange { blocked: Some(blocked), ..UserChange::default() };
    store.change_user(user.id, block(true), &[]).await.unwrap();
    assert!(store.key("hers").await.unwrap().is_none());
    store.change_user(user.id, block(false), &[]).await.unwrap();
    assert!(store.key("hers").await.unwrap().is_some());
}

pub(crate) async fn an_erased_users_email_can_be_registered_again(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    store.link_social(user.id, "google", "sub", AT).await.unwrap();
    store.issue_key(new_key("hers", Some(user.id)), None).await.unwrap();
    store.add_favorite(new_favorite(user.id, 1), 10, None).await.unwrap();
    store.store_position(user.id, &position(1, AT), 10).await.unwrap();
    assert!(store.erase_user(user.id, AT).await.unwrap());
    assert!(!store.erase_user(user.id, AT).await.unwrap());
    assert!(store.user(user.id).await.unwrap().is_none());
    assert!(store.user_by_email("meadow", "ada@example.com").await.unwrap().is_none());
    assert!(store.user_by_social("meadow", "google", "sub").await.unwrap().is_none());
    assert!(store.key("hers").await.unwrap().is_none());
    assert!(store.favorites(user.id).await.unwrap().is_empty());
    assert!(store.positions(user.id).await.unwrap().is_empty());
    assert_ne!(register(store, "ada@example.com").await.id, user.id);
}

fn position(id: i64, at: i64) -> PlaybackPosition {
    PlaybackPosition { kind: WatchedKind::Event, id, position_ms: 1, duration_ms: 2, at }
}

pub(crate) async fn positions_are_limited_and_the_oldest_deleted(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    for (id, at) in [(1, 30), (2, 10), (3, 20)] {
        store.store_position(user.id, &position(id, at), 2).await.unwrap();
    }
    assert_eq!(store.positions(user.id).await.unwrap(), [position(1, 30), position(3, 20)]);
}

pub(crate) async fn favourites_are_limited(backend: impl Backend) {
    use touchline_store::AddFavoriteResult::{Marked, TooMany};
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let mark = |id| store.add_favorite(new_favorite(user.id, id), 2, None);
    let first = mark(1).await.unwrap();
    assert!(matches!(mark(2).await.unwrap(), Marked(_)));
    assert_eq!(mark(3).await.unwrap(), TooMany);
    assert_eq!(mark(1).await.unwrap(), first, "it already exists");
}
