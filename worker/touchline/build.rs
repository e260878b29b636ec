//! Embeds the site and the demo channels: a file added to or removed from them rebuilds the binary. The binary carries
//! the commit it was built from, which logs, reports and analytics name as their build.

use std::process::Command;

fn main() {
    for folder in ["../../web/dist", "../../fixtures/channels"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    println!("cargo:rerun-if-env-changed=BUILD_COMMIT");
    // Every commit and every switch of branches appends to this log.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // An archive of the tree has no repository; its packager can set BUILD_COMMIT.
    let commit = std::env::var("BUILD_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    let build = commit.map_or_else(|| version.clone(), |commit| format!("{version}+{commit}"));
    // Not named like a setting, because every process that Cargo runs inherits it, also the worker of a test.
    println!("cargo:rustc-env=BUILD_NAME={build}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
