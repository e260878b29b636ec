//! Columns of several tables.

use super::{Column, Kind, Source, column, envelope, personal, text};

pub(super) const EVENT_ID: Column =
    envelope("event_id", Kind::Text, "UUID, lower case", "The event's id. One event has one, whatever was sent again.");
pub(super) const AT: Column =
    envelope("at", Kind::Moment, "µs, UTC", "When it happened, by the sender's clock, which may be wrong.");
pub(super) const RECEIVED_AT: Column =
    envelope("received_at", Kind::Moment, "µs, UTC", "When the worker received it; its day is the partition.");
pub(super) const OCCURRED_AT: Column = envelope(
    "occurred_at",
    Kind::Moment,
    "µs, UTC",
    "When it happened, by the worker's clock: what the sender says of how long ago it was, counted back from `received_at`. Use this one.",
);
pub(super) const PROFILE: Column = text("profile", "The browser's lasting analytics key.");
pub(super) const SESSION_UUID: Column = text("session_uuid", "The session's id; joins `session.session`.");
pub(super) const USER_ID: Column = personal(text("user_id", "The person's id; empty for an anonymous viewer."));
pub(super) const USER_EMAIL: Column =
    personal(text("user_email", "The person's address; empty for an anonymous viewer."));
pub(super) const EXTRAS: Column = column("extras", Kind::Json, "What belongs to this kind of event, as it was sent.");
pub(super) const VIDEO_VIEW_UUID: Column =
    text("video_view_uuid", "One viewing of one video, from opening the player to leaving it.");
pub(super) const STREAM_ID: Column =
    text("stream_id", "The id of the media that was played; of a clip, the one it is cut from; of a preroll, its own.");
pub(super) const STREAM_TYPE: Column = text("stream_type", "`live`, `vod`, `clip` or `preroll`.");
pub(super) const ORIGIN_URL: Column =
    text("origin_url", "The site that it was sent from: scheme, host and port, without a path.");
pub(super) const TRK: Column = text("trk", "The tracking value that the viewer came with in the three hours before.");
pub(super) const CONTENT_TYPE: Column = Column {
    since: 2,
    ..text(
        "content_type",
        "What of the channel was watched: `event`, `vod` or `clip`; of a preroll, what it stands before.",
    )
};
pub(super) const CONTENT_ID: Column = Column { since: 2, ..text("content_id", "Its id, as the channel has it.") };
pub(super) const CONTENT_EVENT_ID: Column = Column {
    since: 2,
    ..text(
        "content_event_id",
        "The id of the channel's event: the one watched, or the one that the clip is cut from; empty for a video of the library.",
    )
};
pub(super) const CHANNEL: Column = Column {
    since: 3,
    ..text(
        "channel",
        "The channel's key: two channels may have the same ids. As the sender names it; otherwise the channel whose host was called.",
    )
};
pub(super) const ANALYTICS_KEY: Column =
    Column { since: 3, ..text("analytics_key", "The channel's own analytics key, `yare-analytics` of its settings.") };
pub(super) const COUNTRY: Column = Column {
    since: 3,
    ..text(
        "country",
        "The viewer's country, ISO 3166-1 alpha-2, as the channel's geo call answered; empty while it is unknown.",
    )
};
pub(super) const LANGUAGE: Column =
    Column { since: 3, ..text("language", "The language that the site is shown in, `en` or `fr`.") };
pub(super) const REFERRER: Column = Column {
    since: 3,
    ..text(
        "referrer",
        "The site that the page was reached from: scheme, host and port, never a path or a query; empty for none, and for the channel's own.",
    )
};
pub(super) const APP_VERSION: Column =
    Column { since: 3, ..text("app_version", "The build of the site that recorded it.") };
pub(super) const OTHER: Column = Column {
    source: Source::OtherFields,
    ..column("other", Kind::Json, "Fields of the body that no column is named after, as one document.")
};

pub(super) const SESSION_OTHER: Column = Column {
    meaning: "Fields of the body that no column is named after, as one document; it may say the `user_id` of who is logged in.",
    ..personal(OTHER)
};
