//! The ledger. For each sink and table, accepted = shipped + queued + dead-lettered always holds.

use serde::Serialize;
use utoipa::ToSchema;

use crate::queue::state::State;
use crate::table::Table;

/// One sink's account of one table. `accepted` and `queued` are counted independently of `shipped` and `dead_lettered`,
/// so that a bug shows as a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LedgerRow {
    /// The sink.
    pub sink: String,
    /// The table.
    pub table: Table,
    /// Events accepted since the sink was added.
    pub accepted: u64,
    /// Events that the sink accepted.
    pub shipped: u64,
    /// Events waiting for the sink.
    pub queued: u64,
    /// Events that the sink rejected permanently and that were not requeued.
    pub dead_lettered: u64,
    /// Age of the oldest waiting event, in seconds.
    pub oldest_age_s: Option<u64>,
}

impl LedgerRow {
    /// Whether no event was lost or counted twice.
    pub fn balances(&self) -> bool {
        self.accepted == self.shipped + self.queued + self.dead_lettered
    }
}

pub(crate) fn rows(state: &State) -> Vec<LedgerRow> {
    let rows = state.sinks.iter().flat_map(|(sink, tables)| {
        let is_lake = !sink.starts_with("http:");
        Table::ALL.into_iter().filter(move |table| is_lake || !table.is_of_lakes()).map(move |table| {
            let sink_state = &tables[table.index()];
            let accepted = state.table(table).accepted.cast_signed() - sink_state.accepted_before;
            LedgerRow {
                sink: sink.clone(),
                table,
                accepted: accepted.cast_unsigned(),
                shipped: sink_state.shipped,
                queued: state.queued(sink, table),
                dead_lettered: sink_state.dead,
                oldest_age_s: None,
            }
        })
    });
    rows.collect()
}
