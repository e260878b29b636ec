//! Addresses revoked before they expire: those of ended sessions, and those issued to a user before their rights
//! changed. They are held in memory, so that segment requests do not read the store.

use std::collections::VecDeque;

use foldhash::HashMap;
use touchline_protocol::limits::Limit;
use touchline_store::{KeyId, Revoked};

use super::signing::{Grant, LIFETIME_S};

/// Maximum number of sessions and users remembered, about 8 MB. The oldest are dropped, and all addresses issued before
/// them are revoked: players request new ones.
pub(super) const CAPACITY: usize = 100_000;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "media.revocations",
    CAPACITY as u64,
    "sessions and people",
    "Sessions and people whose revoked addresses are remembered; above it all older addresses are revoked.",
)];
/// Time in milliseconds after which earlier addresses have expired anyway.
const REMEMBERED_MS: i64 = LIFETIME_S * 1000;

/// Recent revocations.
#[derive(Debug, Default)]
pub(super) struct Revocations {
    at: HashMap<Revoked, i64>,
    oldest_first: VecDeque<(Revoked, i64)>,
    /// Every address issued until then is revoked, in milliseconds since 1970.
    everything_until: i64,
}

impl Revocations {
    /// Revokes the addresses issued until now.
    pub(super) fn add(&mut self, revoked: Revoked, now_ms: i64) {
        self.add_within(CAPACITY, revoked, now_ms);
    }

    fn add_within(&mut self, capacity: usize, revoked: Revoked, now_ms: i64) {
        self.at.insert(revoked.clone(), now_ms);
        self.oldest_first.push_back((revoked, now_ms));
        while let Some(&(_, at)) = self.oldest_first.front() {
            let is_over = now_ms.saturating_sub(at) > REMEMBERED_MS;
            if !is_over && self.oldest_first.len() <= capacity {
                break;
            }
            let Some((oldest, at)) = self.oldest_first.pop_front() else { break };
            if self.at.get(&oldest) == Some(&at) {
                self.at.remove(&oldest);
                if !is_over {
                    self.everything_until = self.everything_until.max(at);
                }
            }
        }
    }

    /// Revokes every address issued until now.
    pub(super) fn add_everything(&mut self, now_ms: i64) {
        self.everything_until = self.everything_until.max(now_ms);
    }

    /// Returns whether the channel's address is revoked.
    pub(super) fn covers(&self, channel_key: &str, grant: &Grant) -> bool {
        let is_earlier = |revoked| self.at.get(&revoked).is_some_and(|&at| grant.issued_ms <= at);
        grant.issued_ms <= self.everything_until
            || match grant.key_id {
                KeyId::Stored(id) => self.at.contains_key(&Revoked::Session(id)),
                KeyId::Token(_) => is_earlier(Revoked::Visitors(channel_key.to_owned())),
            }
            || grant.user_id.is_some_and(|id| is_earlier(Revoked::Person(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(issued_ms: i64, key_id: i64, user_id: i64) -> Grant {
        Grant { issued_ms, key_id: KeyId::Stored(key_id), user_id: Some(user_id) }
    }

    #[test]
    fn a_revoked_session_stays_revoked_and_a_user_gets_new_addresses() {
        let mut revocations = Revocations::default();
        revocations.add(Revoked::Session(3), 1000);
        revocations.add(Revoked::Person(7), 2000);
        assert!(revocations.covers("meadow", &grant(500, 3, 8)) && revocations.covers("meadow", &grant(5000, 3, 8)));
        assert!(revocations.covers("meadow", &grant(2000, 4, 7)) && !revocations.covers("meadow", &grant(2001, 4, 7)));
        assert!(!revocations.covers("meadow", &grant(500, 4, 8)));
        assert!(!revocations.covers("meadow", &Grant { issued_ms: 500, key_id: KeyId::Stored(7), user_id: None }));
    }

    #[test]
    fn the_end_of_a_channels_visitors_revokes_their_earlier_addresses_alone() {
        let mut revocations = Revocations::default();
        revocations.add(Revoked::Visitors("meadow".to_owned()), 2000);
        let of_visitor = |issued_ms| Grant { issued_ms, key_id: KeyId::Token(3), user_id: None };
        assert!(revocations.covers("meadow", &of_visitor(2000)) && !revocations.covers("meadow", &of_visitor(2001)));
        assert!(!revocations.covers("moor", &of_visitor(2000)));
        assert!(!revocations.covers("meadow", &grant(2000, 3, 7)));
    }

    #[test]
    fn revocations_older_than_any_address_are_dropped() {
        let mut revocations = Revocations::default();
        revocations.add(Revoked::Session(3), 0);
        revocations.add(Revoked::Session(4), REMEMBERED_MS);
        assert!(revocations.covers("meadow", &grant(1, 3, 8)));
        revocations.add(Revoked::Session(5), REMEMBERED_MS + 1);
        assert_eq!((revocations.at.len(), revocations.oldest_first.len(), revocations.everything_until), (2, 2, 0));
    }

    #[test]
    fn above_the_capacity_dropped_revocations_still_apply() {
        let mut revocations = Revocations::default();
        for id in 0..1000 {
            revocations.add_within(10, Revoked::Session(id), 1000 + id);
            revocations.add_within(10, Revoked::Person(1), 1000 + id);
        }
        assert!(revocations.at.len() <= 10 && revocations.oldest_first.len() <= 10);
        for id in 0..1000 {
            assert!(revocations.covers("meadow", &grant(1000 + id, id, 2)), "{id}");
        }
        assert!(!revocations.covers("meadow", &grant(2000, 1000, 2)));
    }
}
