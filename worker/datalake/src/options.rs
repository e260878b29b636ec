//! What a datalake is opened with.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use touchline_protocol::ambient::{SharedClock, SharedEntropy};

/// What a datalake is opened with.
#[derive(Debug, Clone)]
pub struct DatalakeOptions {
    /// Where the queue and the node's id live. One process holds it at a time.
    pub folder: PathBuf,
    /// The node's name in the lake's file names: letters, digits, `_` and `.`, at most 64. Without one, an id is drawn
    /// once and kept in the folder.
    pub node: Option<String>,
    /// Where events go; at least one. A sink is known by what its configuration says, so a changed one is a new one.
    pub sinks: Vec<SinkConfig>,
    /// Sizes, counts and ages.
    pub limits: Limits,
    /// The time.
    pub clock: SharedClock,
    /// Randomness for ids and jitter.
    pub entropy: SharedEntropy,
}

/// Sizes, counts and ages, each with a default that suits one worker.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes that may wait in the queue. Heartbeats are refused at 80 % of it, purchases alone are taken above 90 %.
    pub queue_bytes: u64,
    /// Bytes that must stay free on the queue's volume; below that nothing is taken.
    pub free_bytes: u64,
    /// A batch closes when its oldest event is this old …
    pub close_age: Duration,
    /// … or when it holds this many events …
    pub close_events: u64,
    /// … or this many bytes of bodies.
    pub close_bytes: u64,
    /// Dead letters kept; a sink that has more to say no to waits until some were put back. Events that came too late
    /// may take a tenth.
    pub dead_letters: u64,
    /// Ids remembered in each of the two windows; a window that is full ends early. Seventeen bytes for each place of a
    /// table that doubles: 7 million are 8.4 million places, 143 MB a window, two windows at most.
    pub remembered_ids: usize,
    /// The queue moves to a fresh folder when it is larger than this and mostly empty.
    pub roll_bytes: u64,
    /// How long a request waits for the disk.
    pub answer_within: Duration,
    /// How long a sink may take for one request.
    pub sink_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            queue_bytes: 1 << 30,
            free_bytes: 64 << 20,
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

/// Where events go, as the operator writes it: `lake:DIR`, `lake:s3://bucket/prefix`, `http:URL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkConfig {
    /// Parquet files in a folder, tables directly below it.
    LakeFolder(PathBuf),
    /// Parquet files in an S3-compatible bucket; keys, region and endpoint come from the `AWS_*` variables.
    LakeBucket {
        /// The bucket.
        bucket: String,
        /// What the tables stand below; may be empty.
        prefix: String,
    },
    /// An HTTP datalake. A URL that ends in `/batch` takes batches; any other is the base of the calls of ANA-2, which
    /// are made one by one.
    Http(String),
}

/// A sink that cannot be read.
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
            Some(("lake", place)) => match place.split_once("://") {
                None if place.is_empty() => Err(fault("lake: needs a folder")),
                None => Ok(Self::LakeFolder(place.into())),
                Some(("s3", place)) => {
                    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
                    if bucket.is_empty() {
                        return Err(fault("s3:// needs a bucket"));
                    }
                    Ok(Self::LakeBucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
                }
                Some(_) => Err(fault("a lake is a folder or s3://bucket/prefix")),
            },
            Some(("http", place)) if place.starts_with("http://") || place.starts_with("https://") => {
                match reqwest::Url::parse(place) {
                    Ok(url) if url.has_host() => Ok(Self::Http(place.to_owned())),
                    _ => Err(fault("not a URL")),
                }
            }
            Some(("http", _)) => Err(fault("http: needs a URL that begins with http:// or https://")),
            _ => Err(fault("a sink begins with lake: or http:")),
        }
    }
}

/// The sink's name in the ledger, in dead letters and in logs: a URL's password and query are left out.
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
    fn sinks_are_read_as_the_operator_writes_them() {
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
    fn a_sinks_name_shows_no_secret_of_its_url() {
        let sink: SinkConfig = "http:https://ann:secret@lake.example/v1?token=secret".parse().unwrap();
        assert_eq!(sink.to_string(), "http:https://lake.example/v1");
    }
}
