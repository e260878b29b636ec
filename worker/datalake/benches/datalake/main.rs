//! Benchmarks of the datalake, on the real router and disk. The results are written to `docs/benchmarks.md`.
//!
//! `ingest` (`make bench`) compares the throughput with other systems; `measure_once SYSTEM BATCH` measures one of them once,
//! for profiling. `instructions` counts the cost of an event (needs valgrind). `soak` (`make soak`) sends millions of
//! events, and simulates an outage.

#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a benchmark fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]

mod bare;
mod document;
mod events;
mod figures;
mod graph;
mod ingest;
mod instructions;
mod load;
mod measure;
mod peers;
mod servers;
mod soak;
mod systems;
mod wire;

/// As in the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", kind, folder] => servers::serve(kind, folder.as_ref()),
        ["soak"] => soak::run(),
        ["ingest"] | [] => ingest::run(),
        ["instructions"] => instructions::run(),
        ["look", system, batch] => ingest::measure_one(system, batch.parse().unwrap()),
        other => panic!("unknown arguments {other:?}: expected ingest, look SYSTEM BATCH, instructions or soak"),
    }
}
