//! The demo's channels, which are a visitor's first impression of the product.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use touchline_channel::catalogue::records::MediaKind;
use touchline_channel::catalogue::{ChannelSnapshot, ChannelSource, Channels, FolderSource, LoadOptions, check};
use touchline_channel::media::Feed;
use touchline_protocol::ambient::ManualClock;
use touchline_protocol::catalogue::StreamStatus;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels")
}

/// The demo's channels of a worker that started at this time, in Unix seconds.
fn channels(anchor_s: i64) -> Vec<Arc<ChannelSnapshot>> {
    let options = LoadOptions { anchor_s, ..LoadOptions::default() };
    Channels::open(Arc::new(FolderSource::new(folder())), options, ManualClock::at_ms(anchor_s * 1000)).unwrap().all()
}

#[test]
fn the_demo_channels_are_valid_and_small() {
    if let Err(label) = check(&FolderSource::new(folder()), false) {
        panic!("{label}");
    }
    // They are part of every clone of the repository and every binary.
    let media = FolderSource::new(folder()).files().unwrap().into_iter().filter(|file| file.path.contains("/media/"));
    let bytes: u64 = media.map(|file| file.len).sum();
    assert!(bytes <= 12 << 20, "{bytes} bytes");
}

/// For any start of the demo: at night, by day, and on days when the clocks change.
#[test]
fn demo_games_are_at_home_and_at_plausible_hours() {
    for start in ["2027-01-15T06:00:00Z", "2026-07-04T17:30:00Z", "2026-11-01T05:15:00Z", "2027-03-15T04:45:00Z"] {
        let anchor_s = start.parse::<Timestamp>().unwrap().as_second();
        for channel in channels(anchor_s) {
            for event in &channel.events {
                let label = format!("{start}: {} {}", channel.key(), event.id);
                let home = event.participants.iter().find(|team| Some(team.id) == event.home_team_id).unwrap();
                let school = channel.groups.iter().find(|group| Some(group.id) == home.group_id).unwrap();
                let location = channel.locations.iter().find(|location| location.id == event.location_id).unwrap();
                assert_eq!(location.city, school.properties["city"], "{label}");
                assert_eq!(event.time_zone, channel.settings.time_zone, "{label}");
                let zone = TimeZone::get(&event.time_zone).unwrap();
                let starts = Timestamp::from_second(event.starts_at).unwrap().to_zoned(zone);
                assert_eq!((starts.minute() % 5, starts.second()), (0, 0), "{label}");
                // At any hour, one event is live and another is next.
                let is_near = (event.starts_at - anchor_s).abs() < 5 * 3_600;
                assert!(
                    is_near || (13..=20).contains(&starts.hour()) && starts.minute() % 30 == 0,
                    "{label}: {starts}"
                );
            }
            let ids = |status| {
                let events_now = channel.events.iter().filter(move |event| event.status_at(anchor_s) == status);
                events_now.map(|event| event.id).collect::<Vec<_>>()
            };
            assert_eq!(ids(StreamStatus::Live).len(), 3, "{start}");
            assert!(ids(StreamStatus::Upcoming).is_sorted(), "{start}");
            assert!(ids(StreamStatus::Finished).iter().rev().is_sorted(), "{start}");
        }
    }
}

#[test]
fn demo_recordings_vary_in_length_and_have_captions_in_both_languages() {
    for channel in channels(1_800_000_000) {
        let of_events = channel.events.iter().flat_map(|event| &event.media).map(|medium| ('e', medium));
        let of_library = channel.vod.iter().map(|video| ('v', &video.media));
        let mut lengths = BTreeSet::new();
        for (of, medium) in of_events.chain(of_library).filter(|(_, medium)| medium.kind == MediaKind::Vod) {
            let Feed::Files(stream) = &channel.files.mounts[&format!("{of}{}", medium.id)].feed else {
                panic!("{medium:?}");
            };
            let duration_ms = (medium.duration_s * 1000.0) as u64;
            for playlist in stream.variants.iter().chain(&stream.extras) {
                assert_eq!(playlist.length_ms(), duration_ms, "{medium:?}: {}", playlist.path);
            }
            for language in ["text-en/", "text-fr/"] {
                assert!(stream.extras.iter().any(|extra| extra.path.starts_with(language)), "{medium:?}");
            }
            lengths.insert(duration_ms);
        }
        let wanted = if channel.key() == "northfield" { 9 } else { 3 };
        assert_eq!(lengths.len(), wanted, "{lengths:?}");
    }
}
