//! The committed document matches the handlers.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{folder, run, text};

pub(crate) const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

#[test]
fn the_committed_document_is_up_to_date() {
    let (folder, _) = folder();
    let printed = run(folder.path(), &["openapi"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let committed = std::fs::read_to_string(COMMITTED).unwrap();
    // Both are long, so only the line that differs is reported.
    let printed = text(&printed.stdout);
    let differs = committed.lines().zip(printed.lines()).position(|(a, b)| a != b);
    assert!(
        committed == printed,
        "docs/openapi.json drifted at line {:?}: run `cargo run -p touchline -- openapi > docs/openapi.json`",
        differs.map(|line| line + 1)
    );
}

#[test]
fn the_document_has_every_call_with_its_failures() {
    let document: Value = serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    for path in ["/api/get_api_key", "/api/events", "/api/stripe/buy", "/datalake/batch", "/keys/{hostname}.json"] {
        assert!(paths.contains_key(path), "{path}: {:?}", paths.keys());
    }
    let mut operations = BTreeSet::new();
    for (path, item) in paths {
        for (method, operation) in
            item.as_object().unwrap().iter().filter(|(_, operation)| operation["responses"].is_object())
        {
            let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no id"));
            assert!(operations.insert(id), "{id} is the id of two operations");
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.contains_key("200"), "{method} {path} never succeeds");
            assert!(responses.keys().any(|status| status.starts_with('4')), "{method} {path} never fails");
        }
    }
}
