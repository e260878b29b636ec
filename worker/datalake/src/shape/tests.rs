use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;
use touchline_protocol::analytics::{CmcdBody, EventBody, SessionBody, VideoEventBody, VideoViewingBody};
use utoipa::{PartialSchema, ToSchema};

use super::*;

/// Parses the same text as the documented type of a table's body.
fn typed(table: Table, json: &str) -> Result<(), String> {
    fn read<T: for<'de> Deserialize<'de>>(json: &str) -> Result<(), String> {
        serde_json::from_str::<T>(json).map(|_| ()).map_err(|e| e.to_string())
    }
    match table {
        Table::Session => read::<SessionBody>(json),
        Table::Event => read::<EventBody>(json),
        Table::VideoEvent => read::<VideoEventBody>(json),
        Table::VideoViewing => read::<VideoViewingBody>(json),
        Table::Cmcd => read::<CmcdBody>(json),
        Table::Viewing => Err("the worker's own".to_owned()),
        other => Err(format!("no call carries {}", other.name())),
    }
}

/// Collects the names of a schema's properties, including those of `allOf` parts.
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
        (Table::Cmcd, documented::<CmcdBody>()),
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
    fn a_body_is_accepted_if_its_documented_type_accepts_it_within_limits(
        (table, json) in (0..5_usize).prop_flat_map(|n| (Just(Table::ALL[n]), body(Table::ALL[n]))),
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
    fn no_body_makes_the_check_panic(json in "\\PC{0,200}", table in 0..5_usize) {
        let _ = check(Table::ALL[table], &json);
    }
}

#[test]
fn each_field_of_a_body_is_bounded() {
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
        (Table::Event, format!(r#"{{"event":"e","{}":1}}"#, "n".repeat(65)), "field name"),
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
fn a_purchase_is_recognised_by_its_name() {
    let of = |table, json| check(table, json).unwrap().priority;
    assert_eq!(of(Table::Event, r#"{"x":"y","event":"purchase","extra":{"deep":[1]}}"#), Priority::Purchase);
    assert_eq!(of(Table::Event, r#"{"event":"visit","trk":"purchase"}"#), Priority::Ordinary);
    assert_eq!(of(Table::VideoEvent, r#"{"event":"purchase","video_view_uuid":1}"#), Priority::Ordinary);
    assert_eq!(of(Table::VideoViewing, r#"{"viewing_time":1}"#), Priority::Heartbeat);
}

#[test]
fn a_body_with_a_channel_is_recognised() {
    let of = |json| check(Table::Event, json).unwrap().has_channel;
    assert!(of(r#"{"event":"visit","channel":"northfield"}"#));
    assert!(of(r#"{"event":"visit","chan\u006eel":null}"#), "by its name, even with escapes");
    assert!(!of(r#"{"event":"visit","extras":{"channel":"northfield"}}"#));
}
