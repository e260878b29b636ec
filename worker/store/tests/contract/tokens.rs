use crate::{AT, Backend};

pub(crate) async fn a_token_works_once_before_expiry_for_its_subject(backend: impl Backend) {
    let store = backend.store();
    store.store_token("hash", "subject", AT + 10).await.unwrap();
    assert!(!store.use_token("hash", "another", AT).await.unwrap());
    assert!(!store.use_token("hash", "subject", AT + 10).await.unwrap());
    assert!(store.use_token("hash", "subject", AT + 9).await.unwrap());
    assert!(!store.use_token("hash", "subject", AT).await.unwrap());
    assert_eq!(store.delete_expired_tokens(AT + 9).await.unwrap(), 0);
    assert_eq!(store.delete_expired_tokens(AT + 10).await.unwrap(), 1);
}

pub(crate) async fn the_first_stored_value_stays_until_it_is_replaced(backend: impl Backend) {
    assert_eq!(backend.store().stored_value("name", "one").await.unwrap(), "one");
    let backend = backend.reopened().await;
    assert_eq!(backend.store().stored_value("name", "two").await.unwrap(), "one");
    for (name, value) in [("name", "three"), ("other", "four")] {
        backend.store().replace_stored_value(name, value).await.unwrap();
        assert_eq!(backend.store().stored_value(name, "five").await.unwrap(), value);
    }
}
