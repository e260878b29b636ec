use uuid::Uuid;

use super::*;
use crate::event::QueuedEvent;
use crate::lake::erasure::rewrite;
use crate::rows::{self, Rows};

fn ann() -> Person {
    Person { user_id: Some("7".into()), email: Some(" Ann@Example.com ".into()), deleted_us: None }.checked().unwrap()
}

#[test]
fn a_person_is_removed_from_a_body_at_any_depth_and_others_remain() {
    let removed = |body: &str| ann().strip_body(Table::Event, body.as_bytes());
    assert_eq!(
        removed(r#"{"event":"e","user_id":7,"user_email":"ann@example.com","trk":"t"}"#).as_deref(),
        Some(r#"{"event":"e","trk":"t"}"#)
    );
    assert_eq!(removed(r#"{"user_id":"7","user_email":"other@x.org"}"#).as_deref(), Some("{}"));
    assert_eq!(
        removed(r#"{"extras":{"to":["ANN@example.com","bo@x.org"],"user_id":7,"n":7}}"#).as_deref(),
        Some(r#"{"extras":{"to":["bo@x.org"],"n":7}}"#)
    );
    assert_eq!(removed(r#"{"origin_url":"https://x/verify-email?email=ann%40example.com"}"#).as_deref(), Some("{}"));
    assert_eq!(
        removed(r#"{"extras":{"by":{"user_id":"a","user_email":"ann@example.com","n":1}}}"#).as_deref(),
        Some(r#"{"extras":{"by":{"n":1}}}"#)
    );
    assert_eq!(
        removed(r#"{"extras":"of ann@example.com","ann@example.com":1,"other":{"ann@example.com":[1],"n":7}}"#)
            .as_deref(),
        Some(r#"{"other":{"n":7}}"#)
    );
    assert_eq!(
        removed(r#"{"a":[["ann@example.com",[1]]],"user_id":[7,8]}"#).as_deref(),
        Some(r#"{"a":[[[1]]],"user_id":[8]}"#)
    );
    assert_eq!(removed(r#"{"extras":{"a":"ann@example.com","a":1}}"#).as_deref(), Some(r#"{"extras":{"a":1}}"#));
    assert_eq!(removed(r#"{"event":"ann@example.com"}"#).as_deref(), Some(r#"{"event":"erased"}"#));
    assert_eq!(removed(r#"{"event":"e","user_id":77,"user_email":"joann@example.com","n":7}"#), None);
    for (text, named) in [
        ("ann@example.com", true),
        ("mailto%3AAnn%40example.com%20", true),
        ("<ann@example.com>.", true),
        ("joann@example.com", false),
        ("ann@example.com.au", false),
        ("ann@example.community", false),
    ] {
        assert_eq!(ann().is_named_in(text), named, "{text}");
    }
}

#[test]
fn a_person_is_removed_from_rows_without_removing_rows() {
    let mut rows = Rows::new(Table::Event);
    let bodies = [
        r#"{"event":"a","user_id":7,"user_email":"ann@example.com","profile":"p"}"#,
        r#"{"event":"b","user_id":8,"user_email":"bo@example.com","extras":{"by":"ann@example.com","n":1}}"#,
        r#"{"event":"c","user_id":8,"user_email":"bo@example.com"}"#,
    ];
    for (n, body) in bodies.into_iter().enumerate() {
        let id = Uuid::from_u128(n as u128);
        rows.push(&QueuedEvent { id, at_us: 1, received_us: 2, occurred_us: 3, body: body.into() }).unwrap();
    }
    let file = rows::to_parquet(Table::Event, [Ok(rows.finish().unwrap())]).unwrap().bytes;
    let (changed, file) = rewrite(Table::Event, file, &[&ann()]).unwrap().unwrap();
    assert_eq!(changed, [2]);
    let file = file.bytes;
    let batch = rows::from_parquet(Table::Event, file.clone()).unwrap().remove(0);
    let cell = |column, row| {
        let array = batch.column_by_name(column).unwrap().as_string::<i32>();
        array.is_valid(row).then(|| array.value(row))
    };
    assert_eq!(batch.num_rows(), 3);
    assert_eq!((cell("user_id", 0), cell("user_email", 0), cell("profile", 0)), (None, None, Some("p")));
    assert_eq!((cell("user_id", 1), cell("extras", 1)), (Some("8"), Some(r#"{"n":1}"#)));
    assert_eq!(cell("user_email", 2), Some("bo@example.com"));
    assert!(rewrite(Table::Event, file, &[&ann()]).unwrap().is_none());
}

#[test]
fn an_address_is_removed_from_all_kinds_of_documents_and_from_required_texts() {
    let bodies = [
        r#"{"event":"a","extras":"ann@example.com","n":1}"#,
        r#"{"event":"b","extras":["ann@example.com",["ann@example.com"],7]}"#,
        r#"{"event":"c","extras":{"ann@example.com":true,"deep":{"to":{"Ann@Example.com":1}},"n":1.50}}"#,
        r#"{"event":"d","note":"of ann@example.com","ann%40example.com":{"n":1}}"#,
        r#"{"event":"ann@example.com","mail":{"user_id":7,"n":1}}"#,
        r#"{"event":"f","extras":{"a":"joann@example.com", "n":1.50},"note":"joann@example.com"}"#,
    ];
    let mut rows = Rows::new(Table::Event);
    for (n, body) in bodies.into_iter().enumerate() {
        let id = Uuid::from_u128(n as u128);
        rows.push(&QueuedEvent { id, at_us: 1, received_us: 2, occurred_us: 3, body: body.into() }).unwrap();
    }
    let (batch, changed) = ann().strip_rows(Table::Event, &rows.finish().unwrap()).unwrap();
    let cells = |column| {
        let array = batch.column_by_name(column).unwrap().as_string::<i32>();
        array.iter().map(|cell| cell.map(str::to_owned)).collect::<Vec<_>>()
    };
    let texts = |texts: [Option<&str>; 6]| texts.map(|text| text.map(str::to_owned));
    assert_eq!(changed, 5);
    assert_eq!(cells("event"), texts(["a", "b", "c", "d", "erased", "f"].map(Some)));
    let same = r#"{"a":"joann@example.com", "n":1.50}"#;
    let extras = [None, Some("[[],7]"), Some(r#"{"deep":{"to":{}},"n":1.5}"#), None, None, Some(same)];
    assert_eq!(cells("extras"), texts(extras));
    let other = [
        Some(r#"{"n":1}"#),
        None,
        None,
        Some("{}"),
        Some(r#"{"mail":{"n":1}}"#),
        Some(r#"{"note":"joann@example.com"}"#),
    ];
    assert_eq!(cells("other"), texts(other));
}

#[test]
fn an_empty_person_is_refused() {
    assert!(matches!(Person { user_id: Some(" ".into()), ..Person::default() }.checked(), Err(EraseError::Nobody)));
}
