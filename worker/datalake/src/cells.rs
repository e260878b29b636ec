//! An event as the cells of a table row. The body is parsed once and borrowed from where possible.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use uuid::Uuid;

use crate::event::QueuedEvent;
use crate::schema::{self, Column, Kind, Source};
use crate::table::Table;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Id(Uuid),
    Number(f64),
    Flag(bool),
    Moment(i64),
}

/// The event is not a valid row of its table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(String);

/// The cells of an event, in the order of its table's columns.
pub(crate) fn cells(table: Table, event: &QueuedEvent) -> Result<Vec<Cell<'_>>, Unreadable> {
    let columns = schema::columns(table);
    let unreadable = |e: serde_json::Error| {
        // The position helps nobody and depends on formatting.
        Unreadable(e.to_string().split(" at line ").next().unwrap_or_default().to_owned())
    };
    let body = std::str::from_utf8(&event.body).map_err(|e| Unreadable(e.to_string()))?;
    let mut reader = serde_json::Deserializer::from_str(body);
    let mut cells = Body { columns }.deserialize(&mut reader).map_err(unreadable)?;
    reader.end().map_err(unreadable)?;
    for (cell, column) in cells.iter_mut().zip(columns) {
        match column.source {
            Source::Envelope => *cell = envelope(column.name, event),
            Source::Body if column.required && *cell == Cell::Empty => {
                return Err(Unreadable(format!("{} is missing", column.name)));
            }
            Source::Body | Source::OtherFields | Source::Derived(_) => {}
        }
    }
    Ok(cells)
}

fn envelope<'a>(name: &str, event: &QueuedEvent) -> Cell<'a> {
    match name {
        "at" => Cell::Moment(event.at_us),
        "received_at" => Cell::Moment(event.received_us),
        "occurred_at" => Cell::Moment(event.occurred_us),
        _ => Cell::Id(event.id),
    }
}

struct Body {
    columns: &'static [Column],
}

impl<'de> DeserializeSeed<'de> for Body {
    type Value = Vec<Cell<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body {
    type Value = Vec<Cell<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut cells = vec![Cell::Empty; self.columns.len()];
        let mut others = UnknownFields::default();
        while let Some(name) = map.next_key::<Name<'de>>()?.map(|name| name.0) {
            match schema::column_index(self.columns, &name) {
                None => others.insert(name, map.next_value()?),
                Some(index) => cells[index] = map.next_value_seed(Field(&self.columns[index]))?,
            }
        }
        let other_index = self.columns.iter().position(|column| column.source == Source::OtherFields);
        if let Some((index, document)) = other_index.zip(others.document()) {
            cells[index] = Cell::Text(document.into());
        }
        Ok(cells)
    }
}

/// A field name, borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Fields without a column.
#[derive(Default)]
struct UnknownFields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> UnknownFields<'a> {
    /// The last of two fields with the same name counts.
    fn insert(&mut self, name: Cow<'a, str>, value: &'a RawValue) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, earlier)) => *earlier = value,
            None => self.0.push((name, value)),
        }
    }

    /// All fields with a value as one JSON document; a `null` is omitted.
    fn document(mut self) -> Option<String> {
        self.0.retain(|(_, value)| value.get() != "null");
        let mut document = String::new();
        for (name, value) in self.0 {
            document.push(if document.is_empty() { '{' } else { ',' });
            document.push_str(&Value::from(name).to_string());
            document.push(':');
            document.push_str(value.get());
        }
        (!document.is_empty()).then(|| document + "}")
    }
}

struct Field(&'static Column);

impl<'de> DeserializeSeed<'de> for Field {
    type Value = Cell<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell<'de>, D::Error> {
        if self.0.kind == Kind::Json {
            let value = <&RawValue>::deserialize(deserializer)?.get();
            return Ok(if value == "null" { Cell::Empty } else { Cell::Text(value.into()) });
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Field {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.0.kind {
            Kind::Number => "a number",
            Kind::Flag => "true or false",
            _ => "a string",
        };
        write!(f, "{kind} for {}", self.0.name)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cell<'de>, E> {
        if self.0.kind == Kind::Text { Ok(Cell::Text(text.into())) } else { self.visit_str(text) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell<'de>, E> {
        match self.0.kind {
            Kind::Text => Ok(Cell::Text(text.to_owned().into())),
            _ => Err(E::invalid_type(Unexpected::Str(text), &self)),
        }
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Cell<'de>, E> {
        if self.0.kind == Kind::Flag {
            Ok(Cell::Flag(flag))
        } else {
            Err(E::invalid_type(Unexpected::Bool(flag), &self))
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cell<'de>, E> {
        self.number(number.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cell<'de>, E> {
        self.number(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Cell<'de>, E> {
        let number = Number::from_f64(number).ok_or_else(|| E::custom("invalid number"))?;
        self.number(number)
    }

    fn visit_unit<E: Error>(self) -> Result<Cell<'de>, E> {
        Ok(Cell::Empty)
    }
}

impl Field {
    /// A number in a text column is stored as it was written.
    fn number<'a, E: Error>(self, number: Number) -> Result<Cell<'a>, E> {
        match self.0.kind {
            Kind::Number => number.as_f64().map(Cell::Number).ok_or_else(|| E::custom("invalid number")),
            Kind::Moment => number.as_i64().map(Cell::Moment).ok_or_else(|| E::custom("invalid time")),
            Kind::Flag => Err(E::invalid_type(Unexpected::Other("number"), &self)),
            _ => Ok(Cell::Text(number.to_string().into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(body: &str) -> QueuedEvent {
        let body = body.to_owned().into();
        QueuedEvent { id: Uuid::from_u128(0xABC), at_us: 1, received_us: 2, occurred_us: 3, body }
    }

    fn cell(table: Table, body: &str, column: &str) -> Cell<'static> {
        let index = schema::columns(table).iter().position(|found| found.name == column).unwrap();
        match cells(table, &event(body)).unwrap().swap_remove(index) {
            Cell::Text(text) => Cell::Text(text.into_owned().into()),
            Cell::Empty => Cell::Empty,
            Cell::Id(id) => Cell::Id(id),
            Cell::Number(number) => Cell::Number(number),
            Cell::Flag(flag) => Cell::Flag(flag),
            Cell::Moment(us) => Cell::Moment(us),
        }
    }

    fn text(text: &'static str) -> Cell<'static> {
        Cell::Text(text.into())
    }

    #[test]
    fn texts_are_unescaped_numbers_are_formatted_and_documents_stay_as_sent() {
        let body = r#"{"event":"a\u0062\n","user_id":18446744073709551615,"trk":1.5,"extras":{"b" : [1, 1.50]},"profile":null}"#;
        assert_eq!(cell(Table::Event, body, "event"), text("ab\n"));
        assert_eq!(cell(Table::Event, body, "user_id"), text("18446744073709551615"));
        assert_eq!(cell(Table::Event, body, "trk"), text("1.5"));
        assert_eq!(cell(Table::Event, body, "extras"), text(r#"{"b" : [1, 1.50]}"#));
        assert_eq!(cell(Table::Event, body, "profile"), Cell::Empty);
        assert_eq!(cell(Table::Event, body, "other"), Cell::Empty);
        assert_eq!(cell(Table::Event, body, "event_id"), Cell::Id(Uuid::from_u128(0xABC)));
        assert_eq!(cell(Table::VideoViewing, r#"{"viewing_time":10}"#, "viewing_time"), Cell::Number(10.0));
    }

    #[test]
    fn a_flag_is_true_or_false() {
        let body = |flag| format!(r#"{{"channel":"c","id":"1","is_removed":{flag}}}"#);
        assert_eq!(cell(Table::TeamDim, &body("true"), "is_removed"), Cell::Flag(true));
        assert_eq!(cell(Table::TeamDim, &body("null"), "is_removed"), Cell::Empty);
        for wrong in ["1", "\"true\""] {
            let why = cells(Table::TeamDim, &event(&body(wrong))).unwrap_err().to_string();
            assert!(why.ends_with("expected true or false for is_removed"), "{why}");
        }
    }

    #[test]
    fn unknown_fields_become_one_document_without_nulls_and_with_the_last_of_duplicates() {
        let body = r#"{"b":1,"event":"e","a\"":[null],"n":null,"b":{"c":"\u00e9"},"at":5}"#;
        let other = cell(Table::Event, body, "other");
        assert_eq!(other, text(r#"{"b":{"c":"\u00e9"},"a\"":[null],"at":5}"#));
        assert_eq!(cell(Table::Event, body, "at"), Cell::Moment(1), "the worker sets the envelope's fields");
    }

    #[test]
    fn an_invalid_field_is_reported_with_its_column() {
        let why = |body| cells(Table::Event, &event(body)).unwrap_err().to_string();
        assert_eq!(why(r#"{"event":["a"]}"#), "invalid type: sequence, expected a string for event");
        assert_eq!(why(r#"{"event":true}"#), "invalid type: boolean `true`, expected a string for event");
        assert_eq!(why(r#"{"trk":"t"}"#), "event is missing");
        assert_eq!(why(r#"{"event":null}"#), "event is missing");
        assert_eq!(why("[]"), "invalid type: sequence, expected a JSON object");
        assert!(why(r#"{"event":"e"} x"#).contains("trailing"), "{}", why(r#"{"event":"e"} x"#));
        assert!(why("{").contains("EOF"));
        let why = cells(Table::VideoViewing, &event(r#"{"viewing_time":"10"}"#)).unwrap_err().to_string();
        assert_eq!(why, "invalid type: string \"10\", expected a number for viewing_time");
    }
}
