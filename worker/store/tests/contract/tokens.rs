use crate::{AT, Backend};

pub(crate) async fn a_token_works_once_in_time_for_its_subject(backend: impl Backend) {
    let store = backend.store();
    store.give_token("hash", "subject", AT + 10).await.unwrap();
    assert!(!store.use_token("hash", "another", AT).await.unwrap());
    assert!(!store.use_token("hash", "subject", AT + 10).await.unwrap());
    assert!(store.use_token("hash", "subject", AT + 9).await.unwrap());
    assert!(!store.use_token("hash", "subject", AT).await.unwrap());
    assert_eq!(store.forget_tokens(AT + 9).await.unwrap(), 0);
    assert_eq!(store.forget_tokens(AT + 10).await.unwrap(), 1);
}

pub(crate) async fn a_first_value_is_kept_for_ever(backend: impl Backend) {
    assert_eq!(backend.store().remembered("name", "one").await.unwrap(), "one");
    let backend = backend.reopened().await;
    assert_eq!(backend.store().remembered("name", "two").await.unwrap(), "one");
}
