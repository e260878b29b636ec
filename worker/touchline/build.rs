//! The site and the demo channels are embedded: a file that comes or goes there makes the binary anew. The binary names
//! the commit that it was built of: logs, reports and analytics tell which build they are of.

use std::process::Command;

fn main() {
    for folder in ["../../web/dist", "../../fixtures/channels"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    println!("cargo:rerun-if-env-changed=BUILD_COMMIT");
    // Each commit, and each change of the branch, adds a line to it.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // An archive of the tree has no repository: who packs it may say what it is of.
    let commit = std::env::var("BUILD_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    let build = commit.map_or_else(|| version.clone(), |commit| format!("{version}+{commit}"));
    // Named as no setting is: what Cargo runs, the worker of a test among them, inherits it.
    println!("cargo:rustc-env=BUILD_NAME={build}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
