//! The ledger: per sink and table, accepted = shipped + queued + dead-lettered, always.

use serde::Serialize;
use utoipa::ToSchema;

use crate::queue::state::State;
use crate::table::Table;

/// One sink's account of one table. `accepted` and `queued` are counted apart from `shipped` and `dead_lettered`, so
/// that a difference is a bug that shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LedgerRow {
    /// The sink.
    pub sink: String,
    /// The table.
    pub table: Table,
    /// Events accepted since the sink came.
    pub accepted: u64,
    /// Events that it took.
    pub shipped: u64,
    /// Events that wait for it.
    pub queued: u64,
    /// Events that it refused for good and that were not put back.
    pub dead_lettered: u64,
    /// Age of the oldest event that waits, seconds.
    pub oldest_age_s: Option<u64>,
}

impl LedgerRow {
    /// Whether nothing was lost and nothing doubled.
    pub fn balances(&self) -> bool {
        self.accepted == self.shipped + self.queued + self.dead_lettered
    }
}

/// The ledger of one moment.
pub(crate) fn rows(state: &State) -> Vec<LedgerRow> {
    let rows = state.sinks.iter().flat_map(|(sink, tables)| {
        // An HTTP sink is sent nothing of the books.
        let is_lake = !sink.starts_with("http:");
        Table::ALL.into_iter().filter(move |table| is_lake || !table.is_of_books()).map(move |table| {
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
