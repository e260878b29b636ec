//! What of a file's values a reader may know without opening it: how many rows, and between which ids and times they
//! are. Nothing of a person stands here: the log outlives what it speaks of.

use std::collections::BTreeMap;

use jiff::Timestamp;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use serde::{Deserialize, Serialize};

/// Columns by which files are passed over.
const COLUMNS: [&str; 4] = ["event_id", "at", "received_at", "occurred_at"];

/// The statistics of a file, as its `add` has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stats {
    pub(crate) num_records: u64,
    pub(crate) min_values: BTreeMap<String, String>,
    pub(crate) max_values: BTreeMap<String, String>,
    pub(crate) null_count: BTreeMap<String, u64>,
}

impl Stats {
    /// Of a file with this footer.
    pub(crate) fn of(file: &ParquetMetaData) -> Self {
        let mut stats = Self::default();
        for group in file.row_groups() {
            stats.num_records += u64::try_from(group.num_rows()).unwrap_or(0);
            for column in group.columns() {
                let name = column.column_path().string();
                if let Some(known) = column.statistics().filter(|_| COLUMNS.contains(&name.as_str())) {
                    stats.add(name, known);
                }
            }
        }
        stats
    }

    fn add(&mut self, name: String, known: &Statistics) {
        *self.null_count.entry(name.clone()).or_default() += known.null_count_opt().unwrap_or(0);
        let (least, most) = match known {
            Statistics::Int64(times) => {
                (times.min_opt().and_then(|us| moment(*us, false)), times.max_opt().and_then(|us| moment(*us, true)))
            }
            Statistics::ByteArray(texts) => {
                let text = |bytes: &parquet::data_type::ByteArray| Some(bytes.as_utf8().ok()?.to_owned());
                (texts.min_opt().and_then(text), texts.max_opt().and_then(text))
            }
            _ => (None, None),
        };
        // Texts of one form: they sort as what they say.
        if let Some(least) = least {
            let smallest = self.min_values.entry(name.clone()).or_insert_with(|| least.clone());
            if least < *smallest {
                *smallest = least;
            }
        }
        if let Some(most) = most {
            let largest = self.max_values.entry(name).or_insert_with(|| most.clone());
            if most > *largest {
                *largest = most;
            }
        }
    }

    /// The JSON that an `add` holds.
    pub(crate) fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Reads it; nothing where another program wrote something else.
    pub(crate) fn parse(text: Option<&str>) -> Option<Self> {
        serde_json::from_str(text?).ok()
    }

    /// Whether an id of the one file may be in the other.
    pub(crate) fn may_share_ids(&self, other: &Self) -> bool {
        let range =
            |stats: &Self| Some((stats.min_values.get("event_id")?.clone(), stats.max_values.get("event_id")?.clone()));
        match (range(self), range(other)) {
            (Some((least, most)), Some((other_least, other_most))) => least <= other_most && other_least <= most,
            _ => true,
        }
    }
}

/// A moment as the protocol writes it, in milliseconds; the later one is rounded up, so that nothing is left out.
fn moment(us: i64, is_up: bool) -> Option<String> {
    let ms = if is_up { us.checked_add(999)?.div_euclid(1000) } else { us.div_euclid(1000) };
    Some(Timestamp::from_millisecond(ms).ok()?.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
