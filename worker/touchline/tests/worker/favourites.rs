//! Favourites (`FAV-1`, `FAV-2`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, folder};

/// Shows FAV-1a, FAV-1b, FAV-1c, FAV-2a, FAV-2b, FAV-2c, FAV-2d.
#[tokio::test]
async fn teams_schools_and_sports_are_favourites_of_their_viewer() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let (ada, bob, visitor) = (worker.register().await, worker.register().await, worker.key().await);
    let mark = async |kind: Value, id: i64| {
        let body = json!({ "api_key": ada, "favoritable_id": id, "favoritable_type": kind });
        worker.call(Method::POST, "favorite", &body).await
    };
    for (kind, id, stored) in [
        ("participant", 101, "participant"),
        ("group", 1, "group"),
        ("participant_group", 2, "group"),
        ("category", 10, "category"),
        ("event_category", 20, "category"),
    ] {
        let (status, answer) = mark(json!(kind), id).await;
        assert_eq!(status, StatusCode::OK, "{kind}: {answer}");
        let fields = (&answer["data"]["favoritable_id"], &answer["data"]["favoritable_type"]);
        assert_eq!(fields, (&json!(id), &json!(stored)));
    }
    for kind in [json!("favorite_event"), json!("event_location"), json!("planet"), json!(7), json!(["group"])] {
        let (status, answer) = mark(kind.clone(), 1).await;
        let message = answer["errors"]["favoritable_type"][0].as_str().unwrap_or_default();
        assert_eq!(status, StatusCode::BAD_REQUEST, "{kind}: {answer}");
        assert!(message.contains("must be equal to one of the allowed values"), "{kind}: {answer}");
    }

    let list = async |key: &str| worker.call(Method::GET, &format!("favorites?api_key={key}"), &Value::Null).await;
    let (status, answer) = list(&visitor).await;
    assert_eq!((status, &answer["message"]), (StatusCode::UNAUTHORIZED, &json!("user must be logged in")));
    let all = list(&ada).await.1["data"].as_array().unwrap().clone();
    assert_eq!(all.len(), 5);
    let remove = async |key: &str, id: &str| {
        worker.call(Method::DELETE, &format!("favorite/{id}?api_key={key}"), &Value::Null).await.0
    };
    let first = all[0]["id"].to_string();
    for (key, id) in [(&bob, first.as_str()), (&ada, "999999"), (&ada, "0"), (&ada, "none")] {
        assert_eq!(remove(key, id).await, StatusCode::NOT_FOUND, "{id}");
    }
    assert_eq!(remove(&ada, &first).await, StatusCode::OK);
    assert_eq!(list(&ada).await.1["data"], json!(all[1..]));
}
