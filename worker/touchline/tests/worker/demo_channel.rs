//! Copies of the demo channel, with changes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Copies the demo channel into a folder of channels. Returns the copy's folder.
pub(crate) fn demo_channel(channels: &Path) -> PathBuf {
    let channel = channels.join("northfield");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield"), &channel);
    channel
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Changes a file of JSON.
pub(crate) fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut content: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut content);
    fs::write(file, content.to_string()).unwrap();
}

/// Adds events like a free one of the demo; `change` gets the number of each, from 0.
pub(crate) fn add_free_events(channel: &Path, count: usize, change: impl Fn(usize, &mut Value)) {
    edit(&channel.join("events.json"), |events| {
        let events = events.as_array_mut().unwrap();
        let free = events.iter().find(|event| event["access_type"] == "free").unwrap().clone();
        for number in 0..count {
            let mut event = free.clone();
            change(number, &mut event);
            events.push(event);
        }
    });
}
