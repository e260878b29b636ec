//! Content that is blocked in the buyer's region is not sold to them (`GEO-1`).

use serde_json::{Value, json};

use crate::app::{App, VALID_CARD};

fn event(id: i64) -> Value {
    json!({ "type": "event", "id": id, "single_event_package_id": 1000 + id })
}

#[tokio::test]
async fn nothing_is_sold_where_the_channel_is_blocked() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let package = json!({ "type": "package", "id": 1 });
    let subscription = json!({ "type": "subscription", "id": 1 });
    for mut body in [event(1), package, subscription] {
        body["payment_method_id"] = json!(card);
        let refused = app.post_in("KP", &person.key, "stripe/buy", "k", body).await;
        assert_eq!(refused.fails(403, "geo_blocked"), "Content not available in the region.");
    }
    let trial = json!({ "subscription_id": 1, "payment_method_id": card });
    let refused = app.post_in("KP", &person.key, "stripe/subscription/start_trial", "t", trial.clone()).await;
    refused.fails(403, "geo_blocked");
    assert_eq!(app.get(&person.key, "orders").await.json()["meta"]["total"], 0);
    assert_eq!(app.get(&person.key, "profile").await.data()["trial_period_used"], false);
    app.post_in("US", &person.key, "stripe/subscription/start_trial", "t", trial).await.data();
}

#[tokio::test]
async fn an_event_is_not_sold_where_it_is_blocked() {
    let app = App::with_demo().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let found = app.get_from(Some("US"), &person.key, "events/44").await.data();
    let mut body = json!({
        "type": "event", "id": 44, "single_event_package_id": found["single_event_package_id"], "payment_method_id": card,
    });
    assert_eq!(found["is_geo_blocked"], false);
    assert_eq!(app.get_from(Some("CA"), &person.key, "events/44").await.data()["is_geo_blocked"], true);
    app.post_in("CA", &person.key, "stripe/buy", "k", body.clone()).await.fails(403, "geo_blocked");
    let priced = "apply_coupon?promo_code=KICKOFF20&type=event&id=44";
    app.get_from(Some("CA"), &person.key, priced).await.fails(403, "geo_blocked");
    assert!(app.get_from(Some("US"), &person.key, priced).await.json()["code"] != "geo_blocked");
    // A refusal is not stored under the key.
    body["expected_total"] = json!(found["base_price"].as_i64().unwrap() + found["service_fee"].as_i64().unwrap());
    app.post_in("US", &person.key, "stripe/buy", "k", body).await.data();
}
