//! Reads for sinks: the bounds of the next batch, and the events of a batch.

use std::ops::ControlFlow;

use jiff::civil::Date;

use super::state::OpenBatch;
use super::store::{Store, StoreError};
use super::{Queue, keys};
use crate::chunk;
use crate::event::{QueuedEvent, date_of};
use crate::table::Table;

/// Size at which a batch is full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) events: u64,
    pub(crate) bytes: u64,
}

/// A batch that could be closed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) batch: OpenBatch,
    /// It has reached its size, or the next day has started: waiting adds nothing.
    pub(crate) full: bool,
    /// When its oldest event was received.
    pub(crate) oldest_us: i64,
    /// The table's `queued_bytes` at which it will be full.
    pub(crate) full_at_bytes: u64,
}

fn corrupt(table: Table, first: u64) -> StoreError {
    StoreError::Corrupt(format!("chunk {first} of {} cannot be read", table.name()))
}

impl Queue {
    /// Plans the next batch of `table` for `sink`; `None` if nothing waits.
    pub(crate) fn plan(&self, sink: &str, table: Table, fill: Fill) -> Result<Option<Plan>, StoreError> {
        let snapshot = self.snapshot();
        let Some(cursor) = snapshot.state.sink(sink, table).map(|sink| sink.cursor) else { return Ok(None) };
        // The store may contain later chunks that are not synced yet.
        let next = snapshot.state.table(table).next;
        if cursor >= next {
            return Ok(None);
        }
        let mut plan = plan_from(&*self.store(), (snapshot.epoch, &self.node), sink, table, (cursor, next), fill)?;
        if let Some(plan) = &mut plan {
            plan.full_at_bytes = plan.full_at_bytes.saturating_add(snapshot.state.table(table).queued_bytes);
        }
        Ok(plan)
    }

    /// The events of a batch that are for `sink`, with their offsets.
    pub(crate) fn read(
        &self,
        sink: &str,
        table: Table,
        batch: &OpenBatch,
    ) -> Result<Vec<(u64, QueuedEvent)>, StoreError> {
        let mut events = Vec::new();
        let mut fault = None;
        let until = keys::chunk(table, batch.last + 1);
        self.store().scan(&keys::chunk(table, batch.first), &until, &mut |key, value| {
            let Some((_, first)) = keys::read_chunk(key) else { return ControlFlow::Continue(()) };
            let Some(chunk) = chunk::unpack(value) else {
                fault = Some(corrupt(table, first));
                return ControlFlow::Break(());
            };
            if chunk.only.as_deref().is_none_or(|only| only == sink) {
                events.extend((first..).zip(chunk.events));
            }
            ControlFlow::Continue(())
        })?;
        match fault {
            Some(fault) => Err(fault),
            None if events.len() as u64 != batch.events => Err(corrupt(table, batch.first)),
            None => Ok(events),
        }
    }

    /// When the oldest event waiting for `sink` was received. Events settled in the meantime are skipped.
    pub(crate) fn oldest_us(&self, sink: &str, table: Table) -> Result<Option<i64>, StoreError> {
        let snapshot = self.snapshot();
        let Some(cursor) = snapshot.state.sink(sink, table).map(|sink| sink.cursor) else { return Ok(None) };
        let mut oldest = None;
        let until = keys::chunk(table, snapshot.state.table(table).next);
        self.store().scan(&keys::chunk(table, cursor), &until, &mut |_, value| {
            let mine = chunk::outline(value).filter(|chunk| chunk.only.as_deref().is_none_or(|only| only == sink));
            oldest = mine.map(|chunk| chunk.received_us);
            if oldest.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(oldest)
    }
}

/// Its `full_at_bytes` count from now.
fn plan_from(
    store: &dyn Store,
    (epoch, node): (String, &str),
    sink: &str,
    table: Table,
    (cursor, next): (u64, u64),
    fill: Fill,
) -> Result<Option<Plan>, StoreError> {
    let mut plan: Option<Plan> = None;
    let mut day: Option<Date> = None;
    let mut bytes = 0;
    let mut fault = None;
    store.scan(&keys::chunk(table, cursor), &keys::chunk(table, next), &mut |key, value| {
        let Some((_, first)) = keys::read_chunk(key) else { return ControlFlow::Continue(()) };
        let Some(chunk) = chunk::outline(value) else {
            fault = Some(corrupt(table, first));
            return ControlFlow::Break(());
        };
        // A gap is damage that the store did not notice.
        if first != plan.as_ref().map_or(cursor, |plan| plan.batch.last + 1) {
            fault = Some(corrupt(table, plan.as_ref().map_or(cursor, |plan| plan.batch.last + 1)));
            return ControlFlow::Break(());
        }
        let mine = chunk.only.as_deref().is_none_or(|only| only == sink);
        let date = date_of(chunk.received_us);
        let plan = plan.get_or_insert_with(|| Plan {
            batch: OpenBatch { epoch: epoch.clone(), node: node.to_owned(), date, first, last: first, events: 0 },
            full: false,
            oldest_us: chunk.received_us,
            full_at_bytes: fill.bytes,
        });
        // Chunks for other sinks are skipped, whatever their day.
        if mine && *day.get_or_insert(date) != date {
            plan.full = true;
            return ControlFlow::Break(());
        }
        plan.batch.last = first + chunk.count - 1;
        if mine {
            plan.batch.date = date;
            if plan.batch.events == 0 {
                plan.oldest_us = chunk.received_us;
            }
            plan.batch.events += chunk.count;
            bytes += chunk.body_bytes;
        }
        plan.full_at_bytes = fill.bytes.saturating_sub(bytes);
        if plan.batch.events >= fill.events || bytes >= fill.bytes {
            plan.full = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    match fault {
        Some(fault) => Err(fault),
        // The caller saw that something waits.
        None if plan.is_none() => Err(corrupt(table, cursor)),
        None => Ok(plan),
    }
}
