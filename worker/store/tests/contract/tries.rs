use touchline_protocol::rate::Rate;

use crate::{AT, Backend};

pub(crate) async fn a_bucket_empties_fills_with_time_and_can_be_filled(backend: impl Backend) {
    let store = backend.store();
    let rate = Rate::new(3, 10_000);
    for _ in 0..3 {
        assert_eq!(store.take_try("ada", rate, AT).await.unwrap(), None);
    }
    assert_eq!(store.take_try("ada", rate, AT).await.unwrap(), Some(10_000));
    assert_eq!(store.take_try("grace", rate, AT).await.unwrap(), None, "another's");
    assert_eq!(store.take_try("ada", rate, AT + 1_500).await.unwrap(), Some(8_500));
    assert_eq!(store.take_try("ada", rate, AT + 10_000).await.unwrap(), None);
    assert_eq!(store.take_try("ada", rate, AT + 10_000).await.unwrap(), Some(10_000));
    store.give_back_try("ada", rate).await.unwrap();
    assert_eq!(store.take_try("ada", rate, AT + 10_000).await.unwrap(), None);
    store.forgive_tries("ada").await.unwrap();
    for _ in 0..3 {
        assert_eq!(store.take_try("ada", rate, AT + 10_000).await.unwrap(), None);
    }
    // One whose tokens are all there again is as one that is not there.
    assert_eq!(store.forget_tries(AT + 10_000).await.unwrap(), 1);
    assert!(store.take_try("ada", rate, AT + 10_000).await.unwrap().is_some());
}
