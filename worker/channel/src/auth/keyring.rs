//! API keys: a person's is 256 random bits, stored as a hash; a visitor's is a signed token. Recently used keys of
//! people are cached.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use foldhash::HashMap;
use parking_lot::RwLock;
use sha2::{Digest, Sha256};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::{Clock, Entropy};
use touchline_protocol::limits::Limit;
use touchline_store::{Change, KeyId, KeyRecord, Store, StoreResult};

use super::visitor_tokens::{TokenSigner, VisitorToken, is_token};

/// Lifetime of a cached key or generation. With several workers on one store, a revoked key works at most this long on a
/// worker that misses the revocation.
const CACHE_LIFETIME_MS: i64 = 10_000;
/// Limit of cached keys.
const MAX_CACHED_KEYS: usize = 100_000;
/// Precision of a key's time of last use in the store.
const LAST_USE_PRECISION_MS: i64 = 5 * 60_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("keys.remembered", MAX_CACHED_KEYS as u64, "keys", "Cached API keys."),
    Limit::millis("keys.remembered_for", CACHE_LIFETIME_MS as u64, "Lifetime of a cached API key."),
];

/// Identity behind an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The session.
    pub key_id: KeyId,
    /// The channel that issued the key.
    pub channel_key: String,
    /// The id of a logged-in person without a temporary password. A person who must change their password acts as a
    /// visitor.
    pub user_id: Option<i64>,
    /// The id of a logged-in person, even with a temporary password.
    pub person_id: Option<i64>,
}

/// Signer of visitors' keys, and cache of recently used keys.
pub(crate) struct Keyring {
    signer: TokenSigner,
    cache: RwLock<Cache>,
}

// The secret must not reach a log.
impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Keyring")
    }
}

#[derive(Debug, Default)]
struct Cache {
    keys: HashMap<[u8; 32], CachedKey>,
    /// Generations of visitors' keys and the time until which they are valid, by channel.
    generations: HashMap<String, (i64, i64)>,
    /// Count of invalidations. A lookup from before an invalidation is not cached after it.
    invalidations: u64,
}

#[derive(Debug, Clone)]
struct CachedKey {
    id: i64,
    identity: Identity,
    until: i64,
    last_use_stored_at: i64,
}

/// A new key and its stored hash.
#[derive(Clone)]
pub(crate) struct FreshKey {
    /// The key for the caller.
    pub(crate) secret: String,
    /// The stored hash, hexadecimal.
    pub(crate) hash: String,
}

impl FreshKey {
    /// Draws a new key.
    pub(crate) fn draw(entropy: &dyn Entropy) -> Self {
        let secret = random_token(entropy);
        let hash = hex::encode(digest(&secret));
        Self { secret, hash }
    }
}

/// Returns 256 random bits as URL-safe text.
pub(crate) fn random_token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// SHA-256 suffices for a random secret, which cannot be guessed.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

impl Keyring {
    /// `secret` is the same at all workers of the store.
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self { signer: TokenSigner::new(secret), cache: RwLock::default() }
    }

    /// A new key for a visitor of a channel. Nothing is stored.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn visitor_key(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        entropy: &dyn Entropy,
        channel_key: &str,
    ) -> StoreResult<String> {
        let now = clock.now_ms();
        let generation = self.generation(store, channel_key, now).await?;
        Ok(self.signer.sign(&VisitorToken::draw(entropy, channel_key, generation, now)))
    }

    /// The identity behind a key.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn identity(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        api_key: &str,
    ) -> StoreResult<Option<Identity>> {
        let now = clock.now_ms();
        if is_token(api_key) {
            return self.visitor(store, api_key, now).await;
        }
        let hash = digest(api_key);
        let (remembered, invalidations) = {
            let cache = self.cache.read();
            (cache.keys.get(&hash).filter(|key| now < key.until).cloned(), cache.invalidations)
        };
        if let Some(key) = remembered {
            if now - key.last_use_stored_at >= LAST_USE_PRECISION_MS {
                store.record_key_use(key.id, now).await?;
                self.remember(hash, CachedKey { last_use_stored_at: now, ..key.clone() }, invalidations, now);
            }
            return Ok(Some(key.identity));
        }
        let Some(record) = store.key(&hex::encode(hash)).await? else {
            self.cache.write().keys.remove(&hash);
            return Ok(None);
        };
        let mut seen = record.last_seen_at;
        // The list of a person's devices omits keys that were never used. Visitors' keys are in no list.
        let is_first_use = record.user_id.is_some() && !record.was_used();
        if is_first_use || now - seen >= LAST_USE_PRECISION_MS {
            seen = now.max(record.created_at + 1);
            store.record_key_use(record.id, seen).await?;
        }
        let id = record.id;
        let identity = identity_of(record);
        let key =
            CachedKey { id, identity: identity.clone(), until: now + CACHE_LIFETIME_MS, last_use_stored_at: seen };
        self.remember(hash, key, invalidations, now);
        Ok(Some(identity))
    }

    /// The identity behind a visitor's token.
    async fn visitor(&self, store: &dyn Store, api_key: &str, now: i64) -> StoreResult<Option<Identity>> {
        let Some(token) = self.signer.read(api_key) else { return Ok(None) };
        let generation = self.generation(store, &token.channel_key, now).await?;
        if !token.is_valid(now, generation) {
            return Ok(None);
        }
        let VisitorToken { bits, channel_key, .. } = token;
        Ok(Some(Identity { key_id: KeyId::Token(bits), channel_key, user_id: None, person_id: None }))
    }

    /// The current generation of a channel's tokens.
    async fn generation(&self, store: &dyn Store, channel_key: &str, now: i64) -> StoreResult<i64> {
        let (remembered, invalidations) = {
            let cache = self.cache.read();
            (cache.generations.get(channel_key).copied(), cache.invalidations)
        };
        if let Some((generation, until)) = remembered
            && now < until
        {
            return Ok(generation);
        }
        let generation = store.key_generation(channel_key).await?;
        let mut cache = self.cache.write();
        if cache.invalidations == invalidations {
            cache.generations.insert(channel_key.to_owned(), (generation, now + CACHE_LIFETIME_MS));
        }
        Ok(generation)
    }

    /// Drops keys that were revoked or changed their owner.
    pub(crate) fn forget(&self, key_ids: &[i64]) {
        self.forget_where(|key| key_ids.contains(&key.id));
    }

    /// Drops a person's keys.
    pub(crate) fn forget_user(&self, user_id: i64) {
        self.forget_where(|key| key.identity.person_id == Some(user_id));
    }

    /// Drops the generation of a channel's tokens.
    pub(crate) fn forget_generation(&self, channel_key: &str) {
        let mut cache = self.cache.write();
        cache.invalidations += 1;
        cache.generations.remove(channel_key);
    }

    /// Drops keys that other workers on the same store changed, until cancelled.
    pub(crate) async fn follow(self: Arc<Self>, store: Arc<dyn Store>, cancel: CancellationToken) {
        let mut changes = store.changes();
        while let Some(change) = cancel.run_until_cancelled(changes.recv()).await {
            match change {
                Ok(Change::Status(_)) => {}
                Ok(Change::KeysRevoked(ids)) => self.forget(&ids),
                Ok(Change::RightsChanged(user_id)) => self.forget_user(user_id),
                Ok(Change::VisitorsEnded(channel_key)) => self.forget_generation(&channel_key),
                // The missed changes are unknown.
                Ok(Change::Missed) | Err(RecvError::Lagged(_)) => {
                    self.forget_where(|_| true);
                    self.cache.write().generations.clear();
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn forget_where(&self, goes: impl Fn(&CachedKey) -> bool) {
        let mut cache = self.cache.write();
        cache.invalidations += 1;
        cache.keys.retain(|_, key| !goes(key));
    }

    fn remember(&self, hash: [u8; 32], key: CachedKey, invalidations: u64, now: i64) {
        let mut cache = self.cache.write();
        if cache.invalidations != invalidations {
            return;
        }
        if cache.keys.len() >= MAX_CACHED_KEYS {
            cache.keys.retain(|_, key| now < key.until);
        }
        if cache.keys.len() < MAX_CACHED_KEYS {
            cache.keys.insert(hash, key);
        }
    }
}

fn identity_of(record: KeyRecord) -> Identity {
    Identity {
        key_id: KeyId::Stored(record.id),
        channel_key: record.channel_key,
        user_id: record.user_id.filter(|_| !record.must_change_password),
        person_id: record.user_id,
    }
}
