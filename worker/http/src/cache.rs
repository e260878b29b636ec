//! Bodies in memory, up to a size.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use moka::future::Cache;
use moka::policy::EvictionPolicy;

use crate::body::NegotiatedBody;

/// Memory per entry in addition to its key and body.
const OVERHEAD: usize = 512;

/// Bodies by key; the least recently used are dropped first.
#[derive(Clone)]
pub struct BodyCache<K>(Cache<K, Arc<NegotiatedBody>>);

impl<K> fmt::Debug for BodyCache<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BodyCache").finish_non_exhaustive()
    }
}

impl<K: Hash + Eq + Send + Sync + 'static> BodyCache<K> {
    /// Creates a cache of `max_bytes`, including keys and every encoding. `key_bytes` returns the memory of a key.
    pub fn new(max_bytes: u64, key_bytes: impl Fn(&K) -> usize + Send + Sync + 'static) -> Self {
        let weight = move |key: &K, body: &Arc<NegotiatedBody>| {
            u32::try_from(key_bytes(key) + body.max_bytes() + OVERHEAD).unwrap_or(u32::MAX)
        };
        // Other policies would reject the bodies of a changed channel, because those of before were requested more.
        let policy = EvictionPolicy::lru();
        Self(Cache::builder().max_capacity(max_bytes).eviction_policy(policy).weigher(weight).build())
    }

    /// Returns the body of a key.
    pub async fn get(&self, key: &K) -> Option<Arc<NegotiatedBody>> {
        self.0.get(key).await
    }

    /// Stores a body. Returns the stored one, which another request may have created first.
    pub async fn insert(&self, key: K, body: NegotiatedBody) -> Arc<NegotiatedBody> {
        let body = self.0.entry(key).or_insert(Arc::new(body)).await.into_value();
        // Without this, many bodies could be stored before the first is dropped.
        self.0.run_pending_tasks().await;
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Effort;

    const MAX_BYTES: u64 = 1 << 20;

    fn body(bytes: usize) -> NegotiatedBody {
        NegotiatedBody::new(vec![b' '; bytes], "application/json", Effort::Low)
    }

    #[tokio::test]
    async fn the_oldest_entries_are_dropped_at_the_limit() {
        let cache = BodyCache::new(MAX_BYTES, |_: &i32| 4);
        for key in 0..5 {
            cache.insert(key, body(MAX_BYTES as usize / 12)).await;
        }
        let mut are_cached = Vec::new();
        for key in 0..5 {
            are_cached.push(cache.get(&key).await.is_some());
        }
        assert_eq!(are_cached, [false, false, true, true, true]);
    }

    /// `LIM-6`: small bodies under long keys too.
    #[tokio::test]
    async fn keys_count() {
        let cache = BodyCache::new(MAX_BYTES, String::len);
        for key in 0..5_000 {
            cache.insert(format!("{key:01000}"), body(2)).await;
        }
        let count = cache.0.entry_count();
        assert!((500..=1000).contains(&count) && cache.0.weighted_size() <= MAX_BYTES, "{count}");
    }

    #[tokio::test]
    async fn the_body_that_was_stored_first_stays() {
        let cache = BodyCache::new(MAX_BYTES, |_: &i32| 4);
        let first = cache.insert(1, body(5)).await;
        assert!(Arc::ptr_eq(&first, &cache.insert(1, body(6)).await));
    }
}
