//! Issues signed addresses and checks each request for later changes: a session that ended, changed rights, or too many
//! networks at once (`MEDIA-1`, `MEDIA-2`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_store::{Change, Revoked, Store, StoreResult};

use super::networks::Networks;
use super::revocations::{CAPACITY, Revocations};
use super::signing::{Grant, LIFETIME_S, MediaSigner, Purpose, Refusal};

/// Interval for reading changes while no files are requested.
const READ_INTERVAL: Duration = Duration::from_secs(1);
/// Margin for changes before a start: their time in the store is before the commit, and an address may have been issued
/// in between.
const COMMIT_MS: i64 = 60_000;

/// Issues signed addresses and checks requests against them.
#[derive(Debug)]
pub struct MediaPasses {
    signer: MediaSigner,
    revocations: RwLock<Revocations>,
    networks: Networks,
    changes: Mutex<broadcast::Receiver<Change>>,
}

/// An issued address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// Path segment that opens the mount.
    pub segment: String,
    /// Expiry, in Unix seconds.
    pub expires: i64,
}

impl MediaPasses {
    /// Creates the signer with this secret, and loads recent revocations from the store.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(secret: [u8; 32], store: &dyn Store, now_ms: i64) -> StoreResult<Self> {
        // Subscribe before reading the store, so that no change is missed.
        let changes = Mutex::new(store.changes());
        let mut revocations = Revocations::default();
        let since = now_ms - LIFETIME_S * 1000 - COMMIT_MS;
        // One over the capacity, so that an overflow is noticed.
        for (revoked, at) in store.revoked_since(since, CAPACITY + 1).await? {
            revocations.add(revoked, (at + COMMIT_MS).min(now_ms));
        }
        let (revocations, networks) = (RwLock::new(revocations), Networks::default());
        Ok(Self { signer: MediaSigner::new(secret), revocations, networks, changes })
    }

    /// Issues an address of this mount for `grant`.
    pub fn issue(&self, purpose: Purpose, channel_key: &str, mount: &str, grant: &Grant) -> Pass {
        let segment = self.signer.pass(purpose, channel_key, mount, grant);
        Pass { segment, expires: grant.expires_s() }
    }

    /// Checks a request with this pass and returns its expiry, in Unix seconds.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn admit(
        &self,
        purpose: Purpose,
        (channel, mount): (&str, &str),
        pass: &str,
        address: IpAddr,
        now_ms: i64,
    ) -> Result<i64, Refusal> {
        let grant = self.signer.check(purpose, channel, mount, pass, now_ms.div_euclid(1000))?;
        self.apply_changes(now_ms);
        if self.revocations.read().covers(channel, &grant) {
            return Err(Refusal::Ended);
        }
        let mut hasher = DefaultHasher::new();
        pass.hash(&mut hasher);
        let is_admitted = self.networks.admits(hasher.finish(), address, now_ms);
        if is_admitted { Ok(grant.expires_s()) } else { Err(Refusal::Shared) }
    }

    /// Reads the store's new changes.
    fn apply_changes(&self, now_ms: i64) {
        let mut changes = self.changes.lock();
        loop {
            match changes.try_recv() {
                Ok(Change::Status(_)) => {}
                Ok(Change::KeysRevoked(ids)) => {
                    let mut revocations = self.revocations.write();
                    ids.iter().for_each(|&id| revocations.add(Revoked::Session(id), now_ms));
                }
                Ok(Change::RightsChanged(user_id)) => {
                    self.revocations.write().add(Revoked::Person(user_id), now_ms);
                }
                Ok(Change::VisitorsEnded(channel_key)) => {
                    self.revocations.write().add(Revoked::Visitors(channel_key.to_string()), now_ms);
                }
                // The missed changes are unknown, so every address is revoked. Players request new ones, which only
                // authorised viewers get.
                Ok(Change::Missed) | Err(TryRecvError::Lagged(_)) => self.revocations.write().add_everything(now_ms),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Reads changes while no files are requested, so that none are missed, until cancelled.
    pub async fn run(&self, clock: SharedClock, cancel: CancellationToken) {
        while cancel.run_until_cancelled(tokio::time::sleep(READ_INTERVAL)).await.is_some() {
            self.apply_changes(clock.now_ms());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use touchline_store::KeyId;

    use super::*;

    const NOW_MS: i64 = 1_700_000_000_000;

    /// However many changes arrive, no revocation is missed.
    #[test]
    fn missed_changes_revoke_every_earlier_address() {
        let (sender, changes) = broadcast::channel(1);
        let passes = MediaPasses {
            signer: MediaSigner::new([7; 32]),
            revocations: RwLock::default(),
            networks: Networks::default(),
            changes: Mutex::new(changes),
        };
        let grant = |issued_ms| Grant { issued_ms, key_id: KeyId::Stored(3), user_id: None };
        let opens = |issued_ms| {
            let pass = passes.signer.pass(Purpose::Watch, "meadow", "e1", &grant(issued_ms));
            passes.admit(Purpose::Watch, ("meadow", "e1"), &pass, Ipv4Addr::UNSPECIFIED.into(), NOW_MS)
        };
        assert!(opens(NOW_MS - 1).is_ok());
        sender.send(Change::RightsChanged(1)).unwrap();
        assert!(opens(NOW_MS - 1).is_ok(), "of another user");
        sender.send(Change::RightsChanged(1)).unwrap();
        sender.send(Change::RightsChanged(1)).unwrap();
        assert_eq!(opens(NOW_MS), Err(Refusal::Ended));
        assert!(opens(NOW_MS + 1).is_ok());
    }
}
