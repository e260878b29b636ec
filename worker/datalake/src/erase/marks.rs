//! Keyed hashes of erased people, so that their late events can be stripped before they are queued.

use std::collections::HashMap;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use touchline_protocol::limits::Limit;

use super::{Person, addresses};

/// Time for which an erased person is remembered, in microseconds: two years.
const RETENTION_US: i64 = 730 * 24 * 3600 * 1_000_000;
/// Remembered hashes, two for each person. The oldest are dropped first.
const CAPACITY: usize = 400_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis(
        "analytics.erased_for",
        (RETENTION_US / 1000) as u64,
        "How long keyed hashes of erased people are retained, to strip personal data from late events.",
    ),
    Limit::count(
        "analytics.erased",
        CAPACITY as u64,
        "hashes",
        "Hashes of erased people, two for each. The oldest are dropped first.",
    ),
];

/// A keyed hash of an id or an address.
pub(crate) type Mark = [u8; 16];

#[derive(Debug, Default)]
pub(crate) struct Marks {
    secret: Option<[u8; 32]>,
    /// When each account was deleted, Unix microseconds.
    deleted_us: HashMap<Mark, i64>,
}

impl Marks {
    pub(crate) fn new(secret: Option<[u8; 32]>, deleted_us: HashMap<Mark, i64>) -> Self {
        Self { secret, deleted_us }
    }

    /// The key of the hashes; `None` before the first erasure.
    pub(crate) fn secret(&self) -> Option<&[u8; 32]> {
        self.secret.as_ref()
    }

    pub(crate) fn set_secret(&mut self, secret: [u8; 32]) {
        self.secret = Some(secret);
    }

    /// Remembers a person. Returns their marks, and the dropped marks that are too old or too many.
    pub(crate) fn remember(&mut self, person: &Person, deleted_us: i64, now_us: i64) -> (Vec<Mark>, Vec<Mark>) {
        let address = person.email.as_deref().and_then(addresses::reduced);
        let new: Vec<_> = [
            person.user_id.as_deref().and_then(|id| self.mark("id", id)),
            address.as_deref().and_then(|address| self.mark("address", address)),
        ]
        .into_iter()
        .flatten()
        .collect();
        for mark in &new {
            self.deleted_us.insert(*mark, deleted_us);
        }
        let mut old: Vec<_> = self
            .deleted_us
            .iter()
            .filter(|(_, deleted)| now_us - **deleted > RETENTION_US)
            .map(|(mark, _)| *mark)
            .collect();
        if self.deleted_us.len() - old.len() > CAPACITY {
            let mut by_age: Vec<_> = self.deleted_us.iter().map(|(mark, deleted)| (*deleted, *mark)).collect();
            by_age.sort_unstable();
            by_age.truncate(self.deleted_us.len() - CAPACITY);
            old = by_age.into_iter().map(|(_, mark)| mark).collect();
        }
        for mark in &old {
            self.deleted_us.remove(mark);
        }
        (new, old)
    }

    /// The erased person that an event names: by id at any time, by address only if the event happened before the
    /// erasure, because the address may belong to someone else later.
    pub(crate) fn person_in(&self, body: &[u8], occurred_us: i64) -> Option<Person> {
        if self.deleted_us.is_empty() {
            return None;
        }
        let body = std::str::from_utf8(body).ok()?;
        let user_id = ids_in(body).find(|id| self.deletion_us("id", id).is_some()).map(str::to_owned);
        let mut email = None;
        addresses::each(body, &mut |address| {
            if self.deletion_us("address", address).is_some_and(|deleted| occurred_us <= deleted) {
                email = Some(address.to_owned());
            }
        });
        (user_id.is_some() || email.is_some()).then_some(Person { user_id, email, deleted_us: None })
    }

    fn deletion_us(&self, kind: &str, text: &str) -> Option<i64> {
        self.deleted_us.get(&self.mark(kind, text)?).copied()
    }

    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length and gives 32 bytes")]
    fn mark(&self, kind: &str, text: &str) -> Option<Mark> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_ref()?).expect("HMAC takes a key of any length");
        mac.update(kind.as_bytes());
        mac.update(b"\0");
        mac.update(text.as_bytes());
        let hash: [u8; 32] = mac.finalize().into_bytes().into();
        Some(*hash.first_chunk().expect("the hash has 32 bytes"))
    }
}

/// The values of `user_id` in a document, at any depth.
fn ids_in(document: &str) -> impl Iterator<Item = &str> {
    document.match_indices("\"user_id\"").filter_map(|(at, name)| {
        let value = document[at + name.len()..].trim_start().strip_prefix(':')?.trim_start();
        let value = value.strip_prefix('"').unwrap_or(value);
        let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))?;
        Some(&value[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELETED: i64 = 1_795_255_200_000_000;

    fn marks() -> Marks {
        let mut marks = Marks::default();
        marks.set_secret([7; 32]);
        let ann = Person { user_id: Some("7".into()), email: Some("ann@example.com".into()), deleted_us: None };
        let (new, old) = marks.remember(&ann, DELETED, DELETED);
        assert_eq!((new.len(), old.len()), (2, 0));
        marks
    }

    #[test]
    fn an_erased_person_is_found_by_id_at_any_time_and_by_address_in_earlier_events() {
        let (id, address) = (Some("7".to_owned()), Some("ann@example.com".to_owned()));
        let late = r#"{"event":"e","user_id":7,"user_email":"Ann@Example.com"}"#;
        let person = |body: &str, at| marks().person_in(body.as_bytes(), at).map(|found| (found.user_id, found.email));
        assert_eq!(person(late, DELETED - 1), Some((id.clone(), address.clone())));
        assert_eq!(person(late, DELETED + 1), Some((id.clone(), None)));
        assert_eq!(person(r#"{"extras":{"by":{"user_id" : "7"}}}"#, DELETED + 1), Some((id, None)));
        let url = r#"{"event":"e","origin_url":"/verify-email?email=ann%40example.com"}"#;
        assert_eq!(person(url, DELETED), Some((None, address)));
        assert_eq!(person(url, DELETED + 1), None);
        for other in [r#"{"user_id":77}"#, r#"{"user_email":"joann@example.com"}"#, r#"{"n":7}"#, "{}"] {
            assert_eq!(person(other, DELETED), None, "{other}");
        }
    }

    #[test]
    fn marks_are_forgotten_after_two_years() {
        let mut marks = marks();
        let bo = Person { user_id: Some("8".into()), ..Person::default() };
        let (new, old) = marks.remember(&bo, DELETED + RETENTION_US + 1, DELETED + RETENTION_US + 1);
        assert_eq!((new.len(), old.len()), (1, 2));
        assert!(marks.person_in(br#"{"user_id":7}"#, DELETED).is_none());
        assert!(marks.person_in(br#"{"user_id":8}"#, DELETED).is_some());
    }
}
