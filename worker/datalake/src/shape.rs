//! The shape of a body: read once, kept nowhere, held against the columns of its table.
//!
//! A typed body would be built, field by field, only to be thrown away: what is queued is the text that was sent.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use touchline_protocol::analytics::{MAX_FIELD_NAME, MAX_LONG_TEXT, MAX_OTHER_FIELDS, MAX_TEXT};

use crate::schema::{self, Column, Kind, Source};
use crate::table::{Priority, Table};

/// A heartbeat that claims more than a day is broken.
const MAX_VIEWING_S: f64 = 86_400.0;

/// Checks a body against its table; gives how long it is kept when room is short. An error says what is wrong, without
/// its place in the text.
pub(crate) fn check(table: Table, json: &str) -> Result<Priority, String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let checked = Body { table, columns: schema::columns(table) }.deserialize(&mut reader);
    checked.and_then(|priority| reader.end().map(|()| priority)).map_err(|e| {
        // The position is of no use to a sender and differs with spelling.
        let text = e.to_string();
        text.split(" at line ").next().unwrap_or_default().chars().take(200).collect()
    })
}

struct Body {
    table: Table,
    columns: &'static [Column],
}

impl<'de> DeserializeSeed<'de> for Body {
    type Value = Priority;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Priority, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body {
    type Value = Priority;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a body for {}", self.table.path())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Priority, A::Error> {
        let mut priority = Priority::of(self.table, None);
        let mut seen = 0_u32;
        let mut unknown = 0;
        while let Some(name) = map.next_key_seed(Name(self.columns))? {
            let Some(place) = name else {
                unknown += 1;
                map.next_value::<Anything>()?;
                continue;
            };
            let column = &self.columns[place];
            if seen & (1 << place) != 0 {
                return Err(A::Error::duplicate_field(column.name));
            }
            seen |= 1 << place;
            match column.kind {
                Kind::Text => {
                    let named = map.next_value_seed(Text { table: self.table, column })?;
                    priority = named.unwrap_or(priority);
                }
                Kind::Number => map.next_value_seed(Number { column })?,
                Kind::Json | Kind::Moment => map.next_value::<Anything>().map(|_| ())?,
            }
        }
        if unknown > MAX_OTHER_FIELDS {
            return Err(A::Error::custom(format_args!("more than {MAX_OTHER_FIELDS} unknown fields")));
        }
        let is_missing = |(place, column): &(usize, &Column)| {
            column.source == Source::Body && column.required && seen & (1 << place) == 0
        };
        match self.columns.iter().enumerate().find(is_missing) {
            Some((_, column)) => Err(A::Error::missing_field(column.name)),
            None => Ok(priority),
        }
    }
}

/// The name of a field: the place of its column, or none when no column is named after it.
struct Name(&'static [Column]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        if is_longer(name, MAX_FIELD_NAME) {
            return Err(E::custom(format_args!("the name of a field is longer than {MAX_FIELD_NAME} characters")));
        }
        Ok(self.0.iter().position(|column| column.source == Source::Body && column.name == name))
    }
}

/// A text, or a whole number that is read as one. An `event` tells the priority of what it names.
struct Text {
    table: Table,
    column: &'static Column,
}

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Priority>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Text {
    type Value = Option<Priority>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let name = self.column.name;
        let limit = if ["user_agent", "origin_url"].contains(&name) { MAX_LONG_TEXT } else { MAX_TEXT };
        if is_longer(text, limit) {
            return Err(E::custom(format_args!("{name} is longer than {limit} characters")));
        }
        if text.is_empty() && self.column.required {
            return Err(E::custom(format_args!("{name} is empty")));
        }
        Ok((name == "event").then(|| Priority::of(self.table, Some(text))))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        i64::try_from(number).map(|_| None).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        nothing_in(self.column).map(|()| None)
    }
}

/// A number of seconds.
struct Number {
    column: &'static Column,
}

impl<'de> DeserializeSeed<'de> for Number {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        if (0.0..=MAX_VIEWING_S).contains(&number) {
            return Ok(());
        }
        Err(E::custom(format_args!("{} is not between 0 and {MAX_VIEWING_S}", self.column.name)))
    }

    #[expect(clippy::cast_precision_loss, reason = "what is lost of it is far beyond the bound")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "what is lost of it is far beyond the bound")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        nothing_in(self.column)
    }
}

fn nothing_in<E: Error>(column: &Column) -> Result<(), E> {
    if column.required { Err(E::custom(format_args!("{} is null", column.name))) } else { Ok(()) }
}

/// Whether a text has more characters than `limit`; counted only when its bytes could be so many.
fn is_longer(text: &str, limit: usize) -> bool {
    text.len() > limit && text.chars().count() > limit
}

/// Any value that can be read again: unlike [`serde::de::IgnoredAny`], what is nested too deeply, no number or no text is found.
struct Anything;

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Anything {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use serde_json::Value;
    use touchline_protocol::analytics::{EventBody, SessionBody, VideoEventBody, VideoViewingBody};
    use utoipa::{PartialSchema, ToSchema};

    use super::*;

    /// What the documented type of a table's body says to the same text.
    fn typed(table: Table, json: &str) -> Result<(), String> {
        fn read<T: for<'de> Deserialize<'de>>(json: &str) -> Result<(), String> {
            serde_json::from_str::<T>(json).map(|_| ()).map_err(|e| e.to_string())
        }
        match table {
            Table::Session => read::<SessionBody>(json),
            Table::Event => read::<EventBody>(json),
            Table::VideoEvent => read::<VideoEventBody>(json),
            Table::VideoViewing => read::<VideoViewingBody>(json),
        }
    }

    /// The names that a schema's properties have, those of its parts included.
    fn names(schema: &Value, parts: &Value, names: &mut BTreeSet<String>) {
        names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let part = part["$ref"].as_str().map_or(part, |path| &parts[path.rsplit('/').next().unwrap()]);
            self::names(part, parts, names);
        }
    }

    fn documented<T: PartialSchema + ToSchema>() -> BTreeSet<String> {
        let mut parts = Vec::new();
        T::schemas(&mut parts);
        let parts: serde_json::Map<String, Value> =
            parts.into_iter().map(|(name, schema)| (name, serde_json::to_value(schema).unwrap())).collect();
        let mut found = BTreeSet::new();
        names(&serde_json::to_value(T::schema()).unwrap(), &parts.into(), &mut found);
        found
    }

    #[test]
    fn the_columns_that_are_checked_are_the_fields_that_are_documented() {
        let all = [
            (Table::Session, documented::<SessionBody>()),
            (Table::Event, documented::<EventBody>()),
            (Table::VideoEvent, documented::<VideoEventBody>()),
            (Table::VideoViewing, documented::<VideoViewingBody>()),
        ];
        for (table, documented) in all {
            let columns = schema::columns(table).iter().filter(|column| column.source == Source::Body);
            let columns: BTreeSet<_> = columns.map(|column| column.name.to_owned()).collect();
            assert_eq!(columns, documented, "{}", table.name());
        }
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z]{0,3}".prop_map(|text| format!("{text:?}")),
            1 => Just("null".to_owned()),
            1 => any::<i64>().prop_map(|number| number.to_string()),
            1 => (0_u32..100_000).prop_map(|number| number.to_string()),
            1 => any::<u64>().prop_map(|number| number.to_string()),
            1 => Just("1.5".to_owned()),
            1 => Just("1e999".to_owned()),
            1 => Just(r#""\ud800""#.to_owned()),
            1 => Just("true".to_owned()),
            1 => Just(r#"{"a":[1,{"b":null}]}"#.to_owned()),
        ]
    }

    fn body(table: Table) -> impl Strategy<Value = String> {
        let mut fields: Vec<_> = schema::columns(table).iter().map(|column| column.name.to_owned()).collect();
        fields.push("page".to_owned());
        let required: Vec<_> = schema::columns(table)
            .iter()
            .filter(|column| column.source == Source::Body && column.required)
            .map(|column| (column.name.to_owned(), "1".to_owned()))
            .collect();
        let others = proptest::collection::vec((proptest::sample::select(fields), value()), 0..5);
        (others, 0..4_u8).prop_map(move |(mut others, whole)| {
            if whole > 0 {
                others.extend(required.clone());
            }
            let fields: Vec<_> = others.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
            format!("{{{}}}", fields.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

        #[test]
        fn a_body_is_taken_when_its_documented_type_takes_it_and_its_texts_are_within_bounds(
            (table, json) in (0..4_usize).prop_flat_map(|n| (Just(Table::ALL[n]), body(Table::ALL[n]))),
        ) {
            let bounds = ["is empty", "is not between 0 and"];
            match (check(table, &json), typed(table, &json)) {
                (Ok(_), typed) => prop_assert_eq!(typed, Ok(()), "{}", json),
                (Err(fault), typed) => prop_assert!(
                    typed.is_err() || bounds.iter().any(|bound| fault.contains(bound)),
                    "{fault} for {json}"
                ),
            }
        }

        #[test]
        fn no_body_whatever_it_holds_makes_the_check_panic(json in "\\PC{0,200}", table in 0..4_usize) {
            let _ = check(Table::ALL[table], &json);
        }
    }

    #[test]
    fn bodies_are_bounded_field_by_field() {
        let long = "é".repeat(MAX_TEXT + 1);
        let many: String = (0..=MAX_OTHER_FIELDS).map(|n| format!(",\"f{n}\":1")).collect();
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let refused = [
            (Table::Session, r#"{"profile":"p"}"#.to_owned(), "missing field `session`"),
            (Table::Session, r#"{"profile":"","session":"s"}"#.to_owned(), "profile is empty"),
            (Table::Event, format!(r#"{{"event":"{long}"}}"#), "event is longer than 512"),
            (Table::Event, format!(r#"{{"event":"e","user_email":"{long}"}}"#), "user_email is longer"),
            (Table::Event, format!(r#"{{"event":"e","origin_url":"{}"}}"#, "y".repeat(2049)), "origin_url is longer"),
            (Table::Event, format!(r#"{{"event":"e"{many}}}"#), "more than 16 unknown fields"),
            (Table::Event, format!(r#"{{"event":"e","{}":1}}"#, "n".repeat(65)), "name of a field"),
            (Table::Event, format!(r#"{{"event":"e","x":{deep}}}"#), "recursion limit"),
            (Table::Event, "[]".to_owned(), "invalid type"),
            (Table::Event, r#"{"event":null}"#.to_owned(), "event is null"),
            (Table::Event, r#"{"event":"a","event":"b"}"#.to_owned(), "duplicate field `event`"),
            (Table::Event, r#"{"event":"a"} 1"#.to_owned(), "trailing characters"),
            (Table::VideoEvent, r#"{"event":"start"}"#.to_owned(), "missing field `video_view_uuid`"),
            (Table::VideoViewing, r#"{"viewing_time":-1}"#.to_owned(), "between 0 and 86400"),
            (Table::VideoViewing, r#"{"viewing_time":"10"}"#.to_owned(), "invalid type"),
            (Table::VideoViewing, format!(r#"{{"viewing_time":1,"school":"{long}"}}"#), "school is longer"),
        ];
        for (table, json, why) in refused {
            let fault = check(table, &json).unwrap_err();
            assert!(fault.contains(why) && !fault.contains(" line "), "{fault} for {json}");
        }
        let widest = "é".repeat(MAX_TEXT);
        assert!(check(Table::Event, &format!(r#"{{"event":"{widest}"}}"#)).is_ok());
        assert!(check(Table::VideoViewing, r#"{"viewing_time":10.5,"sport":null}"#).is_ok());
    }

    #[test]
    fn a_purchase_is_known_by_its_name_alone() {
        let of = |table, json| check(table, json).unwrap();
        assert_eq!(of(Table::Event, r#"{"x":"y","event":"purchase","extra":{"deep":[1]}}"#), Priority::Purchase);
        assert_eq!(of(Table::Event, r#"{"event":"visit","trk":"purchase"}"#), Priority::Ordinary);
        assert_eq!(of(Table::VideoEvent, r#"{"event":"purchase","video_view_uuid":1}"#), Priority::Ordinary);
        assert_eq!(of(Table::VideoViewing, r#"{"viewing_time":1}"#), Priority::Heartbeat);
    }
}
