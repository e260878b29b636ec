//! Throughput with durable answers: the worker compared with Redis 7 streams, PostgreSQL, and the same server on a
//! plain append-only file, the upper bound.
//!
//! The systems take turns within each round, so that a machine that slows down affects all of them. The results are
//! medians over the rounds, with ratios taken within a round.

use std::time::Duration;

use super::figures::{Figures, Sample};
use super::systems::{Server, System};
use super::{load, measure, number, peers};

/// Events per request.
pub(crate) const BATCHES: [usize; 3] = [1, 20, 50];
/// Fewest rounds for which the results are written.
const WRITTEN_FROM: u64 = 3;
const WARM_UP: Duration = Duration::from_secs(1);

fn measure_once(server: &Server, batch: usize, measured: Duration) -> Sample {
    rustix::fs::sync();
    let before = measure::disk_bytes(server.folder());
    let begin = measure::cpu_time(server.pid());
    let load = load::send_for(server, batch, WARM_UP, measured);
    let sample = Sample {
        load,
        disk_bytes: measure::disk_bytes(server.folder()).saturating_sub(before),
        memory_bytes: measure::memory_bytes(server.pid()),
        processor: measure::cpu_time(server.pid()) - begin,
    };
    eprintln!(
        "{batch} a request, {}: {:.0} events/s, p50 {:.1} ms, p99 {:.1} ms, {:.1} µs and {:.0} bytes an event",
        server.system().name(),
        load.events_per_s,
        load.p50_ms,
        load.p99_ms,
        sample.processor_us(),
        sample.disk_an_event(),
    );
    sample
}

/// Measures the system whose name starts with `name`. Prints the result without writing it.
pub(crate) fn measure_one(name: &str, batch: usize) {
    let system = System::ALL.into_iter().find(|system| system.name().to_lowercase().starts_with(name));
    let system = system.unwrap_or_else(|| panic!("unknown system {name}"));
    let template = peers::postgres_template();
    measure_once(&Server::start(system, template.path()), batch, measured());
}

fn measured() -> Duration {
    Duration::from_secs(number("TOUCHLINE_BENCH_SECONDS", 4))
}

pub(crate) fn run() {
    let rounds = number("TOUCHLINE_BENCH_ROUNDS", 5);
    let measured = measured();
    let template = peers::postgres_template();
    let mut figures = Figures::new(rounds, measured);
    for round in 0..rounds {
        for batch in BATCHES {
            for system in System::ALL {
                eprint!("round {round}: ");
                figures.add(batch, system, measure_once(&Server::start(system, template.path()), batch, measured));
            }
        }
    }
    if rounds >= WRITTEN_FROM {
        figures.write();
    } else {
        eprintln!("not written: at least {WRITTEN_FROM} rounds are required");
    }
}
