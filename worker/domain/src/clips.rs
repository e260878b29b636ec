//! Rules of clips that viewers cut from recordings (`CLIP`).

use touchline_protocol::catalogue::AccessType;
use touchline_protocol::clips::{ClipStatus, MakeClip};
use touchline_protocol::limits::Limit;

use crate::accounts::{NameFault, name_fault};
use crate::categories::Categories;
use crate::entitlements::{Entitlements, EventTerms, event_access, vod_access};

/// Maximum length of a clip, in seconds (`CLIP-4`).
pub const MAX_LENGTH_S: f64 = 600.0;
/// Maximum number of clips per account (`CLIP-4`).
pub const CLIPS_MAX: i64 = 200;
/// Maximum number of tags per clip.
pub const TAGS_MAX: usize = 10;
/// Maximum length of a tag, in characters.
pub const TAG_MAX: usize = 50;
/// Tolerated difference between a player's and the server's end of a recording.
const END_TOLERANCE_MS: u64 = 500;
/// Rows of the limits table.
pub const LIMITS: &[Limit] = &[
    Limit::count("clips.account", CLIPS_MAX as u64, "clips", "Clips per account."),
    Limit::count("clips.tags", TAGS_MAX as u64, "tags", "Tags per clip."),
    Limit::count("clips.tag", TAG_MAX as u64, "characters", "Maximum length of a tag."),
];

/// File name of a clip's playlist.
pub const PLAYLIST: &str = "index.m3u8";

/// Returns the URL path of a clip's playlist.
pub fn address(channel_key: &str, uuid: &str) -> String {
    format!("/media/{channel_key}/c/{uuid}/{PLAYLIST}")
}

/// Source of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClipSource {
    /// An event, by id.
    Event(i64),
    /// A video of the library, by id.
    Video(i64),
}

impl ClipSource {
    /// Returns the source if exactly one id is present.
    pub fn named(event_id: Option<i64>, vod_id: Option<i64>) -> Option<Self> {
        match (event_id, vod_id) {
            (Some(id), None) => Some(Self::Event(id)),
            (None, Some(id)) => Some(Self::Video(id)),
            _ => None,
        }
    }
}

/// Returns whether clips of content with this access type may be public (`CLIP-7`). Clips of paid content need the
/// channel's permission, `paid_too`.
pub fn may_be_public(access: AccessType, paid_too: bool) -> bool {
    paid_too || matches!(access, AccessType::Free | AccessType::Register)
}

/// Reasons why a viewer may not cut clips from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClipRefusal {
    /// The event's video is blocked in the viewer's region.
    #[error("the video is blocked in the viewer's region")]
    GeoBlocked,
    /// The viewer may not cut clips or may not watch the event.
    #[error("the viewer may not cut clips from this event")]
    Forbidden,
}

/// Checks that this viewer may cut clips from this event.
///
/// # Errors
/// [`ClipRefusal`].
pub fn check_viewer(viewer: &Entitlements, event: &EventTerms<'_>, categories: &Categories) -> Result<(), ClipRefusal> {
    if viewer.is_event_blocked(event.geo) {
        return Err(ClipRefusal::GeoBlocked);
    }
    if !viewer.can("clipping") || !event_access(viewer, event, categories) {
        return Err(ClipRefusal::Forbidden);
    }
    Ok(())
}

/// Checks that this viewer may cut clips from a library video.
///
/// # Errors
/// [`ClipRefusal`].
pub fn check_library_viewer(viewer: &Entitlements, access: AccessType) -> Result<(), ClipRefusal> {
    if viewer.geo_blocked {
        return Err(ClipRefusal::GeoBlocked);
    }
    if !viewer.can("clipping") || !vod_access(viewer, access) {
        return Err(ClipRefusal::Forbidden);
    }
    Ok(())
}

/// Validation errors of a requested clip (`VAL-3`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipFault {
    /// The name is invalid.
    Name(NameFault),
    /// The clip has no tag.
    NoTag,
    /// The clip has more than [`TAGS_MAX`] tags.
    TooManyTags,
    /// A tag is empty, has more than [`TAG_MAX`] characters or contains a control character.
    Tag,
    /// The clip starts before the recording.
    Start,
    /// The length is zero or more than [`MAX_LENGTH_S`].
    Length,
    /// The clip ends after the recording.
    End,
}

/// Validates a clip of a recording of this length. Errors follow the order of the form.
pub fn faults(clip: &MakeClip, length_ms: u64) -> Vec<ClipFault> {
    let is_tag =
        |tag: &String| (1..=TAG_MAX).contains(&tag.trim().chars().count()) && !tag.chars().any(char::is_control);
    let end_ms = (clip.start_time + clip.duration) * 1000.0;
    let checks = [
        (!clip.tags.is_empty(), ClipFault::NoTag),
        (clip.tags.len() <= TAGS_MAX, ClipFault::TooManyTags),
        (clip.tags.iter().all(is_tag), ClipFault::Tag),
        (clip.start_time >= 0.0, ClipFault::Start),
        (clip.duration > 0.0 && clip.duration <= MAX_LENGTH_S, ClipFault::Length),
        (end_ms <= (length_ms + END_TOLERANCE_MS) as f64, ClipFault::End),
    ];
    let of_name = name_fault(&clip.name).map(ClipFault::Name);
    of_name.into_iter().chain(checks.into_iter().filter(|(is_valid, _)| !is_valid).map(|(_, fault)| fault)).collect()
}

/// Converts seconds to the stored unit, milliseconds.
pub fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

/// Returns whether a clip may change its status from `from` to `to`. Final statuses do not change.
pub fn may_move(from: ClipStatus, to: ClipStatus) -> bool {
    match to {
        ClipStatus::Queued => false,
        ClipStatus::Processing => from == ClipStatus::Queued,
        ClipStatus::Ready | ClipStatus::Failed => matches!(from, ClipStatus::Queued | ClipStatus::Processing),
    }
}

/// Returns whether a clip can lose its files and become `failed`.
pub fn may_be_lost(from: ClipStatus) -> bool {
    from == ClipStatus::Ready
}

#[cfg(test)]
mod tests {
    use ClipStatus::{Failed, Processing, Queued, Ready};
    use touchline_protocol::clips::ClipVisibility;

    use super::*;
    use crate::entitlements::tests::{categories, event, with};

    fn request() -> MakeClip {
        MakeClip {
            event_id: Some(1),
            vod_id: None,
            name: "The winning goal".to_owned(),
            start_time: 4.0,
            duration: 8.0,
            tags: vec!["goal".to_owned()],
            event_media_id: 2,
            from_segment: None,
            visibility: ClipVisibility::Link,
        }
    }

    #[test]
    fn a_clip_needs_a_name_tags_and_a_length_within_its_recording() {
        let long = "é".repeat(TAG_MAX + 1);
        let tags = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
        let cases = [
            (request(), vec![]),
            (MakeClip { name: " ".to_owned(), ..request() }, vec![ClipFault::Name(NameFault::Missing)]),
            (MakeClip { name: "é".repeat(101), ..request() }, vec![ClipFault::Name(NameFault::TooLong)]),
            (MakeClip { tags: vec![], ..request() }, vec![ClipFault::NoTag]),
            (MakeClip { tags: tags(&["a"; TAGS_MAX]), ..request() }, vec![]),
            (MakeClip { tags: tags(&["a"; TAGS_MAX + 1]), ..request() }, vec![ClipFault::TooManyTags]),
            (MakeClip { tags: tags(&["goal", " "]), ..request() }, vec![ClipFault::Tag]),
            (MakeClip { tags: tags(&[&long]), ..request() }, vec![ClipFault::Tag]),
            (MakeClip { tags: tags(&["go\u{7}al"]), ..request() }, vec![ClipFault::Tag]),
            (MakeClip { start_time: -0.1, ..request() }, vec![ClipFault::Start]),
            (MakeClip { duration: 0.0, ..request() }, vec![ClipFault::Length]),
            (MakeClip { duration: f64::NAN, ..request() }, vec![ClipFault::Length, ClipFault::End]),
            (MakeClip { duration: 600.1, ..request() }, vec![ClipFault::Length, ClipFault::End]),
        ];
        for (clip, expected) in cases {
            assert_eq!(faults(&clip, 60_000), expected, "{clip:?}");
        }
        let longest = MakeClip { start_time: 0.0, duration: MAX_LENGTH_S, ..request() };
        assert!(faults(&longest, 600_000).is_empty());
        assert!(faults(&longest, 599_500).is_empty(), "half a second of tolerance");
        assert_eq!(faults(&longest, 599_499), [ClipFault::End]);
    }

    #[test]
    fn clip_statuses_only_move_forward() {
        let all = [Queued, Processing, Ready, Failed];
        let allowed =
            [(Queued, Processing), (Queued, Ready), (Queued, Failed), (Processing, Ready), (Processing, Failed)];
        for from in all {
            for to in all {
                assert_eq!(may_move(from, to), allowed.contains(&(from, to)), "{from:?} to {to:?}");
            }
            assert_eq!(may_be_lost(from), from == Ready, "{from:?}");
        }
    }

    #[test]
    fn clipping_needs_access_and_the_capability() {
        let event = event(AccessType::Register);
        let check = |viewer: &Entitlements| check_viewer(viewer, &event.terms(), &categories());
        let clipper = with(|viewer| viewer.capabilities.extend(["clipping".to_owned()]));
        assert_eq!(check(&clipper), Ok(()));
        assert_eq!(check(&with(|_| {})), Err(ClipRefusal::Forbidden));
        let mut stranger = clipper.clone();
        stranger.capabilities.remove("watch");
        assert_eq!(check(&stranger), Err(ClipRefusal::Forbidden));
        let elsewhere = Entitlements { geo_blocked: true, ..clipper };
        assert_eq!(check(&elsewhere), Err(ClipRefusal::GeoBlocked));
    }

    #[test]
    fn clipping_a_library_video_needs_access_to_it() {
        let clipper = with(|viewer| viewer.capabilities.extend(["clipping".to_owned(), "vod_media".to_owned()]));
        assert_eq!(check_library_viewer(&clipper, AccessType::Register), Ok(()));
        assert_eq!(check_library_viewer(&clipper, AccessType::Paid), Err(ClipRefusal::Forbidden));
        assert_eq!(check_library_viewer(&with(|_| {}), AccessType::Free), Err(ClipRefusal::Forbidden));
        let elsewhere = Entitlements { geo_blocked: true, ..clipper };
        assert_eq!(check_library_viewer(&elsewhere, AccessType::Free), Err(ClipRefusal::GeoBlocked));
    }

    #[test]
    fn clips_of_paid_content_are_public_only_if_the_channel_allows_it() {
        let accesses = [AccessType::Free, AccessType::Register, AccessType::Paid, AccessType::Ppv];
        assert_eq!(accesses.map(|access| may_be_public(access, false)), [true, true, false, false]);
        assert_eq!(accesses.map(|access| may_be_public(access, true)), [true; 4]);
        assert_eq!(ClipSource::named(Some(1), None), Some(ClipSource::Event(1)));
        assert_eq!(ClipSource::named(None, Some(1)), Some(ClipSource::Video(1)));
        assert_eq!((ClipSource::named(None, None), ClipSource::named(Some(1), Some(1))), (None, None));
    }

    #[test]
    fn seconds_are_rounded_to_milliseconds() {
        assert_eq!((milliseconds(4.0), milliseconds(0.0004), milliseconds(8.4996)), (4000, 0, 8500));
    }
}
