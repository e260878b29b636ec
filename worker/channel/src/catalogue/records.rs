//! What a channel folder says that no answer repeats as it stands: rules, prices' rules, files, times.

use touchline_domain::coupons::CouponRule;
use touchline_domain::entitlements::EventTerms;
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{
    AccessType, CustomForm, EventScore, EventType, Participant, StreamStatus, VodAsset,
};

/// `channel.json`: who the channel is and how it treats its viewers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelConfig {
    /// The channel's key, also the name of its folder.
    pub key: String,
    /// The hosts that show it, lower case, without port.
    pub hosts: Vec<String>,
    /// Whether an unknown host is shown this channel. At most one channel says so.
    pub fallback: bool,
    /// The site's address in mails and callbacks, without a last slash.
    pub public_url: Option<String>,
    /// Where its video may be watched.
    pub geo: GeoRules,
    /// Its promo codes.
    pub coupons: Vec<CouponRule>,
    /// Accounts that the demo makes at its first start.
    pub demo_accounts: Vec<DemoAccount>,
    /// What every account may do.
    pub default_capabilities: Vec<String>,
    /// Where its pages reach for media elsewhere.
    pub media_hosts: MediaHosts,
    /// Pictures of its site, for whoever thinks of installing it.
    pub screenshots: Vec<Screenshot>,
}

/// A picture of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screenshot {
    /// Its address.
    pub url: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// `image/jpeg` or `image/png`.
    pub media_type: &'static str,
}

/// An account that the demo makes at its first start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoAccount {
    /// Its address.
    pub email: String,
    /// Its password, printed on the demo's first lines: no secret.
    pub password: String,
    /// The person's first name.
    pub first_name: String,
    /// The person's last name.
    pub last_name: String,
    /// Whether the password must be changed first.
    pub temporary_password: bool,
    /// What the account may do beyond `default_capabilities`.
    pub capabilities: Vec<String>,
}

/// An event as the channel keeps it; [`super::present`] makes what a viewer gets.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What its listing says it is.
    pub kind: EventType,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// When it starts, Unix seconds.
    pub starts_at: i64,
    /// IANA name.
    pub time_zone: String,
    /// Seconds.
    pub duration_s: i64,
    /// Its category.
    pub event_category_id: i64,
    /// Its place.
    pub location_id: i64,
    /// Which of the participants is at home.
    pub home_team_id: Option<i64>,
    /// Minor units; 0 when it is not sold singly.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// What buying it singly is called with.
    pub single_event_package_id: Option<i64>,
    /// A few sentences.
    pub description: String,
    /// The teams, away first.
    pub participants: Vec<Participant>,
    /// Pictures and videos.
    pub media: Vec<MediaRecord>,
    /// Where it may be watched, when it has rules of its own beside the channel's.
    pub geo: GeoRules,
    /// How it stands, as its folder says.
    pub folder_score: Option<EventScore>,
    /// How it stands, as the operator said while the worker ran.
    pub operator_score: Option<EventScore>,
    /// When the operator last changed it under a running worker, Unix seconds; 0 when that is not known.
    pub changed_at: i64,
}

impl EventRecord {
    /// What it asks of a viewer, and what it costs singly.
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

    /// How it stands: what the operator said last stands before what the folder says (`SCORE-1`).
    pub fn score(&self) -> Option<&EventScore> {
        self.operator_score.as_ref().or(self.folder_score.as_ref())
    }

    /// When it is over, Unix seconds.
    pub fn ends_at(&self) -> i64 {
        self.starts_at.saturating_add(self.duration_s)
    }

    /// Where it stands at this moment, Unix seconds.
    pub fn status_at(&self, now_s: i64) -> StreamStatus {
        if now_s < self.starts_at {
            StreamStatus::Upcoming
        } else if now_s < self.ends_at() {
            StreamStatus::Live
        } else {
            StreamStatus::Finished
        }
    }

    /// Since when it is as it is at this moment, Unix seconds: its last move by the clock, or its last change. A move
    /// that an operator takes back is a change, so that this only grows.
    pub fn version_at(&self, now_s: i64) -> i64 {
        let moves = [self.ends_at(), self.starts_at];
        let moved_at = moves.into_iter().find(|&at| at <= now_s).unwrap_or_default();
        moved_at.max(self.changed_at).max(1)
    }

    /// Takes over from what it was before a load when it changed.
    pub(crate) fn since(&mut self, before: &Self, has_changed: bool, now_s: i64) {
        self.changed_at = before.changed_at;
        if has_changed || *self != *before {
            self.changed_at = now_s.max(before.version_at(now_s) + 1);
        }
    }
}

/// A picture or a video, and where its file is.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaRecord {
    /// Its id, unique in the channel.
    pub id: i64,
    /// What it is.
    pub kind: MediaKind,
    /// Where its bytes are.
    pub place: MediaPlace,
    /// Seconds; 0 for a picture or a live stream.
    pub duration_s: f64,
}

/// The origins that a channel's pages reach for media, each by itself, in order: `https://cdn.example.com:8443`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MediaHosts {
    /// Those that playlists, segments and files are fetched from.
    pub streams: Vec<String>,
    /// Those whose players are framed.
    pub frames: Vec<String>,
}

/// Where a medium's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaPlace {
    /// A file of the channel, relative to its `media` folder.
    File(String),
    /// Whatever its mounts are fed from: the folder of an encoder, an address that the worker asks.
    Mount,
    /// An address elsewhere.
    Url(String),
}

/// The codes of media types (EVENT-3).
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
    /// Thumbnails along the timeline.
    Thumbnails = 5,
    /// A short preview.
    Preview = 6,
    /// Another preview.
    PreviewAlt = 7,
    /// A preview in a player of another site.
    EmbeddedPreview = 8,
}

impl MediaKind {
    /// The kind of this code.
    pub fn of_code(code: i64) -> Option<Self> {
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

    /// Whether it is the video itself, which takes access, and not what advertises it.
    pub fn needs_access(self) -> bool {
        matches!(self, Self::Live | Self::Vod | Self::Embedded)
    }

    /// Whether it is video, which a closed region does not get to see, and not a picture (`GEO-1`).
    pub fn is_video(self) -> bool {
        !matches!(self, Self::Image | Self::Thumbnails)
    }
}

/// A video of the library as the channel keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct VodRecord {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// When it was published, RFC 3339 UTC with milliseconds.
    pub date: String,
    /// A few sentences.
    pub description: String,
    /// Its category in the library.
    pub category_id: Option<i64>,
    /// What a viewer needs to watch it; never [`AccessType::Ppv`], since a video is not sold singly.
    pub access_type: AccessType,
    /// Seconds.
    pub duration_s: f64,
    /// A large figure for its poster.
    pub figure: String,
    /// `#rrggbb`, of that poster.
    pub color: String,
    /// Pictures and previews, as URLs.
    pub assets: Vec<VodAsset>,
    /// The video.
    pub media: MediaRecord,
}

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailRecord {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// The videos, in order.
    pub item_ids: Vec<i64>,
}

/// A form of the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormRecord {
    /// What viewers fill in.
    pub form: CustomForm,
    /// Where a letter about each submission goes.
    pub to: Option<String>,
}
