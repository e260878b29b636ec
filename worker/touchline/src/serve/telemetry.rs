//! The log on stderr, and the metrics.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SystemClock;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::log_budget::Budget;
use crate::config::{ConfigError, Log};

/// The interval at which old samples are aggregated.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
const SECONDS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// Crates that log the data they send and receive at `trace`. The first frame of a status socket contains a key.
const LOGS_CONTENT: [&str; 2] = ["tungstenite", "tokio_tungstenite"];

/// A filter that no setting overrides, so that the log never contains a key (`UP-1`).
fn without_content(filter: &EnvFilter) -> Targets {
    // Crates that use `log` only check the widest level, which is no wider than the filter's.
    let widest = filter.max_level_hint().unwrap_or(LevelFilter::TRACE);
    let capped = LOGS_CONTENT.map(|target| (target, widest.min(LevelFilter::DEBUG)));
    Targets::new().with_default(widest).with_targets(capped)
}

pub(crate) fn log(log: &Log) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&log.filter).map_err(|error| ConfigError(format!("log: {error}")))?;
    let without_content = without_content(&filter);
    let budget = Budget::before(std::io::stderr(), Arc::new(SystemClock::with_offset(0)));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(budget.clone());
    // A line that cannot be written is lost. Reporting that on the same stderr would panic, and fail the request.
    let lines = lines.log_internal_errors(false);
    let started = if log.json {
        lines.json().flatten_event(true).finish().with(without_content).try_init()
    } else {
        lines.with_ansi(std::io::stderr().is_terminal()).finish().with(without_content).try_init()
    };
    started.map_err(|error| ConfigError(format!("log: {error}")))?;
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            let lines = budget.dropped();
            if lines > 0 {
                metrics::counter!("touchline_log_lines_left_out_total").increment(lines);
                tracing::warn!(lines, "the log was flooded: lines were dropped");
            }
        }
    });
    Ok(())
}

/// Starts the metrics and returns the handle that renders them.
pub(crate) fn metrics(stop: CancellationToken) -> Result<PrometheusHandle, ConfigError> {
    let fault = |error: &dyn std::fmt::Display| ConfigError(format!("metrics: {error}"));
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)
        .map_err(|error| fault(&error))?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| fault(&error))?;
    let recorder = handle.clone();
    tokio::spawn(stop.run_until_cancelled_owned(async move {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            recorder.run_upkeep();
        }
    }));
    Ok(handle)
}
