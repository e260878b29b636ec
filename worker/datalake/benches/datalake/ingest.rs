//! How fast events are taken, durable at the answer: the worker beside Redis 7 streams, PostgreSQL, and the same server
//! on a bare append-only file, which is the limit.
//!
//! The systems take turns within each round, so that a machine that slows down slows all of them; what is told is the
//! median of the rounds, and ratios are taken within a round.

use std::time::Duration;

use super::figures::Figures;
use super::systems::{Server, System};
use super::{load, measure, number, peers};

/// Events a request.
pub(crate) const BATCHES: [usize; 3] = [1, 20, 50];
const WARM_UP: Duration = Duration::from_secs(1);

pub(crate) fn run() {
    let rounds = number("TOUCHLINE_BENCH_ROUNDS", 5);
    let measured = Duration::from_secs(number("TOUCHLINE_BENCH_SECONDS", 4));
    let template = peers::postgres_template();
    let mut figures = Figures::new(rounds, measured);
    for round in 0..rounds {
        for batch in BATCHES {
            for system in System::ALL {
                let server = Server::start(system, template.path());
                rustix::fs::sync();
                let before = measure::disk_bytes(server.folder());
                let load = load::for_a_time(&server, batch, WARM_UP, measured);
                let disk = measure::disk_bytes(server.folder()).saturating_sub(before);
                let memory = measure::memory_bytes(server.pid());
                eprintln!(
                    "round {round}, {batch} a request, {}: {:.0} events/s, p50 {:.1} ms, p99 {:.1} ms",
                    system.name(),
                    load.events_per_s,
                    load.p50_ms,
                    load.p99_ms
                );
                figures.add(batch, system, load, memory, disk);
            }
        }
    }
    figures.write();
}
