//! Options of a datalake.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use touchline_disk::Disk;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::analytics::{
    MAX_BATCH_EVENTS, MAX_EVENT_BYTES, MAX_FIELD_NAME, MAX_LONG_TEXT, MAX_OTHER_FIELDS, MAX_REQUEST_BYTES, MAX_TEXT,
    REMEMBERED_MS,
};
use touchline_protocol::limits::Limit;

use crate::drift;
use crate::erase::marks;
use crate::signature::SinkSecret;

/// Sales whose event is remembered.
pub(crate) const CLAIMS: usize = 10_000;
/// Counts of different days, channels and events that are open at once.
pub(crate) const MAX_COUNTS: usize = 10_000;

/// Options of a datalake.
#[derive(Debug, Clone)]
pub struct DatalakeOptions {
    /// Folder of the queue and the node's id. Only one process can use it at a time.
    pub folder: PathBuf,
    /// The node's name in the lake's file names. Each worker of a lake needs another one: letters, digits, `_` and `.`,
    /// at most 64. If absent, an id is generated once and stored in the folder.
    pub node: Option<String>,
    /// Destinations of the events; at least one. A sink is identified by its configuration, so a changed one is a new
    /// sink.
    pub sinks: Vec<SinkConfig>,
    /// Signs the requests to HTTP sinks; without it they are unsigned.
    pub sink_secret: Option<SinkSecret>,
    /// Sizes, counts and durations.
    pub limits: Limits,
    /// The clock.
    pub clock: SharedClock,
    /// Randomness for ids and jitter.
    pub entropy: SharedEntropy,
}

/// Default of [`Limits::sender_bytes_per_hour`]: enough for about a hundred viewers behind one address who watch
/// without a pause.
const SENDER_BYTES_PER_HOUR: u64 = 64 << 20;

/// Sizes, counts and durations. The defaults suit one worker.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes that may wait in the queue. Heartbeats are refused above 80 %; above 90 % only purchases are accepted.
    pub queue_bytes: u64,
    /// Disk space, and how much of it is reserved for the channel's store.
    pub disk: Disk,
    /// Bytes of events that one address may send per hour. Further events are deferred.
    pub sender_bytes_per_hour: u64,
    /// A batch closes when its oldest event is this old …
    pub close_age: Duration,
    /// … or when it contains this many events …
    pub close_events: u64,
    /// … or this many bytes of bodies.
    pub close_bytes: u64,
    /// Stored dead letters. When they are full, a sink with further refusals waits until some are requeued. Events that
    /// came too late may use a tenth.
    pub dead_letters: u64,
    /// Ids remembered in each of the two windows. A full window ends early. An id takes seventeen bytes of a hash table
    /// whose size doubles: 7 million ids need 8.4 million slots, 143 MB for each of two windows.
    pub remembered_ids: usize,
    /// The queue moves to a fresh folder when it is larger than this and mostly empty.
    pub roll_bytes: u64,
    /// Longest wait of a request for the disk.
    pub answer_within: Duration,
    /// Timeout for a request to a sink.
    pub sink_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            queue_bytes: 1 << 30,
            disk: Disk::default(),
            sender_bytes_per_hour: SENDER_BYTES_PER_HOUR,
            close_age: Duration::from_secs(5),
            close_events: 20_000,
            close_bytes: 16 << 20,
            dead_letters: 100_000,
            remembered_ids: 7_000_000,
            roll_bytes: 32 << 20,
            answer_within: Duration::from_secs(20),
            sink_timeout: Duration::from_secs(30),
        }
    }
}

/// Rows of the limits table. Limits that an operator can set are listed under their setting's name.
pub fn limits() -> Vec<Limit> {
    let limits = Limits::default();
    let mut rows = vec![
        Limit::bytes("analytics.request", MAX_REQUEST_BYTES as u64, "The body of an analytics request."),
        Limit::count("analytics.batch", MAX_BATCH_EVENTS as u64, "events", "Events in one batch."),
        Limit::bytes(
            "analytics.event",
            MAX_EVENT_BYTES as u64,
            "One event. A larger one is rejected without affecting others.",
        ),
        Limit::count("analytics.other_fields", MAX_OTHER_FIELDS as u64, "fields", "Unknown fields of an event."),
        Limit::count("analytics.field_name", MAX_FIELD_NAME as u64, "characters", "A field name."),
        Limit::count("analytics.text", MAX_TEXT as u64, "characters", "A string in an event."),
        Limit::count("analytics.long_text", MAX_LONG_TEXT as u64, "characters", "A `user_agent` or an `origin_url`."),
        Limit::millis(
            "analytics.remembered_for",
            REMEMBERED_MS as u64,
            "Maximum age of an event, and how long its id is remembered.",
        ),
        Limit::count(
            "datalake.remembered_ids",
            limits.remembered_ids as u64,
            "ids",
            "Ids in each of the two windows. A full window ends early.",
        ),
        Limit::count(
            "analytics.senders",
            crate::budget::SENDERS as u64,
            "addresses",
            "Addresses with their own budget. All others share one.",
        ),
        Limit::count(
            "analytics.sales",
            CLAIMS as u64,
            "sales",
            "Sales whose event is remembered. Each may use reserved room once.",
        ),
        Limit::count(
            "analytics.counts",
            MAX_COUNTS as u64,
            "counts",
            "Counts of different days, channels and events, for viewers without consent. More are refused.",
        ),
        Limit::count("datalake.close_events", limits.close_events, "events", "Events in a shipped batch."),
        Limit::bytes("datalake.close_bytes", limits.close_bytes, "Bodies in a shipped batch."),
        Limit::count(
            "datalake.dead_letters",
            limits.dead_letters,
            "events",
            "Stored dead letters. Late events may use a tenth of them.",
        ),
        Limit::bytes(
            "datalake.roll",
            limits.roll_bytes,
            "Size above which a mostly empty queue moves to a fresh folder.",
        ),
        Limit::time("datalake.answer", limits.answer_within, "How long a request waits for the disk."),
        Limit::time("datalake.sink", limits.sink_timeout, "Timeout for a request to a sink."),
    ];
    rows.extend_from_slice(marks::LIMITS);
    rows.extend_from_slice(drift::LIMITS);
    rows.extend_from_slice(crate::viewings::LIMITS);
    rows
}

/// A sink as the operator writes it: `lake:DIR`, `lake:s3://bucket/prefix`, `http:URL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkConfig {
    /// Parquet files in a folder, one subfolder per table.
    LakeFolder(PathBuf),
    /// Parquet files in an S3-compatible bucket. Keys, region and endpoint come from the `AWS_*` variables.
    LakeBucket {
        /// The bucket.
        bucket: String,
        /// Path prefix of the tables; may be empty.
        prefix: String,
    },
    /// An HTTP datalake. A URL that ends in `/batch` receives batches. Any other URL is the base of the calls of ANA-2,
    /// which carry one event each.
    Http(String),
}

/// A sink that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("sink {text:?}: {fault}")]
pub struct SinkConfigError {
    text: String,
    fault: &'static str,
}

impl FromStr for SinkConfig {
    type Err = SinkConfigError;

    fn from_str(text: &str) -> Result<Self, SinkConfigError> {
        let fault = |fault| SinkConfigError { text: text.to_owned(), fault };
        match text.split_once(':') {
            Some(("lake", location)) => match location.split_once("://") {
                None if location.is_empty() => Err(fault("lake: needs a folder")),
                None => Ok(Self::LakeFolder(location.into())),
                Some(("s3", location)) => {
                    let (bucket, prefix) = location.split_once('/').unwrap_or((location, ""));
                    if bucket.is_empty() {
                        return Err(fault("s3:// needs a bucket"));
                    }
                    Ok(Self::LakeBucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
                }
                Some(_) => Err(fault("a lake is a folder or s3://bucket/prefix")),
            },
            Some(("http", location)) if location.starts_with("http://") || location.starts_with("https://") => {
                match reqwest::Url::parse(location) {
                    Ok(url) if url.has_host() => Ok(Self::Http(location.to_owned())),
                    _ => Err(fault("invalid URL")),
                }
            }
            Some(("http", _)) => Err(fault("http: needs a URL that starts with http:// or https://")),
            _ => Err(fault("a sink starts with lake: or http:")),
        }
    }
}

/// The sink's name in the ledger, in dead letters and in logs. A URL's password and query are left out.
impl fmt::Display for SinkConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LakeFolder(folder) => write!(f, "lake:{}", folder.display()),
            Self::LakeBucket { bucket, prefix } => write!(f, "lake:s3://{bucket}/{prefix}"),
            Self::Http(url) => match reqwest::Url::parse(url) {
                Ok(url) => write!(f, "http:{}{}", url.origin().ascii_serialization(), url.path()),
                Err(_) => f.write_str("http:"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinks_are_parsed_from_the_operators_notation() {
        assert_eq!("lake:/data/lake".parse(), Ok(SinkConfig::LakeFolder("/data/lake".into())));
        let bucket = SinkConfig::LakeBucket { bucket: "games".into(), prefix: "a/b".into() };
        assert_eq!("lake:s3://games/a/b/".parse(), Ok(bucket));
        assert_eq!("http:https://lake.example/v1".parse(), Ok(SinkConfig::Http("https://lake.example/v1".to_owned())));
        for bad in ["", "lake:", "lake:gs://x", "lake:s3:///x", "http:lake.example", "http:https://", "disk:/x"] {
            let fault = bad.parse::<SinkConfig>().unwrap_err().to_string();
            assert!(fault.contains(&format!("{bad:?}")), "{fault}");
        }
    }

    #[test]
    fn a_sinks_name_contains_no_secret_of_its_url() {
        let sink: SinkConfig = "http:https://ann:secret@lake.example/v1?token=secret".parse().unwrap();
        assert_eq!(sink.to_string(), "http:https://lake.example/v1");
    }
}
