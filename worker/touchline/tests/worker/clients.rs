//! The committed API document is valid, and clients are generated from it.

use std::path::Path;
use std::process::Command;

use crate::openapi::COMMITTED;
use crate::support::{Worker, folder, text};

fn succeeds(command: &mut Command) -> String {
    let name = format!("{command:?}");
    let ran = command.output().unwrap_or_else(|error| panic!("{name} (scripts/requirements.txt): {error}"));
    assert!(ran.status.success(), "{name}: {}{}", text(&ran.stdout), text(&ran.stderr));
    text(&ran.stdout)
}

/// Shows CALL-13.
#[test]
fn the_document_is_valid_openapi() {
    succeeds(Command::new("openapi-spec-validator").arg(COMMITTED));
}

/// Shows CALL-13.
#[test]
fn a_generated_client_registers_buys_and_watches() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let mut generate = Command::new("openapi-python-client");
    generate.args(["generate", "--path", COMMITTED, "--meta", "none", "--output-path", "generated"]);
    succeeds(generate.current_dir(folder.path()));
    let mut watch = Command::new("python3");
    watch.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/buy_and_watch.py")).arg(worker.url(""));
    watch.env("PYTHONPATH", folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    assert_eq!(succeeds(&mut watch), "watched\n");
    assert!(worker.end().0.success());
}
