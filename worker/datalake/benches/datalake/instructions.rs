//! The cost of an event in server instructions, for the worker and the plain file. The result does not depend on the
//! load of the machine. Each runs under callgrind behind its real socket with 64 clients. Kernel instructions are not
//! counted; those of the start are subtracted with a second, longer run.

use std::path::Path;
use std::process::Command;

use super::load;
use super::servers;

const BATCHES: [usize; 2] = [20, 50];
const FEWER_EVENTS: u64 = 40_000;
const MORE_EVENTS: u64 = 160_000;

/// Prints the instructions per event. The profiles of the longer runs stay in cargo's folder for temporary files.
pub(crate) fn run() {
    for batch in BATCHES {
        for kind in ["touchline", "bare"] {
            let fewer = count(kind, batch, FEWER_EVENTS);
            let counted = count(kind, batch, MORE_EVENTS).saturating_sub(fewer);
            eprintln!("{batch} a request, {kind}: {} instructions an event", counted / (MORE_EVENTS - FEWER_EVENTS));
        }
    }
}

/// The instructions of a server from start to end, with so many events in between.
fn count(kind: &str, batch: usize, events: u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("valgrind.log");
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("callgrind.{kind}.{batch}"));
    let mut callgrind = Command::new("valgrind");
    callgrind.args(["--tool=callgrind", "--fair-sched=yes"]);
    callgrind.arg(format!("--log-file={}", log.display())).arg(format!("--callgrind-out-file={}", profile.display()));
    callgrind.arg(std::env::current_exe().unwrap());
    let (mut server, address) = servers::start_by(callgrind, kind, folder.path());
    load::send_total(address, batch, events, || {});
    drop(server.stdin.take());
    server.wait().unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    let collected = log.lines().find_map(|line| line.split_once("Collected : ")).unwrap().1;
    collected.trim().parse().unwrap()
}
