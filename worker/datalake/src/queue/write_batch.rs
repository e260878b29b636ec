//! The changes of one commit, collected from all waiting commands.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use uuid::Uuid;

use super::state::State;
use super::store::{Changes, Store, StoreError};
use super::{ids, keys};
use crate::chunk::Packer;
use crate::dead_letters::{self, Refusal};
use crate::event::QueuedEvent;
use crate::table::Table;

#[derive(Default)]
pub(super) struct WriteBatch {
    pub(super) changes: Changes,
    /// By table, target sink and day (UTC, since 1970).
    events: BTreeMap<(Table, Option<String>, i64), Packer>,
    ids: Vec<Uuid>,
    letters: HashSet<Vec<u8>>,
    tables: BTreeSet<Table>,
    sinks: BTreeSet<(String, Table)>,
    /// Bytes of the bodies staged so far.
    pub(super) bytes: u64,
    /// The same for each table, indexed by [`Table::index`].
    table_bytes: [u64; Table::COUNT],
    pub(super) count: usize,
}

impl WriteBatch {
    /// Stages an event for every sink, or for `only` one.
    pub(super) fn stage(&mut self, table: Table, only: Option<&str>, event: &QueuedEvent) {
        self.bytes += event.body.len() as u64;
        self.table_bytes[table.index()] += event.body.len() as u64;
        self.count += 1;
        let only = only.map(str::to_owned);
        let key = (table, only.clone(), event.received_day());
        self.events.entry(key).or_insert_with(|| Packer::new(only)).push(event);
    }

    /// Stores the id with the events.
    pub(super) fn remember(&mut self, id: Uuid) {
        self.ids.push(id);
    }

    pub(super) fn touch_table(&mut self, table: Table) {
        self.tables.insert(table);
    }

    pub(super) fn touch_sink(&mut self, sink: &str, table: Table) {
        self.sinks.insert((sink.to_owned(), table));
    }

    /// Adds a dead letter, or replaces the one of the same sink, table and id. Returns whether it is new.
    pub(super) fn add_dead_letter(
        &mut self,
        store: &dyn Store,
        (sink, table): (&str, Table),
        refusal: &Refusal,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        let key = keys::dead_letter(sink, table, refusal.event.id);
        let new = self.letters.insert(key.clone()) && store.get(&key)?.is_none();
        self.changes.put(key, dead_letters::encode(refusal, now_us));
        Ok(new)
    }

    /// Removes the chunks of `table` from offset `from` up to `until`, which no sink needs any more.
    pub(super) fn drop_settled(
        &mut self,
        store: &dyn Store,
        state: &mut State,
        table: Table,
        (from, until): (u64, u64),
    ) -> Result<(), StoreError> {
        if from >= until {
            return Ok(());
        }
        let mut bytes = 0;
        store.scan(&keys::chunk(table, from), &keys::chunk(table, until), &mut |key, value| {
            bytes += value.len() as u64;
            self.changes.remove(key.to_vec());
            ControlFlow::Continue(())
        })?;
        let table_state = &mut state.tables[table.index()];
        table_state.pending_bytes = table_state.pending_bytes.saturating_sub(bytes);
        self.touch_table(table);
        Ok(())
    }

    /// Assigns offsets to the staged events and writes all changed state.
    pub(super) fn finish(mut self, state: &mut State, window_ms: i64, id_sequence: &mut u64) -> Changes {
        for ((table, only, _), packer) in std::mem::take(&mut self.events) {
            for (count, value) in packer.finish() {
                let count = count as u64;
                let table_state = &mut state.tables[table.index()];
                let first = table_state.next;
                table_state.next += count;
                table_state.pending_bytes += value.len() as u64;
                match &only {
                    None => table_state.accepted += count,
                    Some(only) => {
                        for (sink, tables) in &mut state.sinks {
                            if sink != only {
                                tables[table.index()].foreign += count;
                                self.sinks.insert((sink.clone(), table));
                            }
                        }
                    }
                }
                self.changes.put(keys::chunk(table, first), value);
            }
            self.tables.insert(table);
        }
        for (table_state, bytes) in state.tables.iter_mut().zip(self.table_bytes) {
            table_state.queued_bytes += bytes;
        }
        for value in ids::records(&self.ids) {
            self.changes.put(keys::ids(window_ms, *id_sequence), value);
            *id_sequence += 1;
        }
        for table in &self.tables {
            self.changes.put(keys::table(*table), json(state.table(*table)));
        }
        for (sink, table) in &self.sinks {
            match state.sink(sink, *table) {
                Some(sink_state) => self.changes.put(keys::sink(*table, sink), json(sink_state)),
                None => self.changes.remove(keys::sink(*table, sink)),
            }
        }
        self.changes
    }
}

/// Numbers, dates and short texts always serialise.
fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
