//! Channels that change while they are read.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use touchline_channel::catalogue::{ChannelSource, Channels, ChannelsError, FolderSource, LoadOptions, SourceFile};
use touchline_protocol::ambient::ManualClock;

use crate::app::ChannelFolder;

/// A folder in which somebody saves, this often, between the reading of its places and that of its settings.
#[derive(Debug)]
struct Edited {
    root: PathBuf,
    folder: FolderSource,
    saves: AtomicU64,
}

impl Edited {
    fn save(&self, number: u64) {
        let place = |number: u64| format!("Hall {number}");
        let rename = |file: &str, from: &str, to: &str| {
            let path = self.root.join("meadow").join(file);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{text}");
            // The length changes with every save: two within one tick of the disk's clock are told apart all the same.
            fs::write(path, format!("{}{}", text.replace(from, to), " ".repeat(number as usize))).unwrap();
        };
        let before = if number == 1 { "Meadow Hall".to_owned() } else { place(number - 1) };
        rename("locations.json", &before, &place(number));
        let before = if number == 1 { "Meadow Sports".to_owned() } else { place(number - 1) };
        rename("settings.json", &format!("\"{before}\""), &format!("\"{}\"", place(number)));
    }
}

#[derive(Debug, Clone)]
struct Shared(Arc<Edited>, Arc<AtomicU64>);

impl ChannelSource for Shared {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        self.0.folder.files()
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        if path == "meadow/settings.json" && self.0.saves.load(Ordering::SeqCst) > 0 {
            self.0.saves.fetch_sub(1, Ordering::SeqCst);
            self.0.save(self.1.fetch_add(1, Ordering::SeqCst) + 1);
        }
        self.0.folder.read(path)
    }
}

fn edited() -> (ChannelFolder, Shared, Channels) {
    let root = ChannelFolder::copied();
    let folder = FolderSource::new(root.path());
    let source =
        Shared(Arc::new(Edited { root: root.path().to_owned(), folder, saves: AtomicU64::new(0) }), Arc::default());
    let channels =
        Channels::open(Arc::new(source.clone()), LoadOptions::default(), ManualClock::at_ms(1_800_000_000_000))
            .unwrap();
    (root, source, channels)
}

/// The name of the first place, and that of the channel: each save makes them the same.
fn names(channels: &Channels) -> (String, String) {
    let channel = channels.by_key("meadow").unwrap();
    (channel.locations[0].name.clone(), channel.settings.name.clone())
}

#[test]
fn a_channel_that_is_saved_while_it_is_read_is_taken_up_whole() {
    let (root, source, channels) = edited();
    let faq = root.path().join("meadow/faq.json");
    fs::write(&faq, fs::read_to_string(&faq).unwrap() + "\n").unwrap();
    source.0.saves.store(2, Ordering::SeqCst);
    assert!(channels.reload().unwrap());
    assert_eq!(names(&channels), ("Hall 2".to_owned(), "Hall 2".to_owned()));
    assert!(!channels.reload().unwrap(), "what was taken up is what is there");
}

#[test]
fn a_channel_that_never_stands_still_stays_as_it_was_until_it_does() {
    let (root, source, channels) = edited();
    let before = names(&channels);
    let faq = root.path().join("meadow/faq.json");
    fs::write(&faq, fs::read_to_string(&faq).unwrap() + "\n").unwrap();
    source.0.saves.store(100, Ordering::SeqCst);
    assert!(matches!(channels.reload(), Err(ChannelsError::Changing)));
    assert_eq!(names(&channels), before);
    source.0.saves.store(0, Ordering::SeqCst);
    assert!(channels.reload().unwrap());
    let (place, channel) = names(&channels);
    assert!(place == channel && place.starts_with("Hall "), "{place}, {channel}");
}

/// `OPS-9`: a change that is not taken up is told until there is one that is.
#[test]
fn a_refused_change_is_told_until_one_is_taken_up() {
    let (root, _, channels) = edited();
    let faq = root.path().join("meadow/faq.json");
    let sound = fs::read_to_string(&faq).unwrap();
    fs::write(&faq, "[").unwrap();
    assert!(matches!(channels.reload(), Err(ChannelsError::Faulty(_))));
    let told = channels.refused().unwrap();
    assert!(told.contains("faq.json"), "{told}");
    fs::write(&faq, sound + " ").unwrap();
    assert!(channels.reload().unwrap());
    assert_eq!(channels.refused(), None);
}
