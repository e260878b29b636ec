//! Reads the log of the preloaded recorder (`record.c`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const HEAD: usize = 32;

/// A recorded step, in order. Paths are relative to the watched folder.
#[derive(Debug)]
pub(crate) enum Step {
    /// A file was created.
    Created {
        path: String,
        inode: u64,
    },
    /// A folder was created; the watched folder itself has an empty path.
    Made {
        path: String,
        inode: u64,
    },
    Wrote {
        inode: u64,
        offset: u64,
        bytes: Vec<u8>,
    },
    Cut {
        inode: u64,
        length: u64,
    },
    Renamed {
        from: String,
        to: String,
    },
    Linked {
        from: String,
        to: String,
    },
    /// A file or an empty folder was removed.
    Removed {
        path: String,
    },
    /// A sync of a file or a folder started. It covers all earlier steps.
    SyncBegan {
        inode: u64,
        number: i64,
    },
    /// A sync succeeded.
    SyncEnded {
        number: i64,
    },
    /// A request was answered with 200 and this body.
    Answered {
        body: Value,
    },
}

/// Compiles the recorder, and returns the library to preload.
pub(crate) fn compile(source: &Path, folder: &Path) -> PathBuf {
    let library = folder.join("record.so");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-pthread", "-o"]).arg(&library).arg(source);
    assert!(cc.status().unwrap().success(), "the recorder of writes does not compile");
    library
}

pub(crate) fn read(mut log: &[u8]) -> Vec<Step> {
    let mut steps = Vec::new();
    while !log.is_empty() {
        let (head, rest) = log.split_at(HEAD);
        let field = |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().unwrap());
        let long = |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().unwrap());
        let (first, rest) = rest.split_at(field(4) as usize);
        let (second, rest) = rest.split_at(field(8) as usize);
        log = rest;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (inode, number) = (long(16), long(24));
        steps.push(match char::from_u32(field(0)).unwrap() {
            'C' => Step::Created { path: text(first), inode },
            'M' => Step::Made { path: text(first), inode },
            'W' => Step::Wrote { inode, offset: number, bytes: first.to_vec() },
            'T' => Step::Cut { inode, length: number },
            'R' => Step::Renamed { from: text(first), to: text(second) },
            'L' => Step::Linked { from: text(first), to: text(second) },
            'U' => Step::Removed { path: text(first) },
            'B' => Step::SyncBegan { inode, number: number.cast_signed() },
            'E' => Step::SyncEnded { number: number.cast_signed() },
            'A' => Step::Answered { body: body_of(first) },
            other => panic!("a record of an unknown kind {other:?}"),
        });
    }
    steps
}

fn body_of(answer: &[u8]) -> Value {
    let text = std::str::from_utf8(answer).unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    // The request was not a batch.
    serde_json::from_str(body).unwrap_or(Value::Null)
}

/// The ids that an answer acknowledges.
pub(crate) fn acknowledged(body: &Value) -> impl Iterator<Item = String> {
    let results = body["data"]["results"].as_array().cloned().unwrap_or_default();
    results.into_iter().filter(|result| result["outcome"] == "accepted").map(|result| {
        let Value::String(id) = &result["id"] else { panic!("a result without an id: {result}") };
        id.clone()
    })
}
