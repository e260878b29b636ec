//! How well it plays now, by what is watched: for the admin's page and the metrics (`QOE-3`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::record::{Viewing, WATCHED};
use super::row::Ending;

/// A viewer whose player gave no sign for so long is not counted: it tells the time every 30 seconds.
const PRESENT: Duration = Duration::from_secs(75);
/// Viewings that ended in this time are in the figures.
const LATELY: Duration = Duration::from_secs(15 * 60);
/// Viewings that ended and are remembered for the figures.
const REMEMBERED: usize = 20_000;
/// What is watched and told apart; the rest has one line.
const TOLD_APART: usize = 100;

/// How well one event, video or clip plays: of the viewings under way and of those that ended in the last 15 minutes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Quality {
    /// The channel's key.
    pub channel: String,
    /// `event`, `vod` or `clip`, and its id, such as `event 12`.
    pub content: String,
    /// Viewers at the moment.
    pub viewers: u64,
    /// Viewings.
    pub viewings: u64,
    /// Viewings that were left before their first frame.
    pub exits_before_start: u64,
    /// The median startup time, seconds.
    pub startup_p50: Option<f64>,
    /// Of 95 in 100 viewings the startup time is less, seconds.
    pub startup_p95: Option<f64>,
    /// Of the time that was watched or waited for, the part that was waited for, 0 to 1.
    pub rebuffer_ratio: f64,
    /// Viewings in which an error was told.
    pub with_errors: u64,
}

/// What the figures need of one viewing.
#[derive(Debug, Clone)]
struct Figures {
    channel: String,
    content: String,
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
        let is_recent = now_us - viewing.received_us < micros(PRESENT);
        Self {
            channel: text("channel"),
            content: format!("{} {}", text("content_type"), text("content_id")).trim().to_owned(),
            startup_s: viewing.number("msd").map(|ms| ms / 1000.0),
            watched_ms: viewing.number(WATCHED).unwrap_or(0.0),
            rebuffered_ms: viewing.number("bsda").unwrap_or(0.0),
            has_error: viewing.errors > 0,
            is_exit: viewing.ending() == Ending::BeforeStart,
            received_us: viewing.received_us,
            is_present: is_recent && !viewing.said_its_end(),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Viewings that ended lately.
#[derive(Debug, Default)]
pub(crate) struct Ended(VecDeque<Figures>);

impl Ended {
    /// A viewing got its row.
    pub(crate) fn push(&mut self, viewing: &Viewing, now_us: i64) {
        self.0.push_back(Figures::of(viewing, now_us));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// The figures now, those with the most viewers first.
    pub(crate) fn with<'a>(&mut self, open: impl Iterator<Item = &'a Viewing>, now_us: i64) -> Vec<Quality> {
        while self.0.front().is_some_and(|first| now_us - first.received_us > micros(LATELY)) {
            self.0.pop_front();
        }
        let mut by_content: BTreeMap<(String, String), Vec<Figures>> = BTreeMap::new();
        for figures in self.0.iter().cloned().chain(open.map(|viewing| Figures::of(viewing, now_us))) {
            by_content.entry((figures.channel.clone(), figures.content.clone())).or_default().push(figures);
        }
        let mut all: Vec<_> = by_content.into_iter().collect();
        all.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.iter().filter(|one| one.is_present).count()));
        let rest: Vec<_> =
            all.split_off(all.len().min(TOLD_APART)).into_iter().flat_map(|(_, figures)| figures).collect();
        if !rest.is_empty() {
            all.push(((String::new(), "other".to_owned()), rest));
        }
        all.into_iter().map(|((channel, content), figures)| judged(channel, content, &figures)).collect()
    }
}

/// Brings the gauges up to date. Those of what is not watched any more, which are in `before`, go to zero.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; counts stay far below 2^53")]
pub(crate) fn measure(now: &[Quality], before: &mut BTreeSet<(String, String)>) {
    let gone = before
        .iter()
        .filter(|(channel, content)| !now.iter().any(|one| one.channel == *channel && one.content == *content));
    let gone: Vec<_> = gone.map(|(channel, content)| (channel.clone(), content.clone())).collect();
    let nothing = gone.iter().map(|(channel, content)| Quality {
        channel: channel.clone(),
        content: content.clone(),
        ..Quality::default()
    });
    for one in now.iter().cloned().chain(nothing) {
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
    *before = now.iter().map(|one| (one.channel.clone(), one.content.clone())).collect();
}

fn judged(channel: String, content: String, figures: &[Figures]) -> Quality {
    let count = |is: fn(&Figures) -> bool| figures.iter().filter(|one| is(one)).count() as u64;
    let mut startups: Vec<f64> = figures.iter().filter_map(|one| one.startup_s).collect();
    startups.sort_by(f64::total_cmp);
    let at =
        |hundredths: usize| startups.get((startups.len() * hundredths / 100).min(startups.len().saturating_sub(1)));
    let (watched, waited) = figures
        .iter()
        .fold((0.0, 0.0), |(watched, waited), one| (watched + one.watched_ms, waited + one.rebuffered_ms));
    Quality {
        channel,
        content,
        viewers: count(|one| one.is_present),
        viewings: figures.len() as u64,
        exits_before_start: count(|one| one.is_exit),
        startup_p50: at(50).copied(),
        startup_p95: at(95).copied(),
        rebuffer_ratio: if watched + waited > 0.0 { waited / (watched + waited) } else { 0.0 },
        with_errors: count(|one| one.has_error),
    }
}
