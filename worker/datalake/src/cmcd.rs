//! Player reports as defined by CTA-5004-B (`QOE-2`), one structured-fields dictionary per line. Any player that
//! supports CMCD version 2 in event mode can send them to `POST /datalake/cmcd`. The site's own player sends the same
//! keys in its batches.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Number, Value, json};
use sfv::{BareItem, Dictionary, InnerList, ListEntry, Parser};
use uuid::Uuid;

use crate::event;

/// A parsed report: the body of an event of the table `cmcd`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Derived from the text, so that a report sent again is the same event.
    pub(crate) id: Uuid,
    /// CMCD `ts`.
    pub(crate) at: Timestamp,
    pub(crate) body: Bytes,
}

/// Parses the lines of a request. An error names its line, counted from 1.
pub(crate) fn read(text: &str) -> Result<Vec<Line>, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    lines.map(|(nth, line)| read_line(line).map_err(|why| format!("line {}: {why}", nth + 1))).collect()
}

fn read_line(line: &str) -> Result<Line, String> {
    let fields: Dictionary = Parser::new(line).parse().map_err(|e: sfv::Error| e.to_string())?;
    let mut keys: Map<String, Value> =
        fields.into_iter().map(|(key, entry)| (key.as_str().to_owned(), value(entry))).collect();
    let sid = keys.remove("sid").filter(Value::is_string).ok_or("sid is missing")?;
    let sn = keys.remove("sn").filter(Value::is_number).ok_or("sn is missing")?;
    let at = keys.remove("ts").and_then(|ts| ts.as_i64()).ok_or("ts is missing")?;
    let at = Timestamp::from_millisecond(at).map_err(|_| "ts is not a valid timestamp")?;
    let [e, sta] = ["e", "sta"].map(|key| keys.remove(key).unwrap_or_default());
    // A page or media URL may contain a signature.
    keys.retain(|key, _| !matches!(key.as_str(), "nor" | "url"));
    let body = json!({ "sid": sid, "sn": sn, "e": e, "sta": sta, "keys": keys });
    Ok(Line { id: event::id_of(line), at, body: body.to_string().into() })
}

fn value(entry: ListEntry) -> Value {
    match entry {
        ListEntry::Item(item) => bare(item.bare_item),
        ListEntry::InnerList(InnerList { items, .. }) => items.into_iter().map(|item| bare(item.bare_item)).collect(),
    }
}

fn bare(item: BareItem) -> Value {
    match item {
        BareItem::Decimal(number) => Number::from_f64(number.into()).map_or(Value::Null, Value::Number),
        BareItem::Integer(number) => i64::from(number).into(),
        BareItem::String(text) => text.as_str().into(),
        BareItem::Token(text) => text.as_str().into(),
        BareItem::Boolean(is) => is.into(),
        BareItem::Date(date) => i64::from(date.unix_seconds()).into(),
        BareItem::DisplayString(text) => text.into(),
        BareItem::ByteSequence(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_parsed_with_lists_strings_tokens_and_flags() {
        let text = "bg,bsa=(2),br=(3200;v 128;a),com.touchline-watched=1500,cdn=\"edge-1\",e=ps,ec=(\"404\"),msd=412,nor=(\"seg?sig=x\"),pr=1.5,sid=\"v-1\",sn=3,sta=p,ts=1795262400000,v=2\n\n";
        let [line] = read(text).unwrap().try_into().unwrap();
        let body: Value = serde_json::from_slice(&line.body).unwrap();
        assert_eq!(
            body,
            json!({ "sid": "v-1", "sn": 3, "e": "ps", "sta": "p", "keys": {
                "bg": true, "bsa": [2], "br": [3200, 128], "com.touchline-watched": 1500, "cdn": "edge-1",
                "ec": ["404"], "msd": 412, "pr": 1.5, "v": 2 } })
        );
        assert_eq!(line.at.as_millisecond(), 1_795_262_400_000);
        assert_eq!(read(text).unwrap()[0].id, line.id, "a repeated report is the same event");
    }

    #[test]
    fn an_invalid_report_is_reported_with_its_line() {
        for (text, why) in [
            ("sid=\"v\",sn=1,ts=1\nsid=\"v\",sn=", "line 2: "),
            ("sn=1,ts=1", "line 1: sid is missing"),
            ("sid=\"v\",ts=1", "line 1: sn is missing"),
            ("sid=\"v\",sn=1", "line 1: ts is missing"),
            ("{}", "line 1: "),
        ] {
            assert!(read(text).unwrap_err().starts_with(why), "{text}");
        }
    }
}
