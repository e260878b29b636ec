//! A copy of the small channel of `tests/channels` for a test to change.

use std::fs;
use std::path::Path;

use serde_json::Value;

pub(crate) const SMALL_CHANNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels");

pub(crate) struct ChannelFolder(tempfile::TempDir);

impl ChannelFolder {
    pub(crate) fn copied() -> Self {
        let root = tempfile::tempdir().unwrap();
        copy(Path::new(SMALL_CHANNEL), root.path());
        Self(root)
    }

    /// A copy without geo rules.
    pub(crate) fn without_regions() -> Self {
        let folder = Self::copied();
        folder.replace("channel.json", r#"{ "deny": ["KP"], "unknown": "allow" }"#, "{}");
        folder
    }

    /// The folder that contains the channel's folder.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Adds a second channel with the same files under another name.
    pub(crate) fn double(&self, name: &str) {
        copy(&self.path().join("meadow"), &self.path().join(name));
    }

    /// Replaces the first occurrence of a text in a file of the channel.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        let file = self.path().join("meadow").join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
    }

    /// Sets the value at `pointer` in a file of the channel.
    pub(crate) fn set(&self, file: &str, pointer: &str, value: Value) {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        self.edit(&format!("meadow/{file}"), |whole| match whole.pointer_mut(parent).unwrap() {
            Value::Object(map) => drop(map.insert(name.to_owned(), value)),
            Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
            other => panic!("{other}"),
        });
    }

    /// Edits the JSON of a file of any channel.
    pub(crate) fn edit(&self, file: &str, change: impl FnOnce(&mut Value)) {
        let path = self.path().join(file);
        let mut whole = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut whole);
        fs::write(path, whole.to_string()).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
