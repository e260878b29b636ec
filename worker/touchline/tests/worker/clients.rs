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

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");
const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

/// Shows CALL-13.
#[test]
fn a_generated_python_client_registers_buys_and_watches() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let mut generate = Command::new("openapi-python-client");
    generate.args(["generate", "--path", COMMITTED, "--meta", "none", "--output-path", "generated"]);
    succeeds(generate.current_dir(folder.path()));
    let mut watch = Command::new("python3");
    watch.arg(Path::new(CLIENTS).join("buy_and_watch.py")).arg(worker.url(""));
    watch.env("PYTHONPATH", folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    assert_eq!(succeeds(&mut watch), "watched\n");
    assert!(worker.end().0.success());
}

/// Shows CALL-13.
#[test]
fn a_generated_typescript_client_registers_buys_and_watches() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let web = Path::new(WEB).canonicalize().unwrap();
    let generators = web.join("codegen/node_modules/.bin");
    let mut generate = Command::new(generators.join("openapi-typescript"));
    succeeds(generate.args([COMMITTED, "--output"]).arg(folder.path().join("openapi.ts")));
    let program = folder.path().join("buy_and_watch.ts");
    std::fs::copy(Path::new(CLIENTS).join("buy_and_watch.ts"), &program).unwrap();
    std::os::unix::fs::symlink(web.join("node_modules"), folder.path().join("node_modules")).unwrap();
    std::fs::write(folder.path().join("package.json"), r#"{ "type": "module" }"#).unwrap();
    let mut check = Command::new(generators.join("tsc"));
    check.args(["--noEmit", "--strict", "--skipLibCheck", "--types", "node", "--lib", "es2023,dom"]);
    check.args(["--target", "es2023", "--module", "esnext", "--moduleResolution", "bundler"]);
    succeeds(check.arg(&program).current_dir(folder.path()));
    let mut watch = Command::new(web.join("node_modules/.bin/tsx"));
    assert_eq!(succeeds(watch.arg(&program).arg(worker.url(""))), "watched\n");
    assert!(worker.end().0.success());
}
