//! Statistics of a file that readers can use without opening it: the number of rows and the ranges of ids and times.
//! They contain nothing personal, because the log outlives the files.

use std::collections::BTreeMap;

use jiff::Timestamp;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use serde::{Deserialize, Serialize};

/// Columns with ranges.
const COLUMNS: [&str; 4] = ["event_id", "at", "received_at", "occurred_at"];

/// A file's statistics, as stored in its `add` action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stats {
    pub(crate) num_records: u64,
    pub(crate) min_values: BTreeMap<String, String>,
    pub(crate) max_values: BTreeMap<String, String>,
    pub(crate) null_count: BTreeMap<String, u64>,
}

impl Stats {
    /// The statistics in a file's footer.
    pub(crate) fn of(file: &ParquetMetaData) -> Self {
        let mut stats = Self::default();
        for group in file.row_groups() {
            stats.num_records += u64::try_from(group.num_rows()).unwrap_or(0);
            for column in group.columns() {
                let name = column.column_path().string();
                if let Some(statistics) = column.statistics().filter(|_| COLUMNS.contains(&name.as_str())) {
                    stats.add(name, statistics);
                }
            }
        }
        stats
    }

    fn add(&mut self, name: String, statistics: &Statistics) {
        *self.null_count.entry(name.clone()).or_default() += statistics.null_count_opt().unwrap_or(0);
        let (min, max) = match statistics {
            Statistics::Int64(times) => {
                (times.min_opt().and_then(|us| moment(*us, false)), times.max_opt().and_then(|us| moment(*us, true)))
            }
            Statistics::ByteArray(texts) => {
                let text = |bytes: &parquet::data_type::ByteArray| Some(bytes.as_utf8().ok()?.to_owned());
                (texts.min_opt().and_then(text), texts.max_opt().and_then(text))
            }
            _ => (None, None),
        };
        // All values have one format, so they sort like what they denote.
        if let Some(min) = min {
            let smallest = self.min_values.entry(name.clone()).or_insert_with(|| min.clone());
            if min < *smallest {
                *smallest = min;
            }
        }
        if let Some(max) = max {
            let largest = self.max_values.entry(name).or_insert_with(|| max.clone());
            if max > *largest {
                *largest = max;
            }
        }
    }

    pub(crate) fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// `None` if another program wrote them in another format.
    pub(crate) fn parse(text: Option<&str>) -> Option<Self> {
        serde_json::from_str(text?).ok()
    }

    /// Whether the files may have an id in common.
    pub(crate) fn may_share_ids(&self, other: &Self) -> bool {
        let range =
            |stats: &Self| Some((stats.min_values.get("event_id")?.clone(), stats.max_values.get("event_id")?.clone()));
        match (range(self), range(other)) {
            (Some((min, max)), Some((other_min, other_max))) => min <= other_max && other_min <= max,
            _ => true,
        }
    }
}

/// A moment as the protocol writes it, in milliseconds. A maximum is rounded up, so that nothing is excluded.
fn moment(us: i64, is_up: bool) -> Option<String> {
    let ms = if is_up { us.checked_add(999)?.div_euclid(1000) } else { us.div_euclid(1000) };
    Some(Timestamp::from_millisecond(ms).ok()?.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
