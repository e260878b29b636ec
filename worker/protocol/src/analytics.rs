//! The datalake's events: what the browser tells of its use.
//!
//! One event is a call of ANA-2 (`path`) with its `body`. Bodies are lenient where it costs nothing (an id
//! may be a number or text, unknown fields are kept) and bounded everywhere.

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

/// The largest request body, bytes.
pub const MAX_REQUEST_BYTES: usize = 1024 * 1024;
/// How many events one batch may hold.
pub const MAX_BATCH_EVENTS: usize = 500;
/// The largest body of one event, bytes of JSON.
pub const MAX_EVENT_BYTES: usize = 6 * 1024;
/// How many fields that no table knows one body may hold.
pub const MAX_OTHER_FIELDS: usize = 16;
/// The longest name of an unknown field, characters.
pub const MAX_FIELD_NAME: usize = 64;
/// The longest text of an ordinary field, characters.
pub const MAX_TEXT: usize = 512;
/// The longest `user_agent` and `origin_url`, characters.
pub const MAX_LONG_TEXT: usize = 2048;
/// For how long an event may wait before it is sent, and for how long its id is recognised, milliseconds.
pub const REMEMBERED_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Body of `POST /datalake/batch`.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(example = json!({
    "sent_at": "2026-11-21T10:00:01.000Z",
    "events": [{
        "id": "01a1fdda-7948-7cbd-a16c-df02a4c6044a", "path": "/datalake/event/", "at": "2026-11-21T10:00:00.250Z",
        "body": { "event": "visit", "profile": "p-1", "session_uuid": "s-1" },
    }],
}))]
pub struct BatchRequest<'a> {
    /// When the sender sends it, by the sender's clock.
    pub sent_at: Moment,
    /// 1 to [`MAX_BATCH_EVENTS`] events.
    #[serde(borrow)]
    #[schema(min_items = 1, max_items = 500, value_type = Vec<SentEvent>)]
    pub events: Vec<BatchEvent<'a>>,
}

/// What stands in a batch: an event, or what is refused alone because it is none.
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

/// One event of a batch, as it stands in the text of the request. What is wrong with one event refuses it alone.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct BatchEvent<'a> {
    /// The event's UUID. The worker takes each id once in seven days.
    #[serde(borrow)]
    #[schema(value_type = String)]
    pub id: Cow<'a, str>,
    /// Which call it is: `/datalake/session/`, `/datalake/event/`, `/datalake/video/event/`, `/datalake/video/viewing/`, `/datalake/cmcd/`.
    #[serde(borrow)]
    #[schema(value_type = String)]
    pub path: Cow<'a, str>,
    /// When it happened, by the sender's clock: RFC 3339.
    #[serde(default, deserialize_with = "moment_of_any")]
    #[schema(value_type = serde_json::Value, required = false)]
    pub at: Option<Moment>,
    /// The call's body: [`SessionBody`], [`EventBody`], [`VideoEventBody`], [`VideoViewingBody`] or [`CmcdBody`].
    #[serde(borrow, default = "no_body")]
    #[schema(value_type = serde_json::Value, required = false)]
    pub body: &'a RawValue,
}

/// The answer of `POST /datalake/batch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchAnswer {
    /// One result for each event, in the order in which they were sent.
    pub results: Vec<EventResult>,
}

/// What became of one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventResult {
    /// The id that was sent.
    #[schema(example = "01a1fdda-7948-7cbd-a16c-df02a4c6044a")]
    pub id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, when it was not taken: a `snake_case` code, for some followed by `: ` and what is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of one event. Only `retry` asks the sender to keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is truly on disk.
    Accepted,
    /// Its id was accepted before.
    Duplicate,
    /// It will never be taken.
    Rejected,
    /// It was not taken this time: send it again.
    Retry,
}

/// Body of `/datalake/session/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "profile": "p-1", "session": "s-1", "device_type": "mobile", "platform": "web" }))]
pub struct SessionBody {
    /// The browser's lasting analytics key.
    pub profile: Label,
    /// The session's id, as `/datalake/hash/` gave it.
    pub session: Label,
    /// Such as `desktop`, `mobile`, `tablet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_type: Option<Label>,
    /// The browser's own description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<Label>,
    /// The screen's, such as `1440x900`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Label>,
    /// `web`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Label>,
    /// What every body carries.
    #[serde(flatten)]
    pub common: Common,
}

/// What of the channel was watched, beside the media that played.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Content {
    /// `event`, `vod` or `clip`; of a preroll, what it stands before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<Label>,
    /// Its id, as the channel has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_id: Option<Label>,
    /// The event that was watched, or that the clip is cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_event_id: Option<Label>,
}

/// Body of `/datalake/event/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": "visit", "profile": "p-1", "session_uuid": "s-1", "extras": { "page": "/" } }))]
pub struct EventBody {
    /// What happened, such as `visit`, `purchase`.
    pub event: Label,
    /// Who did it.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// What belongs to this kind of event: any JSON, mostly an object; it is kept as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<Value>,
    /// What every body carries.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/video/event/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": "played", "video_view_uuid": "v-1", "stream_id": 1, "stream_type": "live", "extras": {} }))]
pub struct VideoEventBody {
    /// What the player did, such as `opened`, `played`, `paused`, `ended`, `preroll_started`.
    pub event: Label,
    /// One viewing of one video, from opening the player to leaving it.
    pub video_view_uuid: Label,
    /// What was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod`, `clip` or `preroll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// What of the channel was watched.
    #[serde(flatten)]
    pub content: Content,
    /// Who watched.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// What belongs to this kind of event: any JSON, mostly an object; it is kept as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<Value>,
    /// What every body carries.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/video/viewing/`: the heartbeat of a video being watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "viewing_time": 10.0, "video_view_uuid": "v-1", "stream_id": 1, "stream_type": "live" }))]
pub struct VideoViewingBody {
    /// Seconds watched since the heartbeat before; 0 to 86,400.
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
    /// One viewing of one video, the same as in its video events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_view_uuid: Option<Label>,
    /// What was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod`, `clip` or `preroll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// What of the channel was watched.
    #[serde(flatten)]
    pub content: Content,
    /// Who watched.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// What every body carries.
    #[serde(flatten)]
    pub common: Common,
}

/// Body of `/datalake/cmcd` in a batch: a player's report on how well it plays, after CTA-5004-B (event mode).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "sid": "v-1", "sn": 3, "e": "ps", "sta": "p", "keys": { "msd": 412, "bsa": [0], "pt": 1200 } }))]
pub struct CmcdBody {
    /// CMCD `sid`: one viewing of one video, the same as `video_view_uuid`.
    pub sid: Label,
    /// CMCD `sn`: the report's number within its viewing.
    pub sn: f64,
    /// CMCD `e`: what the report is about, such as `ps`, `t`, `e`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<Label>,
    /// CMCD `sta`: what the player does, one of `s`, `p`, `k`, `r`, `a`, `w`, `e`, `f`, `q`, `d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sta: Option<Label>,
    /// All keys of the report by their CMCD names: numbers, texts, lists of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Value>,
    /// What was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Label>,
    /// `live`, `vod` or `clip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_type: Option<Label>,
    /// What of the channel was watched.
    #[serde(flatten)]
    pub content: Content,
    /// Who watched.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// What every body carries.
    #[serde(flatten)]
    pub common: Common,
}

/// Who did something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Viewer {
    /// The browser's lasting analytics key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Label>,
    /// The session's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_uuid: Option<Label>,
    /// The person's id; absent for an anonymous viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<Label>,
    /// The person's address; absent for an anonymous viewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, extensions(("x-personal" = json!(true))))]
    pub user_email: Option<Label>,
}

/// What every body carries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Common {
    /// The site that it was sent from: scheme, host and port, without a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_url: Option<Label>,
    /// The tracking value, while it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trk: Option<Label>,
    /// The channel's key. Without it the worker writes the channel whose host the call was made to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Label>,
    /// The channel's own analytics key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analytics_key: Option<Label>,
    /// The viewer's country, ISO 3166-1 alpha-2, as the channel's geo call answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Label>,
    /// The language that the site is shown in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Label>,
    /// The site that the page was reached from: scheme, host and port, without a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<Label>,
    /// The build of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<Label>,
    /// Fields that no table knows (at most [`MAX_OTHER_FIELDS`]); the lake keeps them as JSON.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// A short text, or a number that is read as one: ids are numbers here and text there.
#[derive(Debug, Clone, PartialEq, Eq, ToSchema)]
#[schema(value_type = LabelText)]
pub struct Label(pub String);

/// How a [`Label`] is sent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum LabelText {
    /// At most [`MAX_TEXT`] characters, or [`MAX_LONG_TEXT`] of a `user_agent` or `origin_url`.
    Text(String),
    /// Read as its digits.
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
                f.write_str("a text or a whole number")
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

/// A moment: RFC 3339 with an offset, or Unix milliseconds. Written as RFC 3339 UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = MomentText)]
pub struct Moment(pub Timestamp);

/// How a [`Moment`] is written.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum MomentText {
    /// RFC 3339 with an offset.
    Text(String),
    /// Unix milliseconds.
    UnixMs(i64),
}

/// The moment that a value of any type names, if it names one.
fn moment_of_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Moment>, D::Error> {
    let json = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(json.get()).ok())
}

/// What no table takes.
fn no_body() -> &'static RawValue {
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
    fn a_moment_is_read_from_both_spellings_and_written_in_one() {
        let text: Moment = serde_json::from_str("\"2026-11-21T10:00:00.250Z\"").unwrap();
        let number: Moment = serde_json::from_str("1795255200250").unwrap();
        assert_eq!(text, number);
        assert_eq!(serde_json::to_string(&number).unwrap(), "\"2026-11-21T10:00:00.250Z\"");
        assert!(serde_json::from_str::<Moment>("\"yesterday\"").is_err());
    }

    #[test]
    fn an_id_may_be_a_number_or_a_text_and_unknown_fields_are_kept() {
        let body: EventBody =
            serde_json::from_str(r#"{"event":"visit","user_id":42,"page":"/buy","trk":"spring"}"#).unwrap();
        assert_eq!(body.viewer.user_id, Some(Label("42".into())));
        assert_eq!(body.common.trk, Some(Label("spring".into())));
        assert_eq!(body.common.other.keys().collect::<Vec<_>>(), ["page"]);
        for no_label in [r#"{"name":"visit"}"#, "9223372036854775808", "1.5", "true"] {
            assert!(serde_json::from_str::<EventBody>(&format!(r#"{{"event":{no_label}}}"#)).is_err(), "{no_label}");
        }
    }
}
