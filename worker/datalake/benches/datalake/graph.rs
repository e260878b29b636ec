//! A graph of memory and disk over time.

use std::fmt::Write;
use std::time::Duration;

/// One sample of the worker. Sizes in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) at: Duration,
    pub(crate) memory: u64,
    pub(crate) folder: u64,
    pub(crate) waiting: u64,
    /// Events.
    pub(crate) queued: u64,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 260.0;
const MARGIN_X: f64 = 60.0;
const MARGIN_Y: f64 = 24.0;

type Line = (&'static str, &'static str, fn(&Sample) -> u64);

const LINES: [Line; 3] = [
    ("memory", "#b4232a", |sample| sample.memory),
    ("queue folder", "#1f5f8b", |sample| sample.folder),
    ("waiting", "#7a8b99", |sample| sample.waiting),
];

#[expect(clippy::cast_precision_loss, reason = "bytes far below 2^53")]
fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The median memory of the last quarter relative to the second.
pub(crate) fn growth(samples: &[Sample]) -> f64 {
    let quarter = samples.len() / 4;
    let median = |part: &[Sample]| {
        let mut memory: Vec<u64> = part.iter().map(|sample| sample.memory).collect();
        memory.sort_unstable();
        memory.get(memory.len() / 2).copied().map_or(f64::NAN, mb)
    };
    median(&samples[3 * quarter..]) / median(&samples[quarter..2 * quarter])
}

pub(crate) fn svg(samples: &[Sample]) -> String {
    let end_s = samples.last().map_or(1.0, |sample| sample.at.as_secs_f64());
    let highest = samples.iter().flat_map(|sample| LINES.map(|(_, _, of)| mb(of(sample)))).fold(1.0, f64::max);
    let top = (highest / 50.0).ceil() * 50.0;
    let x = |s: f64| MARGIN_X + s / end_s * (WIDTH - MARGIN_X - 20.0);
    let y = |mb: f64| MARGIN_Y + (1.0 - mb / top) * (HEIGHT - MARGIN_Y - 40.0);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"><title>Memory and disk of the datalake while events go in and out</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##
    );
    for step in 0..=4 {
        let (mb, s) = (top / 4.0 * f64::from(step), end_s / 4.0 * f64::from(step));
        write!(
            svg,
            r##"<path d="M{MARGIN_X} {1:.1}H{2:.1}" stroke="#ddd"/><text x="{3:.1}" y="{4:.1}" text-anchor="end">{mb:.0} MB</text><text x="{0:.1}" y="{5:.1}" text-anchor="middle">{s:.0} s</text>"##,
            x(s),
            y(mb),
            WIDTH - 20.0,
            MARGIN_X - 6.0,
            y(mb) + 4.0,
            HEIGHT - 20.0,
        )
        .unwrap();
    }
    for (n, (name, colour, of)) in (0_u32..).zip(LINES) {
        let points: Vec<_> = samples
            .iter()
            .map(|sample| format!("{:.1},{:.1}", x(sample.at.as_secs_f64()), y(mb(of(sample)))))
            .collect();
        write!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.5"/><text x="{:.1}" y="14" fill="{colour}">{name}</text>"#,
            points.join(" "),
            MARGIN_X + f64::from(n) * 130.0,
        )
        .unwrap();
    }
    svg.push_str("</svg>\n");
    svg
}
