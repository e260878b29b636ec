//! The OpenAPI document of the catalogue calls.

use std::collections::BTreeMap;

use serde_json::Value;
use touchline_channel::routes;

/// The operations by path.
fn operations() -> BTreeMap<String, Value> {
    let (_, document) = routes::catalogue::router().split_for_parts();
    let document: Value = serde_json::to_value(document).unwrap();
    let paths = document["paths"].as_object().unwrap();
    paths.iter().map(|(path, item)| (path.clone(), item["get"].clone())).collect()
}

#[test]
fn every_call_of_the_channel_data_events_and_vod_is_documented() {
    let operations = operations();
    let expected = [
        "settings",
        "menu",
        "pages",
        "pages/{id}",
        "color-settings/web",
        "slides/web",
        "channel-bootstrap-data",
        "participants",
        "participant-groups",
        "participant-group-properties",
        "faq",
        "geo",
        "custom-forms/{alias}",
        "popups",
        "events",
        "events/starts",
        "events/{id}",
        "events/{id}/playback/{media_id}",
        "download-event/{id}",
        "events-categories",
        "events-for-homepage",
        "events-locations",
        "events/with_clip",
        "events/favorite",
        "packages",
        "packages/contents",
        "packages/{id}",
        "subscriptions",
        "subscriptions/{id}",
        "vod-media-items",
        "vod-media-items/{id}",
        "vod-media-items/{id}/playback",
        "vod-media-categories",
        "vod-media-rails",
        "vod-media/search",
        "search",
    ];
    for call in expected {
        assert!(operations.contains_key(&format!("/api/{call}")), "{call}");
    }
    assert_eq!(operations.len(), expected.len());
}

#[test]
fn every_call_documents_its_key_response_and_failures() {
    for (path, operation) in operations() {
        let parameters = operation["parameters"].as_array().unwrap();
        assert!(parameters.iter().any(|parameter| parameter["name"] == "api_key"), "{path}");
        assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{path}");
        let schema = |status: &str| &operation["responses"][status]["content"]["application/json"]["schema"];
        assert!(schema("200").is_object(), "{path}");
        for status in ["400", "429", "500"] {
            assert_eq!(schema(status)["$ref"], "#/components/schemas/Failure", "{path} {status}");
        }
        let is_of_one = path.contains('}');
        assert_eq!(operation["responses"].get("404").is_some(), is_of_one, "{path}");
        let is_personal = ["favorite", "download-event"].iter().any(|name| path.contains(name));
        assert_eq!(operation["responses"].get("401").is_some(), is_personal, "{path}");
    }
}
