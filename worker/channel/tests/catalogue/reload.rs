//! Channels that change while they are read.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use serde_json::{Value, json};
use touchline_channel::catalogue::{ChannelSource, Channels, ChannelsError, FolderSource, LoadOptions, SourceFile};
use touchline_protocol::ambient::ManualClock;

use crate::app::ChannelFolder;

/// A folder that is saved this many times between the reading of its locations and of its settings.
#[derive(Debug)]
struct Edited {
    root: PathBuf,
    folder: FolderSource,
    saves: AtomicU64,
}

impl Edited {
    fn save(&self, number: u64) {
        let location = |number: u64| format!("Hall {number}");
        let rename = |file: &str, from: &str, to: &str| {
            let path = self.root.join("meadow").join(file);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{text}");
            // The length changes with every save, so that two saves within one tick of the disk's clock differ.
            fs::write(path, format!("{}{}", text.replace(from, to), " ".repeat(number as usize))).unwrap();
        };
        let before = if number == 1 { "Meadow Hall".to_owned() } else { location(number - 1) };
        rename("locations.json", &before, &location(number));
        let before = if number == 1 { "Meadow Sports".to_owned() } else { location(number - 1) };
        rename("settings.json", &format!("\"{before}\""), &format!("\"{}\"", location(number)));
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

/// Names of the first location and of the channel, which each save makes equal.
fn names(channels: &Channels) -> (String, String) {
    let channel = channels.by_key("meadow").unwrap();
    (channel.locations[0].name.clone(), channel.settings.name.clone())
}

#[test]
fn a_channel_saved_during_a_read_is_loaded_consistently() {
    let (root, source, channels) = edited();
    let faq = root.path().join("meadow/faq.json");
    fs::write(&faq, fs::read_to_string(&faq).unwrap() + "\n").unwrap();
    source.0.saves.store(2, Ordering::SeqCst);
    assert!(channels.reload().unwrap());
    assert_eq!(names(&channels), ("Hall 2".to_owned(), "Hall 2".to_owned()));
    assert!(!channels.reload().unwrap(), "the loaded state is current");
}

#[test]
fn a_constantly_changing_channel_stays_unchanged_until_it_settles() {
    let (root, source, channels) = edited();
    let before = names(&channels);
    let faq = root.path().join("meadow/faq.json");
    fs::write(&faq, fs::read_to_string(&faq).unwrap() + "\n").unwrap();
    source.0.saves.store(100, Ordering::SeqCst);
    assert!(matches!(channels.reload(), Err(ChannelsError::Changing)));
    assert_eq!(names(&channels), before);
    source.0.saves.store(0, Ordering::SeqCst);
    assert!(channels.reload().unwrap());
    let (location, channel) = names(&channels);
    assert!(location == channel && location.starts_with("Hall "), "{location}, {channel}");
}

/// `OPS-54`: the unchanged channel is the same object, so that everything cached for it stays.
#[test]
fn a_change_or_a_fault_of_one_channel_leaves_the_others_alone() {
    let root = ChannelFolder::copied();
    root.double("orchard");
    let claims = |hosts: &'static [&'static str]| {
        move |channel: &mut Value| {
            (channel["key"], channel["hosts"], channel["fallback"]) = (json!("orchard"), json!(hosts), json!(false));
        }
    };
    root.edit("orchard/channel.json", claims(&["orchard.test"]));
    let source = Arc::new(FolderSource::new(root.path()));
    let channels = Channels::open(source, LoadOptions::default(), ManualClock::at_ms(1_800_000_000_000)).unwrap();
    let of = |key: &str| channels.by_key(key).unwrap();
    let [meadow, orchard] = [of("meadow"), of("orchard")];
    assert_ne!(meadow.generation, orchard.generation);

    root.set("settings.json", "/name", json!("Meadow Plus"));
    assert!(channels.reload().unwrap());
    assert_ne!(of("meadow").generation, meadow.generation);
    assert!(Arc::ptr_eq(&of("orchard"), &orchard));

    fs::write(root.path().join("orchard/faq.json"), "[").unwrap();
    root.set("settings.json", "/name", json!("Meadow Plus Plus"));
    assert!(matches!(channels.reload(), Err(ChannelsError::Faulty(_))));
    assert_eq!(of("meadow").settings.name, "Meadow Plus Plus");
    assert!(Arc::ptr_eq(&of("orchard"), &orchard));

    fs::remove_file(root.path().join("orchard/faq.json")).unwrap();
    fs::copy(root.path().join("meadow/faq.json"), root.path().join("orchard/faq.json")).unwrap();
    root.edit("orchard/channel.json", claims(&["meadow.test"]));
    assert!(matches!(channels.reload(), Err(ChannelsError::Faulty(_))));
    assert!(channels.refused().unwrap().contains("`meadow.test` already belongs to `meadow`"));
    assert_eq!(channels.by_host("meadow.test").unwrap().key(), "meadow");
    assert_eq!(channels.by_host("orchard.test").unwrap().key(), "orchard");
}

/// `OPS-55`.
#[test]
fn a_removed_channel_frees_its_hosts() {
    let root = ChannelFolder::copied();
    root.double("orchard");
    root.edit("orchard/channel.json", |channel| {
        (channel["key"], channel["hosts"], channel["fallback"]) =
            (json!("orchard"), json!(["orchard.test"]), json!(false));
    });
    let source = Arc::new(FolderSource::new(root.path()));
    let channels = Channels::open(source, LoadOptions::default(), ManualClock::at_ms(1_800_000_000_000)).unwrap();
    fs::rename(root.path().join("orchard"), root.path().join(".orchard")).unwrap();
    assert!(channels.reload().unwrap());
    assert!(channels.by_key("orchard").is_none());
    assert_eq!(channels.by_host("orchard.test").unwrap().key(), "meadow", "the fallback");
    fs::rename(root.path().join("meadow"), root.path().join(".meadow")).unwrap();
    assert!(channels.reload().is_err(), "an emptied root changes nothing");
    assert!(channels.by_key("meadow").is_some());
}

/// `OPS-55`.
#[test]
fn channels_exchange_their_hosts() {
    let root = ChannelFolder::copied();
    let describe = |key: &'static str, hosts: &'static [&'static str], fallback: bool| {
        root.edit(&format!("{key}/channel.json"), |channel| {
            (channel["key"], channel["hosts"], channel["fallback"]) = (json!(key), json!(hosts), json!(fallback));
        });
    };
    ["orchard", "valley"].into_iter().for_each(|key| root.double(key));
    describe("meadow", &["a.test"], true);
    describe("orchard", &["b.test"], false);
    describe("valley", &["c.test", "d.test"], false);
    let source = Arc::new(FolderSource::new(root.path()));
    let channels = Channels::open(source, LoadOptions::default(), ManualClock::at_ms(1_800_000_000_000)).unwrap();
    let owner = |host: &str| channels.by_host(host).unwrap().key().to_owned();
    let reload_twice = || {
        // One is refused until the others are read.
        let _ = channels.reload();
        channels.reload().unwrap();
        assert_eq!(channels.refused(), None);
    };

    describe("meadow", &["b.test"], true);
    describe("orchard", &["a.test"], false);
    reload_twice();
    assert_eq!(["a.test", "b.test", "c.test"].map(owner), ["orchard", "meadow", "valley"]);

    describe("meadow", &["a.test"], false);
    describe("orchard", &["c.test"], false);
    describe("valley", &["b.test", "d.test"], true);
    reload_twice();
    assert_eq!(
        ["a.test", "c.test", "b.test", "d.test", "e.test"].map(owner),
        ["meadow", "orchard", "valley", "valley", "valley"]
    );

    // A host that its holder still claims is not exchanged.
    describe("meadow", &["a.test", "c.test"], false);
    describe("orchard", &["a.test", "c.test"], false);
    assert!(channels.reload().is_err());
    assert!(!channels.reload().unwrap(), "both stay refused");
    assert_eq!(["a.test", "c.test"].map(owner), ["meadow", "orchard"]);
}

/// `OPS-9`: a rejected change is reported until one is applied.
#[test]
fn a_rejected_change_is_reported_until_one_is_applied() {
    let (root, _, channels) = edited();
    let faq = root.path().join("meadow/faq.json");
    let sound = fs::read_to_string(&faq).unwrap();
    fs::write(&faq, "[").unwrap();
    assert!(matches!(channels.reload(), Err(ChannelsError::Faulty(_))));
    let fault = channels.refused().unwrap();
    assert!(fault.contains("faq.json"), "{fault}");
    fs::write(&faq, sound + " ").unwrap();
    assert!(channels.reload().unwrap());
    assert_eq!(channels.refused(), None);
}
