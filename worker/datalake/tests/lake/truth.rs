//! The shipped queries, compared with a simulated month whose figures are known (`worker/datalake/truth`).

use std::process::Command;

/// `make soak` compares a million events.
#[test]
fn the_shipped_queries_return_the_figures_of_a_simulated_month() {
    let check = concat!(env!("CARGO_MANIFEST_DIR"), "/truth/check.py");
    let output = Command::new("python3").args([check, "51", "10000"]).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{text}");
}
