//! Calls answer any input as documented (`CALL-4`, `ERR`): schemathesis with all checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::openapi::COMMITTED;
use crate::support::{Worker, folder, text};

/// Cases per call in addition to examples and boundaries; `make fuzz` asks for more.
const EXAMPLES: &str = "2";
/// A fixed seed, unless more cases are requested.
const SEED: &str = "20261121";

/// Calls that only succeed with data from an email, another site, a bank or the operator.
const NEED_MORE: &[&str] = &[
    "DELETE /api/auth/linked_logins/{provider}",
    "GET /api/auth/social/{provider}/start",
    "GET /api/download-event/{id}",
    "POST /api/auth/email-verify",
    "POST /api/auth/password-reset",
    "POST /api/delete-account-confirm",
    "POST /api/stripe/sandbox-confirm",
    "POST /api/v2/auth/social/{provider}",
];

/// Targets of the document's links that must succeed when followed. Clips are one step further, so not every run
/// reaches them.
const FOLLOWED: &[&str] =
    &["DELETE /api/auth/sessions/{id}", "GET /api/events/{id}", "POST /api/favorite", "POST /api/stripe/buy"];

/// Calls beyond the specification that must succeed, by the clauses of CALL-11.
const UNSPECIFIED: &[&str] = &[
    "GET /api/clips/vod/{id}",
    "POST /api/custom-forms/{alias}",
    "POST /api/auth/session_code",
    "GET /api/auth/sessions",
    "DELETE /api/auth/sessions/{id}",
    "GET /api/auth/linked_logins",
    "POST /api/auth/email-verify-request",
    "POST /api/delete-account",
    "GET /api/transactions",
    "POST /api/stripe/save-card",
    "POST /api/stripe/remove-card",
    "POST /api/stripe/subscription/resume",
    "POST /api/stripe/subscription/use_card",
    "POST /api/stripe/sandbox-card",
    "GET /api/playback",
    "POST /api/playback",
    "POST /datalake/batch",
    "POST /api/problem-report",
    "GET /api/search",
    "GET /api/events/starts",
    "GET /api/packages/contents",
    "GET /api/calendar/{of}/{id}",
];

/// Shows CALL-2 to CALL-9, CALL-11a, CALL-11b, CALL-11c, CALL-11d, CALL-11e, CALL-11g, CALL-11h, CALL-11i, CALL-11j,
/// CALL-11k, CALL-11l, CALL-11m, CALL-11n.
#[test]
fn every_call_answers_as_documented() {
    let (folder, data) = folder();
    let fuzz_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    // Each case has an address of its own, forwarded by a trusted proxy.
    let worker = Worker::start(&data, &["--trusted-proxies", "127.0.0.0/8", "--sandbox-delay-ms", "0"]);
    let tally = folder.path().join("tally.json");
    let more = std::env::var("TOUCHLINE_FUZZ_EXAMPLES").ok();
    let mut command = Command::new("schemathesis");
    command.arg("--config-file").arg(fuzz_folder.join("schemathesis.toml")).args(["run", COMMITTED, "--checks", "all"]);
    // It expects 401 for an invalid key, which is 400.
    command.args(["--exclude-checks", "ignored_auth"]);
    command.args(["--url", &worker.url(""), "--max-examples", more.as_deref().unwrap_or(EXAMPLES)]);
    if more.is_none() {
        command.args(["--seed", SEED, "--phases", "examples,coverage,fuzzing"]);
    }
    command.env("SCHEMATHESIS_HOOKS", fuzz_folder.join("hooks.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("FUZZED_WORKER", worker.url("")).env("FUZZED_TALLY", &tally).current_dir(folder.path());
    let ran = command.output().unwrap_or_else(|error| panic!("schemathesis (scripts/requirements.txt): {error}"));
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));

    // With wrong keys or examples, every case would be refused and nothing tested.
    let tally: BTreeMap<String, u32> = serde_json::from_slice(&std::fs::read(tally).unwrap()).unwrap();
    let (chains, tally): (BTreeMap<_, _>, BTreeMap<_, _>) =
        tally.into_iter().partition(|(line, _)| line.starts_with("stateful "));
    let called: BTreeSet<_> = tally.keys().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
    assert!(called.len() > 60, "{called:?}");
    let never: Vec<_> = called.into_iter().filter(|call| !tally.contains_key(&format!("{call} 200"))).collect();
    assert!(never.iter().all(|call| NEED_MORE.contains(call)), "these never succeed: {never:?}");
    for call in UNSPECIFIED {
        assert!(tally.contains_key(&format!("{call} 200")), "{call} never succeeds: {tally:?}");
    }
    for call in if more.is_some() { FOLLOWED } else { &[] } {
        assert!(chains.contains_key(&format!("stateful {call} 200")), "no chain reached {call}: {chains:?}");
    }
    let log = worker.log();
    assert!(!log.contains("panicked") && !log.contains("ERROR"), "{log}");
    assert!(worker.end().0.success());
}
