//! Drift (OPS-17): what is sent differs from what was sent before. A field of another JSON type, an unknown field that
//! many events have, a table whose rate rises or falls tenfold.
//!
//! Ingest counts every accepted event of a table, and samples some: up to [`SAMPLES`] of each slot of five seconds, all
//! of a table that gets fewer. An event that is no sample costs one atomic addition. What was learned is judged as the
//! status is read, which the report does every five seconds; time is the datalake's clock. Nothing outlives the process:
//! a worker that starts anew learns anew what is usual.

mod fields;
mod kind;
mod rate;

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use touchline_protocol::limits::Limit;
use utoipa::ToSchema;

use crate::table::Table;
use fields::Fields;
use rate::Rate;

/// What one slot of time is, milliseconds: how often the report judges.
const SLOT_MS: i64 = 5_000;
/// Slots of a minute.
const MINUTE: usize = 12;
/// Events of a table that are looked into in a slot; a first slot that is much fuller than the one before it has up to
/// four times as many.
const SAMPLES: u64 = 200;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "analytics.drift_names",
    fields::NAMES as u64,
    "names",
    "Unknown fields of a table that are watched for drift; the rarest gives way.",
)];

/// What drifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// A field is sent as another JSON type than before. Told for an hour; then both types are usual.
    Type,
    /// A field that no column is named after is in many events. Told as long as it is.
    UnknownField,
    /// The table's rate is ten times its usual one, or a tenth. Told as long as it is, at most for an hour; then the new
    /// rate is the usual one.
    Rate,
}

impl DriftKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Type, Self::UnknownField, Self::Rate];

    /// As the status and the metrics call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::UnknownField => "unknown_field",
            Self::Rate => "rate",
        }
    }
}

/// Something that a table's events do and did not do before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Drifted {
    /// The table.
    pub table: Table,
    /// What drifted.
    pub kind: DriftKind,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// What is different, in plain words.
    pub detail: String,
}

/// What is usual of each table, and what is not.
#[derive(Debug)]
pub(crate) struct Drift {
    tables: [Watched; Table::ALL.len()],
    /// The last slot that was judged.
    judged: Mutex<Option<i64>>,
}

#[derive(Debug)]
struct Watched {
    /// Events that asked to be taken, since the start.
    turn: AtomicU64,
    /// One in so many is a sample.
    every: AtomicU64,
    /// Samples of this slot.
    samples: AtomicU64,
    /// Events accepted since the slot began.
    accepted: AtomicU64,
    fields: Mutex<Fields>,
    rate: Mutex<Rate>,
}

/// An event that is looked into once it is accepted.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Its place in the request.
    place: usize,
    table: Table,
    body: Bytes,
}

impl Default for Drift {
    fn default() -> Self {
        let watched = |table| Watched {
            turn: AtomicU64::new(0),
            every: AtomicU64::new(1),
            samples: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            fields: Mutex::new(Fields::new(table)),
            rate: Mutex::default(),
        };
        Self { tables: Table::ALL.map(watched), judged: Mutex::default() }
    }
}

impl Drift {
    /// Picks the samples of a request's events.
    pub(crate) fn sample<'a>(&self, events: impl Iterator<Item = (Table, &'a Bytes)>) -> Vec<Sample> {
        let is_sample = |table: Table| {
            let watched = &self.tables[table.index()];
            let every = watched.every.load(Ordering::Relaxed);
            watched.turn.fetch_add(1, Ordering::Relaxed).is_multiple_of(every)
                && watched.samples.fetch_add(1, Ordering::Relaxed) < 4 * SAMPLES
        };
        let picked = events.enumerate().filter(|(_, (table, _))| is_sample(*table));
        picked.map(|(place, (table, body))| Sample { place, table, body: body.clone() }).collect()
    }

    /// Learns from the samples that were accepted.
    pub(crate) fn learn(&self, samples: &[Sample], is_accepted: impl Fn(usize) -> bool) {
        for sample in samples.iter().filter(|sample| is_accepted(sample.place)) {
            self.tables[sample.table.index()].fields.lock().learn(&sample.body);
        }
    }

    /// Counts accepted events.
    pub(crate) fn accepted(&self, table: Table, events: u64) {
        self.tables[table.index()].accepted.fetch_add(events, Ordering::Relaxed);
    }

    /// What drifted, as of now. A slot that is over is judged once, however often it is asked.
    pub(crate) fn judge(&self, now_ms: i64) -> Vec<Drifted> {
        let slot = now_ms.div_euclid(SLOT_MS);
        let mut judged = self.judged.lock();
        // Nothing is over yet at the first look, nor after a clock was set back.
        let over = judged.map_or(0, |last| slot.saturating_sub(last));
        *judged = Some(slot);
        let mut drifted = Vec::new();
        for (table, watched) in Table::ALL.into_iter().zip(&self.tables) {
            if over > 0 {
                watched.close(over);
            }
            watched.fields.lock().judge(slot, table, &mut drifted);
            drifted.extend(watched.rate.lock().drift(table));
        }
        drifted
    }
}

impl Watched {
    /// Closes the slots that are over.
    fn close(&self, slots: i64) {
        let accepted = self.accepted.swap(0, Ordering::Relaxed);
        let slots = u64::try_from(slots).unwrap_or(1);
        self.every.store((accepted / slots / SAMPLES).max(1), Ordering::Relaxed);
        self.samples.store(0, Ordering::Relaxed);
        self.rate.lock().close(accepted, slots);
    }
}

/// Brings the gauges up to date.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; what is watched is bounded")]
pub(crate) fn measure(drifted: &[Drifted]) {
    for table in Table::ALL {
        for kind in DriftKind::ALL {
            let count = drifted.iter().filter(|one| one.table == table && one.kind == kind).count();
            metrics::gauge!("touchline_datalake_drift", "table" => table.name(), "kind" => kind.name())
                .set(count as f64);
        }
    }
}

#[cfg(test)]
mod tests;
