//! Removes people from queued events and dead letters. Offsets and counts stay the same. Afterwards the queue moves
//! to another folder, because overwritten bytes remain in the old one.

use std::ops::ControlFlow;

use bytes::Bytes;

use super::keys;
use super::store::StoreError;
use super::write_batch::WriteBatch;
use super::writer::Writer;
use crate::chunk;
use crate::dead_letters;
use crate::erase::Person;

/// Values rewritten in one commit.
const VALUES_PER_COMMIT: usize = 200;

impl Writer {
    /// Returns the number of changed events of each person.
    pub(super) fn redact(&mut self, people: &[Person]) -> Result<Vec<u64>, StoreError> {
        let store = self.current_store();
        let mut rewritten: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut changed = vec![0; people.len()];
        store.scan(b"c", b"d", &mut |key, value| {
            if let Some(((table, _), mut chunk)) = keys::read_chunk(key).zip(chunk::unpack(value)) {
                let mut is_changed = false;
                for event in &mut chunk.events {
                    for (person, changed) in people.iter().zip(&mut changed) {
                        let Some(body) = person.strip_body(table, &event.body) else { continue };
                        event.body = body.into();
                        *changed += 1;
                        is_changed = true;
                    }
                }
                if is_changed {
                    rewritten.push((key.to_vec(), chunk::encode(chunk.only.as_deref(), &chunk.events)));
                }
            }
            ControlFlow::Continue(())
        })?;
        store.scan(b"d", b"e", &mut |key, value| {
            if let Some(((_, table, _), (mut refusal, died_us))) =
                keys::read_dead_letter(key).zip(dead_letters::decode(value))
            {
                let mut is_changed = false;
                for (person, changed) in people.iter().zip(&mut changed) {
                    let body = person.strip_body(table, &refusal.event.body);
                    if body.is_some() || person.is_named_in(&refusal.detail) {
                        *changed += 1;
                        is_changed = true;
                        refusal.event.body = body.map_or(refusal.event.body, Bytes::from);
                    }
                }
                if is_changed {
                    // The detail may contain part of the body.
                    refusal.detail.clear();
                    rewritten.push((key.to_vec(), dead_letters::encode(&refusal, died_us)));
                }
            }
            ControlFlow::Continue(())
        })?;
        for values in rewritten.chunks(VALUES_PER_COMMIT) {
            let mut writes = WriteBatch::default();
            for (key, value) in values {
                if let Some((table, _)) = keys::read_chunk(key) {
                    let before = store.get(key)?.map_or(0, |value| value.len() as u64);
                    let table_state = &mut self.state.tables[table.index()];
                    table_state.pending_bytes = (table_state.pending_bytes + value.len() as u64).saturating_sub(before);
                    writes.touch_table(table);
                }
                writes.changes.put(key.clone(), value.clone());
            }
            self.commit(writes, &mut Vec::new())?;
        }
        for person in people {
            self.remember_erased(person)?;
        }
        self.rotate_when_due()?;
        Ok(changed)
    }

    /// Remembers the person for their late events, and that the queue has to leave the folder. Both survive a crash.
    fn remember_erased(&mut self, person: &Person) -> Result<(), StoreError> {
        let mut writes = WriteBatch::default();
        if let Some(deleted_us) = person.deleted_us {
            if self.marks.secret().is_none() {
                let mut secret = [0; 32];
                self.entropy.fill(&mut secret);
                writes.changes.put(keys::MARK_SECRET.to_vec(), secret.to_vec());
                self.marks.set_secret(secret);
            }
            let (new, old) = self.marks.remember(person, deleted_us, self.clock.now().as_microsecond());
            for mark in new {
                writes.changes.put(keys::mark(&mark), deleted_us.to_be_bytes().to_vec());
            }
            for mark in old {
                writes.changes.remove(keys::mark(&mark));
            }
        }
        writes.changes.put(keys::HOLDS_ERASED.to_vec(), Vec::new());
        self.holds_erased = true;
        self.commit(writes, &mut Vec::new())
    }
}
