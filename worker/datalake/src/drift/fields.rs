//! The fields of a table's events: their JSON types, and how many events have a field without a column.

use super::kind::{self, JsonKind};
use super::{DriftKind, Drifted, MINUTE};
use crate::schema::{self, Column};
use crate::table::Table;

/// Unknown names watched at a time. A new one replaces the rarest.
pub(super) const MAX_NAMES: usize = 64;
/// Values of a field before another type counts as a change; until then several types are normal.
const ESTABLISHED: u64 = 20;
/// Time for which a changed type is reported, in slots: an hour. After that it counts as usual.
const REPORTED_SLOTS: i64 = 60 * MINUTE as i64;
/// Minutes over which events with an unknown field are counted.
const MINUTES: usize = 5;
/// An unknown field is reported if more than one in this many events has it.
const ONE_IN: u32 = 10;
/// Fewest events for a verdict: those of the current and the previous minute, or of more minutes on a quiet table.
const MIN_EVENTS: u32 = 50;
/// Fields that the site itself sends without a column.
const EXPECTED: &[(Table, &str)] = &[(Table::Session, "user_id")];

/// Counts of the last minutes, the current one first.
type Minutes = [u32; MINUTES];

#[derive(Debug)]
pub(super) struct Fields {
    table: Table,
    columns: &'static [Column],
    column_kinds: Vec<Kinds>,
    unknown: Vec<UnknownField>,
    /// Samples since the start.
    samples: u64,
    /// Samples of the last minutes.
    events: Minutes,
    /// The current minute.
    minute: Option<i64>,
}

/// The types of a field's values.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds {
    values: u64,
    /// The usual types, as bits.
    usual: u8,
    /// Later types, as bits.
    new: u8,
    /// The slot since which they are reported.
    since: Option<i64>,
}

#[derive(Debug)]
struct UnknownField {
    name: Box<str>,
    kinds: Kinds,
    events: Minutes,
    /// The last sample that had it, so that a repeated name in one body counts once.
    last: u64,
}

impl Kinds {
    fn learn(&mut self, kind: JsonKind) {
        if (self.usual | self.new) & kind.bit() == 0 {
            let kinds = if self.values < ESTABLISHED { &mut self.usual } else { &mut self.new };
            *kinds |= kind.bit();
        }
        self.values = self.values.saturating_add(1);
    }

    /// The usual types and the new ones, if there are new ones.
    fn evaluate(&mut self, slot: i64) -> Option<(u8, u8)> {
        if self.new == 0 {
            return None;
        }
        // A clock that was set back must neither age nor prolong the report.
        let since = self.since.map_or(slot, |since| since.min(slot));
        if slot - since < REPORTED_SLOTS {
            self.since = Some(since);
            return Some((self.usual, self.new));
        }
        *self = Self { usual: self.usual | self.new, new: 0, since: None, ..*self };
        None
    }
}

impl Fields {
    pub(super) fn new(table: Table) -> Self {
        let columns = schema::columns(table);
        Self {
            table,
            columns,
            column_kinds: vec![Kinds::default(); columns.len()],
            unknown: Vec::new(),
            samples: 0,
            events: [0; MINUTES],
            minute: None,
        }
    }

    pub(super) fn learn(&mut self, body: &[u8]) {
        self.samples += 1;
        self.events[0] += 1;
        let columns = self.columns;
        kind::each_field(body, &mut |name, kind| match schema::column_index(columns, name) {
            Some(index) => self.column_kinds[index].learn(kind),
            None => self.learn_unknown(name, kind),
        });
    }

    fn learn_unknown(&mut self, name: &str, kind: JsonKind) {
        if EXPECTED.contains(&(self.table, name)) {
            return;
        }
        let existing = self.unknown.iter().position(|unknown| &*unknown.name == name);
        let Some(index) = existing.or_else(|| self.room_for(name)) else { return };
        let unknown = &mut self.unknown[index];
        unknown.kinds.learn(kind);
        if unknown.last != self.samples {
            unknown.last = self.samples;
            unknown.events[0] += 1;
        }
    }

    /// Index for a new name. A name with a reported type change is not replaced.
    fn room_for(&mut self, name: &str) -> Option<usize> {
        let new = UnknownField { name: name.into(), kinds: Kinds::default(), events: [0; MINUTES], last: 0 };
        if self.unknown.len() < MAX_NAMES {
            self.unknown.push(new);
            return Some(self.unknown.len() - 1);
        }
        let rare = self.unknown.iter().enumerate().filter(|(_, unknown)| unknown.kinds.new == 0);
        let (index, _) = rare.min_by_key(|(_, unknown)| (unknown.events.iter().sum::<u32>(), unknown.last))?;
        self.unknown[index] = new;
        Some(index)
    }

    #[cfg(test)]
    pub(super) fn unknown_count(&self) -> usize {
        self.unknown.len()
    }

    #[cfg(test)]
    pub(super) fn sample_count(&self) -> u64 {
        self.samples
    }

    /// Adds the current drift to `drifted`.
    pub(super) fn evaluate(&mut self, slot: i64, table: Table, drifted: &mut Vec<Drifted>) {
        self.advance_to(slot.div_euclid(MINUTE as i64));
        let columns = self.columns.iter().map(|column| column.name).zip(&mut self.column_kinds);
        let unknown = self.unknown.iter_mut().map(|unknown| (&*unknown.name, &mut unknown.kinds));
        for (name, kinds) in columns.chain(unknown) {
            let Some((usual, new)) = kinds.evaluate(slot) else { continue };
            let detail = format!("`{name}` changed from {} to {}", kind::names(usual), kind::names(new));
            drifted.push(Drifted { table, kind: DriftKind::Type, field: Some(name.to_owned()), detail });
        }
        let Some(minutes) = (2..=MINUTES).find(|minutes| sum(&self.events, *minutes) >= MIN_EVENTS) else { return };
        let events = sum(&self.events, minutes);
        for unknown in &self.unknown {
            let having = sum(&unknown.events, minutes);
            if having.saturating_mul(ONE_IN) <= events {
                continue;
            }
            let name = &unknown.name;
            let percent = u64::from(having) * 100 / u64::from(events);
            let detail = format!("the unknown field `{name}` is in {percent} % of events");
            let field = Some(name.clone().into_string());
            drifted.push(Drifted { table, kind: DriftKind::UnknownField, field, detail });
        }
    }

    /// Makes room for the counts of a new minute. A clock that was set back starts one too.
    fn advance_to(&mut self, minute: i64) {
        let before = self.minute.replace(minute).unwrap_or(minute);
        let over = usize::try_from((minute - before).abs()).unwrap_or(MINUTES).min(MINUTES);
        let unknown = self.unknown.iter_mut().map(|unknown| &mut unknown.events);
        for counts in unknown.chain([&mut self.events]) {
            counts.rotate_right(over % MINUTES);
            counts[..over].fill(0);
        }
    }
}

fn sum(counts: &Minutes, minutes: usize) -> u32 {
    counts[..minutes].iter().fold(0, |sum, count| sum.saturating_add(*count))
}
