//! API keys: 256 random bits, stored hashed; those used lately are remembered.

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
use touchline_store::{Change, KeyRecord, Store, StoreResult};

/// How long a key that was found is not looked up again: with several workers on one store, the longest time for which a
/// revoked key still works at another one that does not hear of it.
const REMEMBERED_MS: i64 = 10_000;
/// How many keys are remembered at most.
const CAPACITY: usize = 100_000;
/// How exactly the store knows when a key was last used.
const SEEN_MS: i64 = 5 * 60_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("keys.remembered", CAPACITY as u64, "keys", "API keys whose holder is remembered in memory."),
    Limit::millis("keys.remembered_for", REMEMBERED_MS as u64, "How long such a memory is believed."),
];

/// What an API key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The key's own id, for revoking.
    pub key_id: i64,
    /// The channel that it was given for.
    pub channel_key: String,
    /// The person, when logged in with nothing left to do before: whoever must change their password acts as a visitor.
    pub user_id: Option<i64>,
    /// The person, when logged in, even with a temporary password.
    pub person_id: Option<i64>,
}

/// The keys that were used lately.
#[derive(Debug, Default)]
pub struct Keyring(RwLock<Kept>);

#[derive(Debug, Default)]
struct Kept {
    keys: HashMap<[u8; 32], Remembered>,
    /// How often something was forgotten: what was looked up before that is not remembered after it.
    forgotten: u64,
}

#[derive(Debug, Clone)]
struct Remembered {
    identity: Identity,
    until: i64,
    seen_noted_at: i64,
}

/// A key and what the store keeps of it.
#[derive(Clone)]
pub struct FreshKey {
    /// What the caller is given.
    pub secret: String,
    /// What the store keeps, hexadecimal.
    pub hash: String,
}

impl FreshKey {
    /// A new key.
    pub fn draw(entropy: &dyn Entropy) -> Self {
        let secret = random_token(entropy);
        let hash = hex::encode(digest(&secret));
        Self { secret, hash }
    }
}

/// 256 random bits as text that is safe in a URL.
pub fn random_token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// SHA-256, which is enough for what is random: nobody can guess it by trying.
pub fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

impl Keyring {
    /// What a key stands for.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn identity(&self, store: &dyn Store, clock: &dyn Clock, api_key: &str) -> StoreResult<Option<Identity>> {
        let hash = digest(api_key);
        let now = clock.now_ms();
        let (remembered, forgotten) = {
            let cache = self.0.read();
            (cache.keys.get(&hash).filter(|key| now < key.until).cloned(), cache.forgotten)
        };
        if let Some(key) = remembered {
            if now - key.seen_noted_at >= SEEN_MS {
                store.record_key_use(key.identity.key_id, now).await?;
                self.remember(hash, Remembered { seen_noted_at: now, ..key.clone() }, forgotten, now);
            }
            return Ok(Some(key.identity));
        }
        let Some(record) = store.key(&hex::encode(hash)).await? else {
            self.0.write().keys.remove(&hash);
            return Ok(None);
        };
        let mut seen = record.last_seen_at;
        // A person's devices are those that used their key at all; of visitors nobody asks.
        let is_first_use = record.user_id.is_some() && !record.was_used();
        if is_first_use || now - seen >= SEEN_MS {
            seen = now.max(record.created_at + 1);
            store.record_key_use(record.id, seen).await?;
        }
        let identity = identity_of(record);
        let key = Remembered { identity: identity.clone(), until: now + REMEMBERED_MS, seen_noted_at: seen };
        self.remember(hash, key, forgotten, now);
        Ok(Some(identity))
    }

    /// Forgets keys at once, since they stopped working or stand for someone else.
    pub fn forget(&self, key_ids: &[i64]) {
        self.forget_where(|identity| key_ids.contains(&identity.key_id));
    }

    /// Forgets the keys of a person at once.
    pub fn forget_user(&self, user_id: i64) {
        self.forget_where(|identity| identity.person_id == Some(user_id));
    }

    /// Forgets what other workers on the same store have ended, until it is told to stop.
    pub async fn follow(self: Arc<Self>, store: Arc<dyn Store>, cancel: CancellationToken) {
        let mut changes = store.changes();
        while let Some(change) = cancel.run_until_cancelled(changes.recv()).await {
            match change {
                Ok(Change::Status(_)) => {}
                Ok(Change::KeysRevoked(ids)) => self.forget(&ids),
                Ok(Change::RightsChanged(user_id)) => self.forget_user(user_id),
                // Nobody knows what was missed.
                Ok(Change::Missed) | Err(RecvError::Lagged(_)) => self.forget_where(|_| true),
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn forget_where(&self, goes: impl Fn(&Identity) -> bool) {
        let mut cache = self.0.write();
        cache.forgotten += 1;
        cache.keys.retain(|_, key| !goes(&key.identity));
    }

    fn remember(&self, hash: [u8; 32], key: Remembered, forgotten: u64, now: i64) {
        let mut cache = self.0.write();
        if cache.forgotten != forgotten {
            return;
        }
        if cache.keys.len() >= CAPACITY {
            cache.keys.retain(|_, key| now < key.until);
        }
        if cache.keys.len() < CAPACITY {
            cache.keys.insert(hash, key);
        }
    }
}

fn identity_of(record: KeyRecord) -> Identity {
    Identity {
        key_id: record.id,
        channel_key: record.channel_key,
        user_id: record.user_id.filter(|_| !record.must_change_password),
        person_id: record.user_id,
    }
}
