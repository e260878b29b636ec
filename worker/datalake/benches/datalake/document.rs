//! Updates the measured sections of `docs/benchmarks.md`, which are enclosed in markers.

use std::path::{Path, PathBuf};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Replaces the section `name`, or appends it.
pub(crate) fn replace(name: &str, text: &str) {
    let path = folder().join("benchmarks.md");
    let document = std::fs::read_to_string(&path).unwrap_or_else(|_| "# Benchmarks\n".to_owned());
    let (begin, end) = (format!("<!-- measured: {name} -->\n"), format!("<!-- end: {name} -->\n"));
    let part = format!("{begin}\n{}\n\n{end}", text.trim());
    let found = document.find(&begin).zip(document.find(&end));
    let written = match found {
        Some((from, until)) => format!("{}{part}{}", &document[..from], &document[until + end.len()..]),
        None => format!("{document}\n{part}"),
    };
    std::fs::write(path, written).unwrap();
}
