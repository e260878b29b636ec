//! The results: medians over the rounds, and ratios within a round, written to `docs/benchmarks.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::document;
use super::ingest::BATCHES;
use super::load::Load;
use super::systems::System;

pub(crate) struct Sample {
    pub(crate) load: Load,
    pub(crate) memory_bytes: u64,
    pub(crate) disk_bytes: u64,
    /// Processor time of the server, including the warm-up.
    pub(crate) processor: Duration,
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
impl Sample {
    /// Processor time of the server per event, in microseconds.
    pub(crate) fn processor_us(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.load.events as f64
    }

    pub(crate) fn disk_an_event(&self) -> f64 {
        self.disk_bytes as f64 / self.load.events as f64
    }
}

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

    pub(crate) fn add(&mut self, batch: usize, system: System, sample: Sample) {
        self.samples.entry((batch, system)).or_default().push(sample);
    }

    fn samples(&self, batch: usize, system: System) -> &[Sample] {
        self.samples.get(&(batch, system)).map(Vec::as_slice).unwrap_or_default()
    }

    fn of(&self, batch: usize, system: System, figure: impl Fn(&Sample) -> f64) -> f64 {
        median(self.samples(batch, system).iter().map(figure))
    }

    /// The worker's result relative to the other system's, round by round.
    fn ratio(&self, batch: usize, other: System, figure: impl Fn(&Sample) -> f64) -> f64 {
        let pairs = self.samples(batch, System::Touchline).iter().zip(self.samples(batch, other));
        median(pairs.map(|(worker, other)| figure(worker) / figure(other)))
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes far below 2^53")]
    fn text(&self) -> String {
        let mut text = format!(
            "Medians of {} rounds of {} s after a second of warm-up; clients and server share {} cores. Ratios are those of one round, their median.\n\n",
            self.rounds,
            self.measured.as_secs(),
            std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        );
        text.push_str("| events a request | system | events/s | p50 ms | p99 ms | processor µs an event | memory MB | disk bytes an event |\n");
        text.push_str("|--:|---|--:|--:|--:|--:|--:|--:|\n");
        for batch in BATCHES {
            for system in System::ALL {
                writeln!(
                    text,
                    "| {batch} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} |",
                    system.name(),
                    self.of(batch, system, |sample| sample.load.events_per_s),
                    self.of(batch, system, |sample| sample.load.p50_ms),
                    self.of(batch, system, |sample| sample.load.p99_ms),
                    self.of(batch, system, Sample::processor_us),
                    self.of(batch, system, |sample| sample.memory_bytes as f64 / 1e6),
                    self.of(batch, system, Sample::disk_an_event),
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

    /// Writes the tables to the document.
    pub(crate) fn write(&self) {
        document::replace("datalake ingest", &self.text());
    }
}
