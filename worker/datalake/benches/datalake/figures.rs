//! The figures: medians of the rounds, ratios taken within a round, written into `docs/benchmarks.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::document;
use super::ingest::BATCHES;
use super::load::Load;
use super::systems::System;

struct Sample {
    load: Load,
    memory_bytes: u64,
    disk_bytes: u64,
}

/// What was measured so far.
pub(crate) struct Figures {
    rounds: u64,
    measured: Duration,
    samples: BTreeMap<(usize, System), Vec<Sample>>,
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => f64::midpoint(values[count / 2 - 1], values[count / 2]),
    }
}

impl Figures {
    pub(crate) fn new(rounds: u64, measured: Duration) -> Self {
        Self { rounds, measured, samples: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, batch: usize, system: System, load: Load, memory_bytes: u64, disk_bytes: u64) {
        self.samples.entry((batch, system)).or_default().push(Sample { load, memory_bytes, disk_bytes });
    }

    fn samples(&self, batch: usize, system: System) -> &[Sample] {
        self.samples.get(&(batch, system)).map(Vec::as_slice).unwrap_or_default()
    }

    fn of(&self, batch: usize, system: System, figure: impl Fn(&Sample) -> f64) -> f64 {
        median(self.samples(batch, system).iter().map(figure))
    }

    /// The worker's figure as a part of the other's, round by round.
    fn ratio(&self, batch: usize, other: System, figure: impl Fn(&Sample) -> f64) -> f64 {
        let pairs = self.samples(batch, System::Touchline).iter().zip(self.samples(batch, other));
        median(pairs.map(|(own, other)| figure(own) / figure(other)))
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes far below 2^53")]
    fn text(&self) -> String {
        let mut text = format!(
            "Medians of {} rounds of {} s after a second of warm-up; clients and server share {} cores. Ratios are those of one round, their median.\n\n",
            self.rounds,
            self.measured.as_secs(),
            std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        );
        text.push_str("| events a request | system | events/s | p50 ms | p99 ms | memory MB | disk bytes an event |\n");
        text.push_str("|--:|---|--:|--:|--:|--:|--:|\n");
        for batch in BATCHES {
            for system in System::ALL {
                writeln!(
                    text,
                    "| {batch} | {} | {:.0} | {:.1} | {:.1} | {:.0} | {:.0} |",
                    system.name(),
                    self.of(batch, system, |sample| sample.load.events_per_s),
                    self.of(batch, system, |sample| sample.load.p50_ms),
                    self.of(batch, system, |sample| sample.load.p99_ms),
                    self.of(batch, system, |sample| sample.memory_bytes as f64 / 1e6),
                    self.of(batch, system, |sample| sample.disk_bytes as f64 / sample.load.events as f64),
                )
                .unwrap();
            }
        }
        text.push_str("\n| events a request | Touchline / Redis | Touchline / PostgreSQL | Touchline / bare file | p99 / Redis's | p99 / PostgreSQL's |\n");
        text.push_str("|--:|--:|--:|--:|--:|--:|\n");
        for batch in BATCHES {
            let speed = |other| self.ratio(batch, other, |sample| sample.load.events_per_s);
            let wait = |other| self.ratio(batch, other, |sample| sample.load.p99_ms);
            writeln!(
                text,
                "| {batch} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                speed(System::Redis),
                speed(System::Postgres),
                speed(System::Bare),
                wait(System::Redis),
                wait(System::Postgres),
            )
            .unwrap();
        }
        text
    }

    /// Writes the tables into the document.
    pub(crate) fn write(&self) {
        document::replace("datalake ingest", &self.text());
    }
}
