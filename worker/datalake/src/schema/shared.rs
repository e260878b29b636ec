//! Columns of several tables.

use super::{Column, Kind, Source, column, envelope, personal, text};

pub(super) const EVENT_ID: Column =
    envelope("event_id", Kind::Text, "UUID, lower case", "The event's id. Retries have the same id.");
pub(super) const AT: Column =
    envelope("at", Kind::Moment, "µs, UTC", "Event time by the sender's clock, which may be wrong.");
pub(super) const RECEIVED_AT: Column =
    envelope("received_at", Kind::Moment, "µs, UTC", "When the worker received it. Its date is the partition.");
pub(super) const OCCURRED_AT: Column = envelope(
    "occurred_at",
    Kind::Moment,
    "µs, UTC",
    "Event time by the worker's clock: `received_at` minus the age that the sender reported. Use this one.",
);
pub(super) const PROFILE: Column = text("profile", "The browser's persistent analytics key.");
pub(super) const SESSION_UUID: Column = text("session_uuid", "The session's id; joins `session.session`.");
pub(super) const USER_ID: Column = personal(text("user_id", "The person's id; empty for an anonymous viewer."));
pub(super) const USER_EMAIL: Column =
    personal(text("user_email", "The person's email address; empty for an anonymous viewer."));
pub(super) const EXTRAS: Column = column("extras", Kind::Json, "Fields specific to this kind of event, as sent.");
pub(super) const VIDEO_VIEW_UUID: Column =
    text("video_view_uuid", "The viewing's id, the same from opening the player to leaving it.");
pub(super) const STREAM_ID: Column = text(
    "stream_id",
    "The id of the played media. For a clip, the media it was cut from; for a preroll, the preroll's id.",
);
pub(super) const STREAM_TYPE: Column = text("stream_type", "`live`, `vod`, `clip` or `preroll`.");
pub(super) const ORIGIN_URL: Column = text("origin_url", "The sending site's scheme, host and port, without a path.");
pub(super) const TRK: Column =
    text("trk", "The tracking value with which the viewer arrived within the last three hours.");
pub(super) const CONTENT_TYPE: Column = Column {
    since: 2,
    ..text("content_type", "The kind of content: `event`, `vod` or `clip`. For a preroll, the content after it.")
};
pub(super) const CONTENT_ID: Column = Column { since: 2, ..text("content_id", "The content's id in the channel.") };
pub(super) const CONTENT_EVENT_ID: Column = Column {
    since: 2,
    ..text(
        "content_event_id",
        "The id of the watched event, or of the event that the clip was cut from; empty for a library video.",
    )
};
pub(super) const CHANNEL: Column = Column {
    since: 3,
    ..text(
        "channel",
        "The channel's key. Other ids are unique only within a channel. Taken from the sender, otherwise from the host that received the request.",
    )
};
pub(super) const ANALYTICS_KEY: Column =
    Column { since: 3, ..text("analytics_key", "The channel's analytics key, `yare-analytics` in its settings.") };
pub(super) const COUNTRY: Column = Column {
    since: 3,
    ..text("country", "The viewer's country, ISO 3166-1 alpha-2, from the channel's geo call; empty while unknown.")
};
pub(super) const LANGUAGE: Column = Column { since: 3, ..text("language", "The site's language, `en` or `fr`.") };
pub(super) const REFERRER: Column = Column {
    since: 3,
    ..text(
        "referrer",
        "The referring site's scheme, host and port, never a path or a query; empty without a referrer and within the channel's site.",
    )
};
pub(super) const APP_VERSION: Column =
    Column { since: 3, ..text("app_version", "The build of the site that recorded the event.") };
pub(super) const OTHER: Column = Column {
    source: Source::OtherFields,
    ..column("other", Kind::Json, "Fields of the body without a column, as one JSON document.")
};

pub(super) const SESSION_OTHER: Column = Column {
    meaning: "Fields of the body without a column, as one JSON document; it may contain the `user_id` of a signed-in viewer.",
    ..personal(OTHER)
};
