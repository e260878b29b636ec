//! The row of a viewing in the table `viewing`, with the names and formulas of CTA-5004-B and CTA-2066.

use serde_json::{Map, Value, json};

use super::record::{RENDITIONS, SPOT, Viewing, WATCHED};
use crate::event::{self, QueuedEvent};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Ended,
    Left,
    Failed,
    /// The viewer left before the first frame.
    BeforeStart,
    /// Reports stopped without an end.
    Lost,
}

impl Ending {
    fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Left => "left",
            Self::Failed => "failed",
            Self::BeforeStart => "before_start",
            Self::Lost => "lost",
        }
    }
}

/// A time during which one rendition was displayed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rendition {
    height: f64,
    kbps: f64,
    ms: f64,
}

fn parse_renditions(text: &str) -> Vec<Rendition> {
    let part = |part: &str| {
        let mut numbers = part.split(':').map(|number| number.parse::<f64>().ok().filter(|number| *number >= 0.0));
        Some(Rendition { height: numbers.next()??, kbps: numbers.next()??, ms: numbers.next()?? })
    };
    text.split(' ').filter_map(part).collect()
}

/// A mean of the renditions, weighted by time.
fn mean(renditions: &[Rendition], of: impl Fn(&Rendition) -> f64) -> Option<f64> {
    let all: f64 = renditions.iter().map(|one| one.ms).sum();
    (all > 0.0).then(|| (renditions.iter().map(|one| of(one) * one.ms).sum::<f64>() / all).round())
}

impl Viewing {
    /// The number of a key. Of a list with one number for each kind of media, the largest.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        match self.keys.get(key)? {
            Value::Number(number) => number.as_f64(),
            Value::Array(items) => items.iter().filter_map(Value::as_f64).reduce(f64::max),
            _ => None,
        }
    }

    /// The ending, assuming that the viewing is over.
    pub(crate) fn ending(&self) -> Ending {
        match &*self.sta {
            "e" => Ending::Ended,
            "f" => Ending::Failed,
            "q" if self.number("msd").is_none() => Ending::BeforeStart,
            "q" => Ending::Left,
            _ => Ending::Lost,
        }
    }

    /// Its row, as an event of the table `viewing`.
    pub(crate) fn row(&self, sid: &str, now_us: i64) -> QueuedEvent {
        let seconds = |ms: f64| Value::from((ms.max(0.0)).round() / 1000.0);
        let in_seconds = |key: &str| self.number(key).map(seconds);
        let stretches = self.keys.get(RENDITIONS).and_then(Value::as_str).map(parse_renditions).unwrap_or_default();
        let [watched, rebuffered] = [WATCHED, "bsda"].map(|key| self.number(key));
        let ratio = watched.zip(rebuffered).map(|(watched, rebuffered)| {
            if watched + rebuffered > 0.0 { rebuffered / (watched + rebuffered) } else { 0.0 }
        });
        let renditions =
            stretches.iter().map(|one| json!({"height": one.height, "kbps": one.kbps, "s": one.ms / 1000.0}));
        let number = |value: Option<f64>| value.map(Value::from);
        let mut body: Map<String, Value> = Map::new();
        body.insert("viewing".to_owned(), sid.into());
        body.insert("began_at".to_owned(), self.began_us.into());
        body.insert("ending".to_owned(), self.ending().name().into());
        let measured = [
            ("startup_time", in_seconds("msd")),
            ("watch_time", watched.map(seconds)),
            ("rebuffer_count", number(self.number("bsa"))),
            ("rebuffer_time", rebuffered.map(seconds)),
            ("rebuffer_ratio", number(ratio)),
            ("bitrate", number(mean(&stretches, |one| one.kbps).or_else(|| self.number("br")))),
            ("height", number(mean(&stretches, |one| one.height))),
            ("renditions", (!stretches.is_empty()).then(|| renditions.collect::<Vec<_>>().into())),
            ("dropped_frames", number(self.number("dfa"))),
            ("live_latency", in_seconds("ltc")),
            ("errors", Some(self.errors.into())),
            ("error_codes", (!self.codes.is_empty()).then(|| self.codes.clone().into())),
            ("cdn", self.keys.get("cdn").filter(|cdn| cdn.is_string()).cloned()),
            ("spot_quartile", number(self.number(SPOT))),
        ];
        body.extend(measured.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        body.extend(self.about.clone());
        // An amended row is another event.
        let id = event::id_of(&format!("viewing {sid} {now_us}"));
        QueuedEvent {
            id,
            at_us: self.at_us,
            received_us: now_us,
            occurred_us: self.last_us,
            body: Value::Object(body).to_string().into(),
        }
    }
}
