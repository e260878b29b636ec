//! The JSON types of a body's fields, parsed without storing values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonKind {
    Text,
    Number,
    Flag,
    List,
    Object,
}

impl JsonKind {
    pub(super) const ALL: [Self; 5] = [Self::Text, Self::Number, Self::Flag, Self::List, Self::Object];

    /// Its bit in a set of kinds.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Number => "number",
            Self::Flag => "boolean",
            Self::List => "array",
            Self::Object => "object",
        }
    }
}

/// The names of a set of kinds.
pub(super) fn names(kinds: u8) -> String {
    let names = JsonKind::ALL.into_iter().filter(|kind| kinds & kind.bit() != 0).map(JsonKind::name);
    names.collect::<Vec<_>>().join(" or ")
}

/// Calls `each` for every field with a value. In an invalid body, only for the fields before the fault.
pub(super) fn each_field(body: &[u8], each: &mut dyn FnMut(&str, JsonKind)) {
    let mut reader = serde_json::Deserializer::from_slice(body);
    // Accepted bodies were parsed before; nothing can be done about one that fails now.
    let _read = reader.deserialize_map(Body(each));
}

struct Body<'a>(&'a mut dyn FnMut(&str, JsonKind));

impl<'de> Visitor<'de> for Body<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((Name(name), Kind(kind))) = map.next_entry()? {
            if let Some(kind) = kind {
                (self.0)(&name, kind);
            }
        }
        Ok(())
    }
}

/// A field name, borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The kind of a value; `None` for `null`.
struct Kind(Option<JsonKind>);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind(None))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind(Some(JsonKind::Flag)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind(Some(JsonKind::Number)))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Kind, E> {
        Ok(Kind(Some(JsonKind::Number)))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind(Some(JsonKind::Number)))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Kind, E> {
        Ok(Kind(Some(JsonKind::Text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Kind, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Kind(Some(JsonKind::List)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kind, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind(Some(JsonKind::Object)))
    }
}
