//! Data of a channel folder that no response contains unchanged: rules, prices, files, times.

use touchline_domain::coupons::CouponRule;
use touchline_domain::entitlements::EventTerms;
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{
    AccessType, CustomForm, EventScore, EventType, Participant, StreamStatus, VodAsset,
};

/// `channel.json`: the channel's identity and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelConfig {
    pub(crate) key: String,
    /// Host names, lower case, without port.
    pub hosts: Vec<String>,
    /// Whether unknown hosts show this channel. Only one channel can be the fallback.
    pub(crate) fallback: bool,
    /// Address of the site in mails and callbacks, without a trailing slash.
    pub public_url: Option<String>,
    pub(crate) geo: GeoRules,
    pub(crate) coupons: Vec<CouponRule>,
    /// Accounts that the demo creates at its first start.
    pub demo_accounts: Vec<DemoAccount>,
    pub(crate) default_capabilities: Vec<String>,
    pub(crate) mail: MailAddresses,
    pub(crate) disk: DiskLimits,
    /// External origins of its media.
    pub media_hosts: MediaHosts,
    /// Screenshots for the install dialog.
    pub screenshots: Vec<Screenshot>,
}

/// The channel's own addresses in its emails; `None` for the deployment's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MailAddresses {
    /// The sender.
    pub(crate) from: Option<String>,
    /// The recipient of replies.
    pub(crate) reply_to: Option<String>,
}

/// The channel's own disk limits, in bytes; `None` for the deployment's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DiskLimits {
    /// Recordings of its broadcasts.
    pub(crate) recordings: Option<u64>,
    /// Its viewers' problem reports.
    pub(crate) reports: Option<u64>,
}

impl DiskLimits {
    /// Values of `disk` in `channel.json`.
    pub(crate) const BYTES: std::ops::RangeInclusive<i64> = 0..=1 << 50;
}

/// A picture of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screenshot {
    /// URL of the picture.
    pub url: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// `image/jpeg` or `image/png`.
    pub media_type: &'static str,
}

/// An account that the demo creates at its first start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoAccount {
    /// The email address.
    pub email: String,
    /// Printed when the demo starts, so not a secret.
    pub password: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    /// Whether the password must be changed first.
    pub(crate) temporary_password: bool,
    /// Rights in addition to `default_capabilities`.
    pub(crate) capabilities: Vec<String>,
}

/// The stored form of an event. The presenter derives a viewer's event from it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    /// The event's id.
    pub id: i64,
    /// The event's name.
    pub name: String,
    /// Type in lists.
    pub kind: EventType,
    /// Access that a viewer needs.
    pub access_type: AccessType,
    /// Start in Unix seconds.
    pub starts_at: i64,
    /// IANA name.
    pub time_zone: String,
    /// Seconds.
    pub duration_s: i64,
    /// Id of the category.
    pub event_category_id: i64,
    /// Id of the location.
    pub location_id: i64,
    /// Id of the home team.
    pub home_team_id: Option<i64>,
    /// Minor units; 0 if the event is not sold individually.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// Id for buying the event alone.
    pub single_event_package_id: Option<i64>,
    /// A few sentences.
    pub description: String,
    /// The teams, away first.
    pub participants: Vec<Participant>,
    /// Pictures and videos.
    pub media: Vec<MediaRecord>,
    /// The event's own geo rules, in addition to the channel's.
    pub geo: GeoRules,
    /// Score in the folder.
    pub(crate) folder_score: Option<EventScore>,
    /// Score set by the operator while the worker ran.
    pub(crate) operator_score: Option<EventScore>,
    /// Last change by the operator while the worker ran, in Unix seconds; 0 if unknown.
    pub changed_at: i64,
}

impl EventRecord {
    /// Access terms and single price.
    pub fn terms(&self) -> EventTerms<'_> {
        EventTerms {
            id: self.id,
            name: &self.name,
            access_type: self.access_type,
            event_category_id: self.event_category_id,
            participants: &self.participants,
            geo: &self.geo,
            base_price: self.base_price,
            service_fee: self.service_fee,
            single_event_package_id: self.single_event_package_id,
        }
    }

    /// The current score: the operator's if there is one, otherwise the folder's (`SCORE-1`).
    pub fn score(&self) -> Option<&EventScore> {
        self.operator_score.as_ref().or(self.folder_score.as_ref())
    }

    /// End in Unix seconds.
    pub fn ends_at(&self) -> i64 {
        self.starts_at.saturating_add(self.duration_s)
    }

    /// Status at a time in Unix seconds.
    pub fn status_at(&self, now_s: i64) -> StreamStatus {
        if now_s < self.starts_at {
            StreamStatus::Upcoming
        } else if now_s < self.ends_at() {
            StreamStatus::Live
        } else {
            StreamStatus::Finished
        }
    }

    /// Version at a time in Unix seconds: the time of the last status change by the clock, or of the last edit.
    /// Reverting a status is an edit, so the version only grows.
    pub fn version_at(&self, now_s: i64) -> i64 {
        let moves = [self.ends_at(), self.starts_at];
        let moved_at = moves.into_iter().find(|&at| at <= now_s).unwrap_or_default();
        moved_at.max(self.changed_at).max(1)
    }

    /// Inherits versions from the record of the previous load.
    pub(crate) fn inherit_version(&mut self, before: &Self, has_changed: bool, now_s: i64) {
        self.changed_at = before.changed_at;
        if has_changed || *self != *before {
            self.changed_at = now_s.max(before.version_at(now_s) + 1);
        }
    }
}

/// A picture or video, and the location of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaRecord {
    /// Unique in the channel.
    pub id: i64,
    /// Kind of medium.
    pub kind: MediaKind,
    /// Location of the bytes.
    pub location: MediaLocation,
    /// Seconds; 0 for a picture or a live stream.
    pub duration_s: f64,
}

/// Origins from which a channel's pages load media, sorted: `https://cdn.example.com:8443`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MediaHosts {
    /// Origins of playlists, segments and files.
    pub streams: Vec<String>,
    /// Origins of embedded players.
    pub frames: Vec<String>,
}

/// Location of a medium's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaLocation {
    /// A file of the channel, relative to its `media` folder.
    File(String),
    /// The source of its mounts: an encoder's folder, or an address that the worker fetches.
    Mount,
    /// An external address.
    Url(String),
}

/// Codes of media types (EVENT-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum MediaKind {
    /// A picture.
    Image = 1,
    /// A live stream.
    Live = 2,
    /// A video on demand.
    Vod = 3,
    /// A player of another site.
    Embedded = 4,
    /// Thumbnails for the timeline.
    Thumbnails = 5,
    /// A short preview.
    Preview = 6,
    /// An alternative preview.
    PreviewAlt = 7,
    /// A preview in a player of another site.
    EmbeddedPreview = 8,
}

impl MediaKind {
    pub(crate) fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            1 => Self::Image,
            2 => Self::Live,
            3 => Self::Vod,
            4 => Self::Embedded,
            5 => Self::Thumbnails,
            6 => Self::Preview,
            7 => Self::PreviewAlt,
            8 => Self::EmbeddedPreview,
            _ => return None,
        })
    }

    /// Whether it is the video itself, which requires access, rather than an advertisement for it.
    pub(crate) fn needs_access(self) -> bool {
        matches!(self, Self::Live | Self::Vod | Self::Embedded)
    }

    /// Whether it is video, which a blocked region may not see, rather than a picture (`GEO-1`).
    pub fn is_video(self) -> bool {
        !matches!(self, Self::Image | Self::Thumbnails)
    }
}

/// The stored form of a library video.
#[derive(Debug, Clone, PartialEq)]
pub struct VodRecord {
    /// The video's id.
    pub id: i64,
    /// The video's title.
    pub title: String,
    /// Date of publication, RFC 3339 in UTC with milliseconds.
    pub date: String,
    /// A few sentences.
    pub description: String,
    /// Id of the library category.
    pub category_id: Option<i64>,
    /// Access that a viewer needs; never [`AccessType::Ppv`], since videos are not sold individually.
    pub access_type: AccessType,
    /// Seconds.
    pub duration_s: f64,
    /// A large number for the poster.
    pub figure: String,
    /// Colour of the poster, `#rrggbb`.
    pub color: String,
    /// URLs of pictures and previews.
    pub assets: Vec<VodAsset>,
    /// The video's medium.
    pub media: MediaRecord,
}

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailRecord {
    /// The rail's id.
    pub id: i64,
    /// The rail's title.
    pub title: String,
    /// Ids of the videos, in order.
    pub item_ids: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormRecord {
    pub(crate) form: CustomForm,
    /// Recipient of the submissions.
    pub(crate) to: Option<String>,
}
