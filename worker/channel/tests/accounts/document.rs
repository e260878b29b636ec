use std::collections::BTreeSet;

use serde_json::Value;

const CALLS: [&str; 46] = [
    "delete /api/auth/linked_logins/{provider}",
    "delete /api/auth/sessions/{id}",
    "delete /api/clip/{id}",
    "delete /api/favorite/{id}",
    "get /api/apply_coupon",
    "get /api/auth/linked_logins",
    "get /api/auth/sessions",
    "get /api/auth/social/{provider}/start",
    "get /api/clip/download/{id}",
    "get /api/clips/event/{id}",
    "get /api/clips/user",
    "get /api/favorites",
    "get /api/orders",
    "get /api/orders/{id}",
    "get /api/playback",
    "get /api/profile",
    "get /api/shared-clip/{id}",
    "get /api/stripe/customer-portal",
    "get /api/stripe/list-cards",
    "get /api/user/access",
    "post /api/clip",
    "post /api/auth/add_session",
    "post /api/auth/email-verify",
    "post /api/auth/email-verify-request",
    "post /api/auth/logout",
    "post /api/auth/password-reset",
    "post /api/auth/password-reset-request",
    "post /api/auth/session_code",
    "post /api/delete-account",
    "post /api/delete-account-confirm",
    "post /api/error-log",
    "post /api/favorite",
    "post /api/get_api_key",
    "post /api/playback",
    "post /api/problem-report",
    "post /api/profile",
    "post /api/stripe/buy",
    "post /api/stripe/sandbox-card",
    "post /api/stripe/sandbox-confirm",
    "post /api/stripe/setup-intent",
    "post /api/stripe/subscription/start_trial",
    "post /api/stripe/unsubscribe",
    "post /api/v2/auth/login",
    "post /api/v2/auth/register",
    "post /api/v2/auth/social/{provider}",
    "get /api/settings",
];
const PUBLIC: [&str; 3] = ["post /api/error-log", "post /api/get_api_key", "post /api/problem-report"];

fn document() -> Value {
    let (_, document) = touchline_channel::router().split_for_parts();
    serde_json::to_value(document).unwrap()
}

fn operation<'a>(document: &'a Value, call: &str) -> &'a Value {
    let (method, path) = call.split_once(' ').unwrap();
    let operation = &document["paths"][path][method];
    assert!(operation.is_object(), "{call} is not documented");
    operation
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_call_documents_its_key_response_and_failures() {
    let document = document();
    for call in CALLS {
        let operation = operation(&document, call);
        for status in ["200", "400", "413", "429", "500"] {
            assert!(operation["responses"][status].is_object(), "{call}: {status}");
        }
        assert!(operation["responses"]["429"]["headers"]["Retry-After"].is_object(), "{call}");
        assert!(!operation["summary"].as_str().or(operation["description"].as_str()).unwrap().is_empty(), "{call}");
        let text = operation.to_string();
        if call.starts_with("post") {
            let keyed = text.contains("schemas/WithKey_");
            assert_eq!(keyed, !PUBLIC.contains(&call), "{call}");
        } else {
            let parameters = operation["parameters"].as_array().unwrap();
            let key = parameters.iter().find(|parameter| parameter["name"] == "api_key");
            assert_eq!(key.map(|key| &key["in"]), Some(&Value::from("query")), "{call}");
        }
    }
}

#[test]
fn every_reference_of_the_document_resolves() {
    let document = document();
    let mut named = BTreeSet::new();
    references(&document, &mut named);
    assert!(named.len() > 50, "{}", named.len());
    for reference in named {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn personal_fields_are_marked() {
    let document = document();
    for (schema, field) in [
        ("Profile", "email"),
        ("Profile", "first_name"),
        ("Login", "password"),
        ("SandboxCard", "number"),
        ("NextAction", "client_secret"),
        ("Card", "last4"),
    ] {
        let marked = &document["components"]["schemas"][schema]["properties"][field]["x-personal"];
        assert_eq!(marked, &Value::Bool(true), "{schema}.{field}");
    }
}
