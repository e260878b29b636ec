//! Request metrics. Each meter is looked up once, because hashing its name and labels costs time on every request.

use std::time::Duration;

use axum::http::StatusCode;
use foldhash::HashMap;
use metrics::{Counter, Histogram, counter, histogram};
use parking_lot::Mutex;

use super::area::Area;

/// The most channels with a label of their own. Those of other channels are counted together.
const MAX_CHANNELS: usize = 500;
const OTHER_CHANNELS: &str = "other";

type Meters = HashMap<(Area, StatusCode), (Counter, Histogram)>;

/// The meters, by channel, area and status. Requests without a channel have an empty key.
#[derive(Default)]
pub(crate) struct RequestMetrics(Mutex<HashMap<String, Meters>>);

impl RequestMetrics {
    pub(super) fn count(&self, area: Area, channel: Option<&str>, status: StatusCode, took: Duration) {
        let mut channels = self.0.lock();
        let channel = label(&channels, channel.unwrap_or_default());
        let meters = match channels.get_mut(channel) {
            Some(meters) => meters,
            None => channels.entry(channel.to_owned()).or_default(),
        };
        let (answered, seconds) = meters.entry((area, status)).or_insert_with(|| {
            let mut labels = vec![("area", area.name().to_owned()), ("status", status.as_str().to_owned())];
            if !channel.is_empty() {
                labels.push(("channel", channel.to_owned()));
            }
            let answered = counter!("touchline_http_requests_total", &labels);
            // A histogram of each channel would have a dozen series.
            (answered, histogram!("touchline_http_seconds", "area" => area.name()))
        });
        answered.increment(1);
        seconds.record(took.as_secs_f64());
    }
}

fn label<'a>(channels: &HashMap<String, Meters>, channel: &'a str) -> &'a str {
    if channels.len() < MAX_CHANNELS || channel.is_empty() || channels.contains_key(channel) {
        channel
    } else {
        OTHER_CHANNELS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_above_the_limit_have_one_label() {
        let request_metrics = RequestMetrics::default();
        let count = |channel: &str| {
            request_metrics.count(Area::Api, Some(channel), StatusCode::OK, Duration::ZERO);
        };
        for number in 0..600 {
            count(&format!("channel-{number}"));
        }
        count("channel-1");
        let channels = request_metrics.0.lock();
        assert_eq!(channels.len(), MAX_CHANNELS + 1);
        assert!(channels.contains_key(OTHER_CHANNELS) && channels.contains_key("channel-499"));
        assert!(!channels.contains_key("channel-500"));
    }
}
