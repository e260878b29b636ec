//! Current playback quality by content, for the admin page and the metrics (`QOE-3`).

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::record::{Viewing, WATCHED};
use super::row::Ending;

/// A viewer without a report for this long does not count as present. Players report every 30 seconds.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(75);
/// Viewings that ended within this time are included.
const RECENT: Duration = Duration::from_secs(15 * 60);
/// Finished viewings that are remembered.
const MAX_REMEMBERED: usize = 20_000;
/// Lines of the result. Further contents share the last one.
const MAX_LINES: usize = 100;
/// The content of the line that contents without a label share.
const OTHER: &str = "other";

/// Playback quality of one event, video or clip: of its current viewings and those that ended in the last 15 minutes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Quality {
    /// The channel's key.
    pub channel: String,
    /// A label such as `event 12`; `other` for contents without a line of their own.
    pub content: String,
    /// Current viewers.
    pub viewers: u64,
    /// Viewings.
    pub viewings: u64,
    /// Viewings left before the first frame.
    pub exits_before_start: u64,
    /// Median startup time, in seconds.
    pub startup_p50: Option<f64>,
    /// 95th percentile of the startup time, in seconds.
    pub startup_p95: Option<f64>,
    /// Rebuffering as a share of rebuffering and watched time, 0 to 1.
    pub rebuffer_ratio: f64,
    /// Viewings with a reported error.
    pub with_errors: u64,
}

/// The content of a viewing as its player reported it, which may be invented.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// The channel's key.
    pub channel: String,
    /// `event`, `vod` or `clip`.
    pub content_type: String,
    /// The id of the event, video or clip.
    pub content_id: String,
}

/// The values of one viewing.
#[derive(Debug, Clone)]
pub(crate) struct Figures {
    watched: Watched,
    startup_s: Option<f64>,
    watched_ms: f64,
    rebuffered_ms: f64,
    has_error: bool,
    is_exit: bool,
    received_us: i64,
    is_present: bool,
}

impl Figures {
    fn of(viewing: &Viewing, now_us: i64) -> Self {
        let text = |name: &str| viewing.about.get(name).map(plain).unwrap_or_default();
        let is_recent = now_us - viewing.received_us < micros(PRESENCE_TIMEOUT);
        Self {
            watched: Watched {
                channel: text("channel"),
                content_type: text("content_type"),
                content_id: text("content_id"),
            },
            startup_s: viewing.number("msd").map(|ms| ms / 1000.0),
            watched_ms: viewing.number(WATCHED).unwrap_or(0.0),
            rebuffered_ms: viewing.number("bsda").unwrap_or(0.0),
            has_error: viewing.errors > 0,
            is_exit: viewing.ending() == Ending::BeforeStart,
            received_us: viewing.received_us,
            is_present: is_recent && !viewing.has_reported_end(),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[derive(Debug, Default)]
pub(crate) struct FinishedViewings(VecDeque<Figures>);

impl FinishedViewings {
    pub(crate) fn push(&mut self, viewing: &Viewing, now_us: i64) {
        self.0.push_back(Figures::of(viewing, now_us));
        if self.0.len() > MAX_REMEMBERED {
            self.0.pop_front();
        }
    }

    /// The figures of viewings that ended in the last 15 minutes, and of current ones.
    pub(crate) fn with<'a>(&mut self, open: impl Iterator<Item = &'a Viewing>, now_us: i64) -> Vec<Figures> {
        while self.0.front().is_some_and(|first| now_us - first.received_us > micros(RECENT)) {
            self.0.pop_front();
        }
        self.0.iter().cloned().chain(open.map(|viewing| Figures::of(viewing, now_us))).collect()
    }
}

/// The quality by content, those with the most viewers first. Contents without a `label` share one line.
pub(crate) fn by_content(figures: &[Figures], label: impl Fn(&Watched) -> Option<String>) -> Vec<Quality> {
    let other = || (String::new(), OTHER.to_owned());
    let mut lines: BTreeMap<(String, String), Vec<&Figures>> = BTreeMap::new();
    for one in figures {
        let line = label(&one.watched).map_or_else(other, |label| (one.watched.channel.clone(), label));
        lines.entry(line).or_default().push(one);
    }
    let mut shared = lines.remove(&other()).unwrap_or_default();
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.iter().filter(|one| one.is_present).count()));
    shared.extend(lines.split_off(lines.len().min(MAX_LINES)).into_iter().flat_map(|(_, figures)| figures));
    if !shared.is_empty() {
        lines.push((other(), shared));
    }
    lines.into_iter().map(|((channel, content), figures)| summarize(channel, content, &figures)).collect()
}

fn summarize(channel: String, content: String, figures: &[&Figures]) -> Quality {
    let count = |is: fn(&Figures) -> bool| figures.iter().filter(|one| is(one)).count() as u64;
    let mut startups: Vec<f64> = figures.iter().filter_map(|one| one.startup_s).collect();
    startups.sort_by(f64::total_cmp);
    let at =
        |hundredths: usize| startups.get((startups.len() * hundredths / 100).min(startups.len().saturating_sub(1)));
    let (watched, rebuffered) = figures
        .iter()
        .fold((0.0, 0.0), |(watched, rebuffered), one| (watched + one.watched_ms, rebuffered + one.rebuffered_ms));
    Quality {
        channel,
        content,
        viewers: count(|one| one.is_present),
        viewings: figures.len() as u64,
        exits_before_start: count(|one| one.is_exit),
        startup_p50: at(50).copied(),
        startup_p95: at(95).copied(),
        rebuffer_ratio: if watched + rebuffered > 0.0 { rebuffered / (watched + rebuffered) } else { 0.0 },
        with_errors: count(|one| one.has_error),
    }
}
