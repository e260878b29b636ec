//! Analytics events, sent by the browser to the datalake.
//!
//! An event is one call of ANA-2 (`path`) with its `body`. Bodies are lenient where that is harmless (an id may be a
//! number or a string, unknown fields are stored) and bounded everywhere.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::openapi::schema::{AnyOf, Object, SchemaType};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Largest request body, in bytes.
pub const MAX_REQUEST_BYTES: usize = 1024 * 1024;
/// Most events in one batch.
pub const MAX_BATCH_EVENTS: usize = 500;
/// Largest body of one event, in bytes of JSON.
pub const MAX_EVENT_BYTES: usize = 6 * 1024;
/// Most unknown fields in one body.
pub const MAX_OTHER_FIELDS: usize = 16;
/// Longest name of an unknown field, in characters.
pub const MAX_FIELD_NAME: usize = 64;
/// Longest value of an ordinary text field, in characters.
pub const MAX_TEXT: usize = 512;
/// Longest `user_agent` and `origin_url`, in characters.
pub const MAX_LONG_TEXT: usize = 2048;
/// Longest delay before an event is sent, which is also how long its id is remembered, in milliseconds.
pub const REMEMBERED_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Request body of `POST /datalake/batch`.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(example = json!({
    "sent_at": "2026-11-21T10:00:01.000Z",
    "events": [{
        "id": "01a1fdda-7948-7cbd-a16c-df02a4c6044a", "path": "/datalake/event/", "at": "2026-11-21T10:00:00.250Z",
        "body": { "event": "visit", "profile": "p-1", "session_uuid": "s-1" },
    }],
}))]
pub struct BatchRequest<'a> {
    /// Time at which the batch was sent, by the sender's clock.
    pub sent_at: Moment,
    /// 1 to [`MAX_BATCH_EVENTS`] events.
    #[serde(borrow)]
    #[schema(min_items = 1, max_items = 500, value_type = Vec<SentEvent>)]
    pub events: Vec<BatchEvent<'a>>,
}

/// An event of a batch. One that can't be read is rejected alone.
#[derive(Debug)]
pub struct SentEvent;

impl PartialSchema for SentEvent {
    fn schema() -> RefOr<Schema> {
        let any = Object::builder().schema_type(SchemaType::AnyValue).build();
        Schema::AnyOf(AnyOf::builder().item(Ref::from_schema_name("BatchEvent")).item(any).build()).into()
    }
}

impl ToSchema for SentEvent {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((BatchEvent::name().into_owned(), BatchEvent::schema()));
        BatchEvent::schemas(schemas);
    }
}

/// An event of a batch. Its body stays the raw text of the request, so that an invalid event is rejected alone.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct BatchEvent<'a> {
    /// The event's UUID. Duplicates within seven days are ignored.
    #[serde(borrow)]
    #[schema(value_type = String)]
    pub id: Cow<'a, str>,
    /// The call that the event belongs to: `/datalake/session/`, `/datalake/event/`, `/datalake/video/event/`,
    /// `/datalake/video/viewing/`, `/datalake/cmcd/` or, for an event without consent, `/datalake/count/`.
    #[serde(borrow)]
    #[schema(value_type = String)]
    pub path: Cow<'a, str>,
    /// Time of the event by the sender's clock, RFC 3339.
    #[serde(default, deserialize_with = "moment_of_any")]
    #[schema(value_type = serde_json::Value, required = false)]
    pub at: Option<Moment>,
    /// The body of that call: [`SessionBody`], [`EventBody`], [`VideoEventBody`], [`VideoViewingBody`] or [`CmcdBody`]; of
    /// a count only `event`.
    #[serde(borrow, default = "null_body")]
    #[schema(value_type = serde_json::Value, required = false)]
    pub body: &'a RawValue,
}

/// Response of `POST /datalake/batch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchAnswer {
    /// One result per event, in the order of the request.
    pub results: Vec<EventResult>,
}

/// The result of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventResult {
    /// The event's UUID.
    #[schema(example = "01a1fdda-7948-7cbd-a16c-df02a4c6044a")]
    pub id: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Reason for an outcome other than `accepted`: a `snake_case` code, sometimes followed by `: ` and details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The outcome of one event. Only `retry` asks the sender to send the event again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The event is durably stored.
    Accepted,
    /// The event was accepted before.
    Duplicate,
    /// The event is invalid. Sending it again won't help.
    Rejected,
    /// The event couldn't be stored this time. Send it again.
    Retry,
}

/// Body of `/datalake/session/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "profile": "p-1", "session": "s-1", "device_type": "mobile", "platform": "web" }))]
pub struct SessionBody {
    /// The browser's persistent analytics key.
    pub profile: Label,
    /// The session's UUID, from `/datalake/hash/`.
    pub session: Label,
    /// Type of device, such as `desktop`, `mobile` or `tablet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_type: Option<Label>,
    /// The browser's user agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<Label>,
    /// Screen resolution, such as `1440x900`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Label>,
    /// Platform: `web`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Label>,
    /// Fields common to all bodies.
    #[serde(flatten)]
    pub common: Common,
}

/// The content that was watched. While a preroll plays, this is the content that follows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Content {
    /// `event`, `vod` or `clip`. For a preroll, the type of the content that follows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<Label>,
    /// The content's ID in the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_id: Option<Label>,
    /// ID of the event that was watched, or of the event that the clip comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_event_id: Option<Label>,
}

/// Body of `/datalake/event/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": "visit", "profile": "p-1", "session_uuid": "s-1", "extras": { "page": "/" } }))]
pub struct EventBody {
    /// Name of the event, such as `visit` or `purchase`.
    pub event: Label,
    /// The viewer.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// Additional data specific to this kind of event. Any JSON, usually an object, stored unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<Value>,
    /// Fields common to all bodies.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/video/event/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": "played", "video_view_uuid": "v-1", "stream_id": 1, "stream_type": "live", "extras": {} }))]
pub struct VideoEventBody {
    /// The player event, such as `opened`, `played`, `paused`, `ended` or `preroll_started`.
    pub event: Label,
    /// Identifier of one viewing of one video, from opening the player to leaving it.
    pub video_view_uuid: Label,
    /// ID of the media that played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod`, `clip` or `preroll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// The content that was watched.
    #[serde(flatten)]
    pub content: Content,
    /// The viewer.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// Additional data specific to this kind of event. Any JSON, usually an object, stored unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<Value>,
    /// Fields common to all bodies.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/video/viewing/`, the heartbeat sent while a video is being watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "viewing_time": 10.0, "video_view_uuid": "v-1", "stream_id": 1, "stream_type": "live" }))]
pub struct VideoViewingBody {
    /// Seconds watched since the previous heartbeat, 0 to 86,400.
    pub viewing_time: f64,
    /// The event's category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Label>,
    /// The sport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<Label>,
    /// The gender of the teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<Label>,
    /// The school.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub school: Option<Label>,
    /// The league.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub league: Option<Label>,
    /// Identifier of the viewing, the same as in its video events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_view_uuid: Option<Label>,
    /// ID of the media that played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod`, `clip` or `preroll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// The content that was watched.
    #[serde(flatten)]
    pub content: Content,
    /// The viewer.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// Fields common to all bodies.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/cmcd/` in a batch: a player's playback quality report, in CTA-5004-B event mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "sid": "v-1", "sn": 3, "e": "ps", "sta": "p", "keys": { "msd": 412, "bsa": [0], "pt": 1200 } }))]
pub struct CmcdBody {
    /// CMCD `sid`: identifier of the viewing, equal to `video_view_uuid`.
    pub sid: Label,
    /// CMCD `sn`: sequence number of the report within the viewing.
    pub sn: f64,
    /// CMCD `e`: the type of report, such as `ps`, `t` or `e`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<Label>,
    /// CMCD `sta`: the player's state, one of `s`, `p`, `k`, `r`, `a`, `w`, `e`, `f`, `q` and `d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sta: Option<Label>,
    /// All keys of the report by CMCD name. Values are numbers, strings or lists of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Value>,
    /// ID of the media that played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod` or `clip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// The content that was watched.
    #[serde(flatten)]
    pub content: Content,
    /// The viewer.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// Fields common to all bodies.
    #[serde(flatten)]
    pub common: Common,
}

/// The viewer behind an event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Viewer {
    /// The browser's persistent analytics key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Label>,
    /// The session's UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_uuid: Option<Label>,
    /// The account's ID. Absent for an anonymous viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<Label>,
    /// The account's email address. Absent for an anonymous viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, extensions(("x-personal" = json!(true))))]
    pub user_email: Option<Label>,
}

/// Fields common to all bodies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Common {
    /// Origin of the site that sent the event: scheme, host and port, without a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_url: Option<Label>,
    /// The tracking value of the visit, until it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trk: Option<Label>,
    /// The channel's key. Defaults to the channel of the request's host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Label>,
    /// The channel's analytics key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analytics_key: Option<Label>,
    /// The viewer's country, ISO 3166-1 alpha-2, as returned by the channel's geo call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Label>,
    /// Language of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Label>,
    /// Origin of the referring site: scheme, host and port, without a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<Label>,
    /// Build of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<Label>,
    /// Fields without a column, at most [`MAX_OTHER_FIELDS`]. They are stored as JSON.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// A short string. Numbers are accepted too, because ids are numbers in some calls and strings in others.
#[derive(Debug, Clone, PartialEq, Eq, ToSchema)]
#[schema(value_type = LabelText)]
pub struct Label(pub String);

/// The accepted forms of a [`Label`].
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum LabelText {
    /// At most [`MAX_TEXT`] characters, or [`MAX_LONG_TEXT`] for a `user_agent` or `origin_url`.
    Text(String),
    /// Converted to its digits.
    Number(i64),
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Label;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a whole number")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Label, E> {
                Ok(Label(text.to_owned()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Label, E> {
                self.visit_i64(i64::try_from(number).map_err(E::custom)?)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Label, E> {
                Ok(Label(number.to_string()))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// A point in time: RFC 3339 with an offset, or Unix milliseconds. Serialised as RFC 3339 UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = MomentText)]
pub struct Moment(pub Timestamp);

/// The accepted forms of a [`Moment`].
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum MomentText {
    /// RFC 3339 with an offset.
    Text(String),
    /// Unix milliseconds.
    UnixMs(i64),
}

/// Reads a moment from a value of any type. `None` if the value isn't one, so that the event alone is rejected.
fn moment_of_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Moment>, D::Error> {
    let json = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(json.get()).ok())
}

/// The body of an event that has none. No table accepts it.
fn null_body() -> &'static RawValue {
    RawValue::NULL
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.3}", self.0))
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Moment;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 time or Unix milliseconds")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
                text.parse().map(Moment).map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
            fn visit_u64<E: Error>(self, ms: u64) -> Result<Moment, E> {
                self.visit_i64(i64::try_from(ms).map_err(E::custom)?)
            }
            fn visit_i64<E: Error>(self, ms: i64) -> Result<Moment, E> {
                Timestamp::from_millisecond(ms).map(Moment).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_two_formats_and_written_in_one() {
        let text: Moment = serde_json::from_str("\"2026-11-21T10:00:00.250Z\"").unwrap();
        let number: Moment = serde_json::from_str("1795255200250").unwrap();
        assert_eq!(text, number);
        assert_eq!(serde_json::to_string(&number).unwrap(), "\"2026-11-21T10:00:00.250Z\"");
        assert!(serde_json::from_str::<Moment>("\"yesterday\"").is_err());
    }

    #[test]
    fn ids_may_be_numbers_or_strings_and_unknown_fields_are_stored() {
        let body: EventBody =
            serde_json::from_str(r#"{"event":"visit","user_id":42,"page":"/buy","trk":"spring"}"#).unwrap();
        assert_eq!(body.viewer.user_id, Some(Label("42".into())));
        assert_eq!(body.common.trk, Some(Label("spring".into())));
        assert_eq!(body.common.other.keys().collect::<Vec<_>>(), ["page"]);
        for missing_label in [r#"{"name":"visit"}"#, "9223372036854775808", "1.5", "true"] {
            assert!(
                serde_json::from_str::<EventBody>(&format!(r#"{{"event":{missing_label}}}"#)).is_err(),
                "{missing_label}"
            );
        }
    }
}
