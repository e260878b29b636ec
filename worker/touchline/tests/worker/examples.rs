//! Every body and response in the document has an example that matches its schema (`CALL-4`).

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::openapi::COMMITTED;

fn document() -> Value {
    serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap()
}

/// A validator for a schema of the document, with its references resolved.
fn validator(document: &Value, schema: &Value) -> Validator {
    let whole = json!({ "allOf": [schema], "components": document["components"] });
    jsonschema::options().should_validate_formats(true).build(&whole).unwrap()
}

/// The error in the example of a body or response, if any.
fn fault(document: &Value, content: &Value) -> Option<String> {
    let Some(example) = content.get("example") else { return Some("has no example".to_owned()) };
    let faults: Vec<_> = validator(document, &content["schema"])
        .iter_errors(example)
        .map(|fault| format!("{} at {}", fault, fault.instance_path()))
        .collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[test]
fn every_body_and_response_has_a_valid_example() {
    let document = document();
    let (mut tried, mut faults) = (0, Vec::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = operation.get("requestBody").map(|body| ("body".to_owned(), body));
            let answers = operation["responses"].as_object().unwrap().iter();
            // Only 304 has no body.
            let answers = answers.filter(|(status, _)| *status != "304");
            for (what, place) in body.into_iter().chain(answers.map(|(status, answer)| (status.clone(), answer))) {
                // Calendars are text, everything else is JSON.
                for content in place["content"].as_object().unwrap().values() {
                    tried += 1;
                    let fault = fault(&document, content);
                    faults.extend(fault.map(|fault| format!("{method} {path} {what}: {fault}")));
                }
            }
        }
    }
    assert!(tried > 600, "{tried}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_invalid_example_is_detected() {
    let document = document();
    let content = document.pointer("/paths/~1api~1events~1{id}/get/responses/200/content/application~1json").unwrap();
    assert_eq!(fault(&document, content), None);
    let spoilt = |pointer: &str, value: Value| {
        let mut content = content.clone();
        *content.pointer_mut(pointer).unwrap() = value;
        fault(&document, &content)
    };
    assert!(spoilt("/example/data/stream_status", json!("over")).is_some_and(|fault| fault.contains("over")));
    assert!(spoilt("/example/data/participants/0/id", json!("102")).is_some());
    assert!(spoilt("/example/data", json!({})).is_some());
    assert_eq!(fault(&document, &json!({ "schema": {} })).as_deref(), Some("has no example"));
}
