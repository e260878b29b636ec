//! The lake's columns: the one place that says what each table holds. The Parquet files, `docs/datalake.md` and erasure
//! follow it. Columns are only ever added, at the end, with the version that added them.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use serde_json::json;

use crate::table::Table;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// UTF-8 text.
    Text,
    /// A JSON document as text.
    Json,
    /// A 64-bit float.
    Number,
    /// A moment, microseconds, UTC.
    Moment,
}

/// Where a column's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// What the worker knows of the event.
    Envelope,
    /// The field of the same name in the call's body.
    Body,
    /// The body's fields that no column is named after.
    OtherFields,
}

/// A column of the lake.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) source: Source,
    /// Whether every row has a value.
    pub(crate) required: bool,
    /// Whether it says who a person is; erasure empties it.
    pub(crate) personal: bool,
    pub(crate) unit: &'static str,
    pub(crate) meaning: &'static str,
    /// The version of the schema that added it.
    pub(crate) since: u32,
}

const fn column(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    let source = Source::Body;
    Column { name, kind, source, required: false, personal: false, unit: "", meaning, since: 1 }
}

const fn text(name: &'static str, meaning: &'static str) -> Column {
    column(name, Kind::Text, meaning)
}

const fn envelope(name: &'static str, kind: Kind, unit: &'static str, meaning: &'static str) -> Column {
    Column { source: Source::Envelope, required: true, unit, ..column(name, kind, meaning) }
}

const fn required(column: Column) -> Column {
    Column { required: true, ..column }
}

const fn personal(column: Column) -> Column {
    Column { personal: true, ..column }
}

const EVENT_ID: Column =
    envelope("event_id", Kind::Text, "UUID, lower case", "The event's id. One event has one, whatever was sent again.");
const AT: Column =
    envelope("at", Kind::Moment, "µs, UTC", "When it happened, by the sender's clock, which may be wrong.");
const RECEIVED_AT: Column =
    envelope("received_at", Kind::Moment, "µs, UTC", "When the worker received it; its day is the partition.");
const OCCURRED_AT: Column = envelope(
    "occurred_at",
    Kind::Moment,
    "µs, UTC",
    "When it happened, by the worker's clock: what the sender says of how long ago it was, counted back from `received_at`. Use this one.",
);
const PROFILE: Column = text("profile", "The browser's lasting analytics key.");
const SESSION_UUID: Column = text("session_uuid", "The session's id; joins `session.session`.");
const USER_ID: Column = personal(text("user_id", "The person's id; empty for an anonymous viewer."));
const USER_EMAIL: Column = personal(text("user_email", "The person's address; empty for an anonymous viewer."));
const EXTRAS: Column = column("extras", Kind::Json, "What belongs to this kind of event, as it was sent.");
const VIDEO_VIEW_UUID: Column =
    text("video_view_uuid", "One viewing of one video, from opening the player to leaving it.");
const STREAM_ID: Column =
    text("stream_id", "The id of the media that was played; of a clip, the one it is cut from; of a preroll, its own.");
const STREAM_TYPE: Column = text("stream_type", "`live`, `vod`, `clip` or `preroll`.");
const ORIGIN_URL: Column = text("origin_url", "The site that it was sent from: scheme, host and port, without a path.");
const TRK: Column = text("trk", "The tracking value that the viewer came with in the three hours before.");
const CONTENT_TYPE: Column = Column {
    since: 2,
    ..text(
        "content_type",
        "What of the channel was watched: `event`, `vod` or `clip`; of a preroll, what it stands before.",
    )
};
const CONTENT_ID: Column = Column { since: 2, ..text("content_id", "Its id, as the channel has it.") };
const CONTENT_EVENT_ID: Column = Column {
    since: 2,
    ..text(
        "content_event_id",
        "The id of the channel's event: the one watched, or the one that the clip is cut from; empty for a video of the library.",
    )
};
const CHANNEL: Column = Column {
    since: 3,
    ..text(
        "channel",
        "The channel's key: two channels may have the same ids. As the sender names it; otherwise the channel whose host was called.",
    )
};
const ANALYTICS_KEY: Column =
    Column { since: 3, ..text("analytics_key", "The channel's own analytics key, `yare-analytics` of its settings.") };
const COUNTRY: Column = Column {
    since: 3,
    ..text(
        "country",
        "The viewer's country, ISO 3166-1 alpha-2, as the channel's geo call answered; empty while it is unknown.",
    )
};
const LANGUAGE: Column =
    Column { since: 3, ..text("language", "The language that the site is shown in, `en` or `fr`.") };
const REFERRER: Column = Column {
    since: 3,
    ..text(
        "referrer",
        "The site that the page was reached from: scheme, host and port, never a path or a query; empty for none, and for the channel's own.",
    )
};
const APP_VERSION: Column = Column { since: 3, ..text("app_version", "The build of the site that recorded it.") };
const OTHER: Column = Column {
    source: Source::OtherFields,
    ..column("other", Kind::Json, "Fields of the body that no column is named after, as one document.")
};

const SESSION_OTHER: Column = Column {
    meaning: "Fields of the body that no column is named after, as one document; it may say the `user_id` of who is logged in.",
    ..personal(OTHER)
};

const SESSION: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(PROFILE),
    required(text("session", "The session's id, 24 hours long.")),
    text("device_type", "Such as `desktop`, `mobile`, `tablet`."),
    text("user_agent", "The browser's own description."),
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

const EVENT: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(text("event", "What happened, such as `visit`, `purchase`.")),
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

const VIDEO_EVENT: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(text("event", "What the player did, such as `opened`, `played`, `paused`, `ended`, `preroll_started`.")),
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

const VIDEO_VIEWING: &[Column] = &[
    EVENT_ID,
    AT,
    RECEIVED_AT,
    OCCURRED_AT,
    required(Column {
        unit: "seconds",
        ..column("viewing_time", Kind::Number, "How long was watched since the heartbeat before.")
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

/// The columns of a table, in the order of its files.
pub(crate) fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::Session => SESSION,
        Table::Event => EVENT,
        Table::VideoEvent => VIDEO_EVENT,
        Table::VideoViewing => VIDEO_VIEWING,
    }
}

/// The place of the column that a field of a body goes to; none for a field that no column is named after.
pub(crate) fn place(columns: &[Column], field: &str) -> Option<usize> {
    columns.iter().position(|column| column.source == Source::Body && column.name == field)
}

/// A table's schema as its files have it. A column may be empty in files that are older than it, so only the event's id
/// is never null.
pub(crate) fn arrow_schema(table: Table) -> SchemaRef {
    let fields = columns(table).iter().map(|column| {
        let kind = match column.kind {
            Kind::Text | Kind::Json => DataType::Utf8,
            Kind::Number => DataType::Float64,
            Kind::Moment => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        };
        Field::new(column.name, kind, column.name != EVENT_ID.name)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The name of the partition's column: the UTC day of `received_at`, which no file holds.
pub(crate) const PARTITION: &str = "received_date";

/// A table's columns as its log tells them, JSON.
pub(crate) fn delta_schema(table: Table) -> String {
    let field = |name: &str, kind: &str| json!({"name": name, "type": kind, "nullable": true, "metadata": {}});
    let columns = columns(table).iter().map(|column| {
        let kind = match column.kind {
            Kind::Text | Kind::Json => "string",
            Kind::Number => "double",
            Kind::Moment => "timestamp",
        };
        field(column.name, kind)
    });
    let fields: Vec<_> = columns.chain([field(PARTITION, "date")]).collect();
    json!({"type": "struct", "fields": fields}).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_column_that_a_browser_tells_a_person_in_is_marked() {
        let personal = |table| {
            let names = columns(table).iter().filter(|column| column.personal).map(|column| column.name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(personal(Table::Session), ["other"]);
        for table in [Table::Event, Table::VideoEvent, Table::VideoViewing] {
            assert_eq!(personal(table), ["user_id", "user_email"]);
        }
    }

    #[test]
    fn columns_have_names_of_their_own_and_later_ones_stand_at_the_end() {
        for table in Table::ALL {
            let columns = columns(table);
            let names: HashSet<_> = columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), columns.len(), "{}", table.name());
            assert!(columns.is_sorted_by_key(|column| column.since), "{}", table.name());
            assert!(columns.len() <= 32, "{}: a body's columns are ticked off in 32 bits", table.name());
        }
    }
}
