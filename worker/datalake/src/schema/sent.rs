//! Tables of events that browsers and players send, and of viewings derived from them.

use super::shared::{
    ANALYTICS_KEY, APP_VERSION, AT, CHANNEL, CONTENT_EVENT_ID, CONTENT_ID, CONTENT_TYPE, COUNTRY, EVENT_ID, EXTRAS,
    LANGUAGE, OCCURRED_AT, ORIGIN_URL, OTHER, PROFILE, RECEIVED_AT, REFERRER, SESSION_OTHER, SESSION_UUID, STREAM_ID,
    STREAM_TYPE, TRK, USER_EMAIL, USER_ID, VIDEO_VIEW_UUID,
};
use super::{Column, Kind, column, required, text};

pub(super) const SESSION: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(PROFILE),
    required(text("session", "The session's id, valid for 24 hours.")),
    text("device_type", "Such as `desktop`, `mobile`, `tablet`."),
    text("user_agent", "The browser's user agent."),
    Column { unit: "pixels", ..text("resolution", "The screen's width and height, such as `1440x900`.") },
    text("platform", "`web`."),
    ORIGIN_URL,
    TRK,
    SESSION_OTHER,
    CHANNEL,
    ANALYTICS_KEY,
    COUNTRY,
    LANGUAGE,
    REFERRER,
    APP_VERSION,
];

pub(super) const EVENT: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(text("event", "The kind of event, such as `visit` or `purchase`.")),
    PROFILE,
    SESSION_UUID,
    USER_ID,
    USER_EMAIL,
    EXTRAS,
    ORIGIN_URL,
    TRK,
    OTHER,
    CHANNEL,
    ANALYTICS_KEY,
    COUNTRY,
    LANGUAGE,
    REFERRER,
    APP_VERSION,
];

/// A column added in version 6 of the schema.
const fn sixth(column: Column) -> Column {
    Column { since: 6, ..column }
}

const DAY: &str = "The day's start, as `occurred_at`.";

pub(super) const EVENT_COUNT: &[Column] = &[
    sixth(EVENT_ID),
    sixth(Column { meaning: DAY, ..AT }),
    sixth(Column { meaning: "When the day was complete. Its date is the partition.", ..RECEIVED_AT }),
    sixth(Column { meaning: "The start of the day (UTC) on which the worker received the events.", ..OCCURRED_AT }),
    sixth(required(text("event", "The kind of event, as in `event.event`."))),
    sixth(text("channel", "The channel's key.")),
    sixth(column("count", Kind::Number, "How many there were. Sum it: a day may have several rows.")),
];

pub(super) const VIDEO_EVENT: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(text("event", "The player's action, such as `opened`, `played`, `paused`, `ended`, `preroll_started`.")),
    required(VIDEO_VIEW_UUID),
    STREAM_ID,
    STREAM_TYPE,
    PROFILE,
    SESSION_UUID,
    USER_ID,
    USER_EMAIL,
    EXTRAS,
    ORIGIN_URL,
    TRK,
    OTHER,
    CONTENT_TYPE,
    CONTENT_ID,
    CONTENT_EVENT_ID,
    CHANNEL,
    ANALYTICS_KEY,
    COUNTRY,
    LANGUAGE,
    REFERRER,
    APP_VERSION,
];

pub(super) const VIDEO_VIEWING: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(Column {
        unit: "seconds",
        ..column("viewing_time", Kind::Number, "Time watched since the previous heartbeat.")
    }),
    text("category", "The event's category."),
    text("sport", "The sport."),
    text("gender", "The gender of the teams."),
    text("school", "The school."),
    text("league", "The league."),
    VIDEO_VIEW_UUID,
    STREAM_ID,
    STREAM_TYPE,
    PROFILE,
    SESSION_UUID,
    USER_ID,
    USER_EMAIL,
    ORIGIN_URL,
    TRK,
    OTHER,
    CONTENT_TYPE,
    CONTENT_ID,
    CONTENT_EVENT_ID,
    CHANNEL,
    ANALYTICS_KEY,
    COUNTRY,
    LANGUAGE,
    REFERRER,
    APP_VERSION,
];

pub(super) const CMCD: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(text("sid", "The viewing's id; joins `viewing.viewing` and `video_event.video_view_uuid`.")),
    required(column("sn", Kind::Number, "The report's sequence number within its viewing.")),
    text(
        "e",
        "The reason for the report, as defined by CTA-5004-B: `ps` play state, `t` time interval, `e` error, `bc` bitrate change, `sk` skip, `as` and `ae` start and end of an ad.",
    ),
    text(
        "sta",
        "The player's state: `s` starting, `p` playing, `k` seeking, `r` rebuffering, `a` paused, `e` ended, `f` failed, `q` left.",
    ),
    column("keys", Kind::Json, "All keys of the report, by their CMCD names."),
    STREAM_ID,
    STREAM_TYPE,
    PROFILE,
    SESSION_UUID,
    USER_ID,
    USER_EMAIL,
    ORIGIN_URL,
    TRK,
    OTHER,
    CONTENT_TYPE,
    CONTENT_ID,
    CONTENT_EVENT_ID,
    CHANNEL,
    ANALYTICS_KEY,
    COUNTRY,
    LANGUAGE,
    REFERRER,
    APP_VERSION,
];

pub(super) const VIEWING: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    Column { meaning: "Time of the viewing's last report, by the worker's clock.", ..OCCURRED_AT },
    required(text(
        "viewing",
        "The viewing's id; joins `cmcd.sid` and `video_event.video_view_uuid`. Of two rows of a viewing, use the one received last.",
    )),
    required(Column {
        unit: "µs, UTC",
        ..column("began_at", Kind::Moment, "Time of the viewing's first report, by the worker's clock.")
    }),
    required(text(
        "ending",
        "`ended`; `left` by the viewer; `failed`; `before_start`: left before the first frame; `lost`: no report for 15 minutes.",
    )),
    Column {
        unit: "seconds",
        ..column(
            "startup_time",
            Kind::Number,
            "From pressing play to the first frame (CMCD `msd`); empty without a first frame.",
        )
    },
    Column { unit: "seconds", ..column("watch_time", Kind::Number, "Time during which the video played.") },
    column("rebuffer_count", Kind::Number, "Number of stalls for lack of data (CMCD `bsa`)."),
    Column {
        unit: "seconds",
        ..column("rebuffer_time", Kind::Number, "Total duration of the stalls (CMCD `bsda`), without seeks and pauses.")
    },
    column("rebuffer_ratio", Kind::Number, "`rebuffer_time` / (`rebuffer_time` + `watch_time`), 0 to 1."),
    Column { unit: "kbit/s", ..column("bitrate", Kind::Number, "Mean bitrate, weighted by time.") },
    Column { unit: "lines", ..column("height", Kind::Number, "Mean height of the picture, weighted by time.") },
    column(
        "renditions",
        Kind::Json,
        "The renditions in the order of playback: a list of `{\"height\", \"kbps\", \"s\"}`.",
    ),
    column("dropped_frames", Kind::Number, "Frames that the browser dropped (CMCD `dfa`)."),
    Column {
        unit: "seconds",
        ..column("live_latency", Kind::Number, "Last distance from the live edge (CMCD `ltc`).")
    },
    column("errors", Kind::Number, "Number of error reports."),
    column("error_codes", Kind::Json, "The distinct error codes (CMCD `ec`)."),
    text("cdn", "The CDN that served the media (CMCD `cdn`)."),
    column(
        "spot_quartile",
        Kind::Number,
        "Percentage of the last preroll that was played: 0, 25, 50, 75 or 100; empty without a preroll.",
    ),
    STREAM_ID,
    STREAM_TYPE,
    PROFILE,
    SESSION_UUID,
    CONTENT_TYPE,
    CONTENT_ID,
    CONTENT_EVENT_ID,
    CHANNEL,
    COUNTRY,
    LANGUAGE,
    APP_VERSION,
];
