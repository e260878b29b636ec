use touchline_protocol::rate::Rate;

use crate::{AT, Backend};

pub(crate) async fn a_bucket_empties_and_can_be_filled(backend: impl Backend) {
    let store = backend.store();
    let rate = Rate::new(3, 100_000);
    for _ in 0..3 {
        assert_eq!(store.take_token("ada", rate, AT).await.unwrap(), None);
    }
    let wait = store.take_token("ada", rate, AT).await.unwrap().unwrap();
    assert!(wait > 50_000 && wait <= 100_000, "{wait}");
    assert_eq!(store.take_token("grace", rate, AT).await.unwrap(), None, "another's");
    store.return_token("ada", rate).await.unwrap();
    assert_eq!(store.take_token("ada", rate, AT).await.unwrap(), None);
    assert!(store.take_token("ada", rate, AT).await.unwrap().is_some());
    store.reset_limit("ada").await.unwrap();
    for _ in 0..3 {
        assert_eq!(store.take_token("ada", rate, AT).await.unwrap(), None);
    }
    assert_eq!(store.delete_full_buckets(AT).await.unwrap(), 0);
    assert!(store.take_token("ada", rate, AT).await.unwrap().is_some());
}

/// A store with a single worker.
pub(crate) async fn a_bucket_refills_by_the_workers_clock(backend: impl Backend) {
    let store = backend.store();
    let rate = Rate::new(3, 10_000);
    for _ in 0..3 {
        assert_eq!(store.take_token("ada", rate, AT).await.unwrap(), None);
    }
    assert_eq!(store.take_token("ada", rate, AT + 1_500).await.unwrap(), Some(8_500));
    assert_eq!(store.take_token("ada", rate, AT + 10_000).await.unwrap(), None);
    assert_eq!(store.take_token("ada", rate, AT + 10_000).await.unwrap(), Some(10_000));
    // A full bucket is equivalent to a missing one.
    assert_eq!(store.delete_full_buckets(AT + 40_000).await.unwrap(), 1);
}

/// A store shared by several workers.
pub(crate) async fn a_worker_with_a_fast_clock_locks_out_no_viewer_of_others(backend: impl Backend) {
    let store = backend.store();
    let rate = Rate::new(3, 100_000);
    for _ in 0..3 {
        assert_eq!(store.take_token("ada", rate, AT + 3_600_000).await.unwrap(), None);
    }
    for at in [AT, AT + 3_600_000, AT - 3_600_000] {
        let wait = store.take_token("ada", rate, at).await.unwrap().unwrap();
        assert!(wait <= 100_000, "{wait}");
    }
}
