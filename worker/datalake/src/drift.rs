//! Drift detection (OPS-17): a field changes its JSON type, many events have an unknown field, or a table's rate
//! changes tenfold.
//!
//! Ingest counts every accepted event of a table and samples some: up to [`SAMPLES`] in each slot of five seconds, and
//! all events of a quieter table. An event that is not sampled costs one atomic addition. Drift is evaluated when the
//! status is read, which the report does every five seconds on the datalake's clock. Nothing is persisted: a restarted
//! worker learns the usual values again.

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

/// Length of a slot, in milliseconds, and interval of the report.
const SLOT_MS: i64 = 5_000;
/// Slots per minute.
const MINUTE: usize = 12;
/// Sampled events of a table in each slot. A slot that is suddenly much busier than the previous one has up to four
/// times as many.
const SAMPLES: u64 = 200;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "analytics.drift_names",
    fields::MAX_NAMES as u64,
    "names",
    "Unknown fields of a table that are watched for drift. A new one replaces the rarest.",
)];

/// A kind of drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// A field changed its JSON type. Reported for an hour; after that both types count as usual.
    Type,
    /// Many events have a field without a column. Reported as long as they do.
    UnknownField,
    /// The table's rate is at least ten times the usual rate, or at most a tenth of it. Reported for at most an hour;
    /// after that the new rate counts as usual.
    Rate,
}

impl DriftKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Type, Self::UnknownField, Self::Rate];

    /// The name in the status and the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::UnknownField => "unknown_field",
            Self::Rate => "rate",
        }
    }
}

/// A difference between a table's recent events and its earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Drifted {
    /// The table.
    pub table: Table,
    /// The kind of change.
    pub kind: DriftKind,
    /// The field concerned, if any.
    pub field: Option<String>,
    /// A description for the operator.
    pub detail: String,
}

#[derive(Debug)]
pub(crate) struct Drift {
    tables: [TableDrift; Table::ALL.len()],
    /// The last slot that was evaluated.
    evaluated: Mutex<Option<i64>>,
}

#[derive(Debug)]
struct TableDrift {
    /// Events considered for sampling since the start.
    considered: AtomicU64,
    /// Every n-th event is sampled.
    sample_interval: AtomicU64,
    /// Samples in the current slot.
    samples: AtomicU64,
    /// Events accepted in the current slot.
    accepted: AtomicU64,
    fields: Mutex<Fields>,
    rate: Mutex<Rate>,
}

/// An event to learn from once it is accepted.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Index in the request.
    index: usize,
    table: Table,
    body: Bytes,
}

impl Default for Drift {
    fn default() -> Self {
        let table_drift = |table| TableDrift {
            considered: AtomicU64::new(0),
            sample_interval: AtomicU64::new(1),
            samples: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            fields: Mutex::new(Fields::new(table)),
            rate: Mutex::default(),
        };
        Self { tables: Table::ALL.map(table_drift), evaluated: Mutex::default() }
    }
}

impl Drift {
    /// Picks the samples among a request's events.
    pub(crate) fn sample<'a>(&self, events: impl Iterator<Item = (Table, &'a Bytes)>) -> Vec<Sample> {
        let is_sample = |table: Table| {
            let table_drift = &self.tables[table.index()];
            let sample_interval = table_drift.sample_interval.load(Ordering::Relaxed);
            table_drift.considered.fetch_add(1, Ordering::Relaxed).is_multiple_of(sample_interval)
                && table_drift.samples.fetch_add(1, Ordering::Relaxed) < 4 * SAMPLES
        };
        let picked = events.enumerate().filter(|(_, (table, _))| is_sample(*table));
        picked.map(|(index, (table, body))| Sample { index, table, body: body.clone() }).collect()
    }

    /// Learns from the accepted samples.
    pub(crate) fn learn(&self, samples: &[Sample], is_accepted: impl Fn(usize) -> bool) {
        for sample in samples.iter().filter(|sample| is_accepted(sample.index)) {
            self.tables[sample.table.index()].fields.lock().learn(&sample.body);
        }
    }

    pub(crate) fn accepted(&self, table: Table, events: u64) {
        self.tables[table.index()].accepted.fetch_add(events, Ordering::Relaxed);
    }

    /// Returns the current drift. Each finished slot is evaluated once, however often this is called.
    pub(crate) fn evaluate(&self, now_ms: i64) -> Vec<Drifted> {
        let slot = now_ms.div_euclid(SLOT_MS);
        let mut evaluated = self.evaluated.lock();
        // No slot is finished on the first call, nor after the clock was set back.
        let over = evaluated.map_or(0, |last| slot.saturating_sub(last));
        *evaluated = Some(slot);
        let mut drifted = Vec::new();
        for (table, table_drift) in Table::ALL.into_iter().zip(&self.tables) {
            if over > 0 {
                table_drift.close(over);
            }
            table_drift.fields.lock().evaluate(slot, table, &mut drifted);
            drifted.extend(table_drift.rate.lock().drift(table));
        }
        drifted
    }
}

impl TableDrift {
    fn close(&self, slots: i64) {
        let accepted = self.accepted.swap(0, Ordering::Relaxed);
        let slots = u64::try_from(slots).unwrap_or(1);
        self.sample_interval.store((accepted / slots / SAMPLES).max(1), Ordering::Relaxed);
        self.samples.store(0, Ordering::Relaxed);
        self.rate.lock().close(accepted, slots);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; counts are small")]
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
