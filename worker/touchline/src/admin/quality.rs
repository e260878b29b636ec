//! Playback quality by content, for `/playback` and `/metrics` (`QOE-3`).

use metrics_exporter_prometheus::PrometheusBuilder;
use touchline_channel::catalogue::Channels;
use touchline_datalake::{Quality, Watched};

/// The label of watched content. Playback reports need no key, so only existing content has a label, and a channel's
/// clips share one. Behind an upstream any numeric id counts, because its events are not known here.
pub(super) fn label(channels: &Channels, is_proxy: bool, watched: &Watched) -> Option<String> {
    let channel = channels.by_key(&watched.channel)?;
    let id = || watched.content_id.parse::<i64>().ok();
    match watched.content_type.as_str() {
        "event" => id().filter(|id| is_proxy || channel.event(*id).is_some()).map(|id| format!("event {id}")),
        "vod" => id().filter(|id| is_proxy || channel.video(*id).is_some()).map(|id| format!("vod {id}")),
        "clip" => Some("clips".to_owned()),
        _ => None,
    }
}

/// The gauges in Prometheus's text format. They have a registry of their own, so that content nobody watches disappears.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; counts stay far below 2^53")]
pub(super) fn gauges(quality: &[Quality]) -> String {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        for one in quality {
            let labels = [("channel", one.channel.clone()), ("content", one.content.clone())];
            metrics::gauge!("touchline_viewers", &labels).set(one.viewers as f64);
            metrics::gauge!("touchline_viewings_lately", &labels).set(one.viewings as f64);
            metrics::gauge!("touchline_viewings_left_before_start", &labels).set(one.exits_before_start as f64);
            metrics::gauge!("touchline_viewings_with_errors", &labels).set(one.with_errors as f64);
            metrics::gauge!("touchline_rebuffer_ratio", &labels).set(one.rebuffer_ratio);
            for (quantile, startup) in [("0.5", one.startup_p50), ("0.95", one.startup_p95)] {
                let labels = [labels[0].clone(), labels[1].clone(), ("quantile", quantile.to_owned())];
                metrics::gauge!("touchline_startup_seconds", &labels).set(startup.unwrap_or(0.0));
            }
        }
    });
    recorder.handle().render()
}
