//! Request metrics. Each meter is looked up once, because hashing its name and labels costs time on every request.

use std::time::Duration;

use axum::http::StatusCode;
use foldhash::HashMap;
use metrics::{Counter, Histogram, counter, histogram};
use parking_lot::Mutex;

use super::area::Area;

/// The meters, by area and status.
#[derive(Default)]
pub(crate) struct RequestMetrics(Mutex<HashMap<(Area, StatusCode), (Counter, Histogram)>>);

impl RequestMetrics {
    pub(super) fn count(&self, area: Area, status: StatusCode, took: Duration) {
        let mut request_metrics = self.0.lock();
        let (answered, seconds) = request_metrics.entry((area, status)).or_insert_with(|| {
            let labels = [("area", area.name().to_owned()), ("status", status.as_str().to_owned())];
            let answered = counter!("touchline_http_requests_total", &labels);
            (answered, histogram!("touchline_http_seconds", "area" => area.name()))
        });
        answered.increment(1);
        seconds.record(took.as_secs_f64());
    }
}
