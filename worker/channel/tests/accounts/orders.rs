use serde_json::json;
use touchline_store::UserChange;

use crate::app::{App, VALID_CARD};

#[tokio::test]
async fn orders_are_paged_newest_first_and_private() {
    let app = App::new().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    for id in [1, 2] {
        let body = json!({ "type": "event", "id": id, "single_event_package_id": 1000 + id });
        app.bought(&ada, VALID_CARD, body).await;
    }
    let whole = app.get(&ada.key, "orders?no_limit=1").await;
    let products: Vec<_> =
        whole.data().as_array().unwrap().iter().map(|order| order["product"]["id"].clone()).collect();
    assert_eq!(products, [2, 1]);
    assert_eq!(whole.json()["meta"], json!({ "total": 2, "limit": 2, "offset": 0 }));
    let part = app.get(&ada.key, "orders?limit=1&offset=1").await;
    assert_eq!(part.data()[0]["product"]["id"], 1);
    assert_eq!(part.json()["meta"], json!({ "total": 2, "limit": 1, "offset": 1 }));
    for wrong in ["limit=0", "limit=101", "limit=x", "offset=-1", "no_limit=2"] {
        app.get(&ada.key, &format!("orders?{wrong}")).await.fails(400, "malformed");
    }

    let other_users_orders = app.get(&bob.key, "orders").await;
    assert_eq!((other_users_orders.data(), &other_users_orders.json()["meta"]["total"]), (json!([]), &json!(0)));
    let id = &whole.data()[0]["id"];
    app.get(&ada.key, &format!("orders/{id}")).await.data();
    app.get(&bob.key, &format!("orders/{id}")).await.fails(404, "not_found");
    app.get(&ada.key, "orders/999").await.fails(404, "not_found");
    app.get(&ada.key, "orders/x").await.fails(404, "not_found");
    let visitor = app.visitor().await;
    app.get(&visitor, "orders").await.fails(401, "unauthenticated");
    app.get(&visitor, &format!("orders/{id}")).await.fails(401, "unauthenticated");
}

#[tokio::test]
async fn ownership_requires_a_paid_and_active_order() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let event = json!({ "type": "event", "id": 1, "single_event_package_id": 1001 });
    app.bought(&ada, "4242424242424242", event).await;
    let owned = async || app.get(&ada.key, "user/access").await.data()["events"].clone();
    assert_eq!(owned().await, json!([1]));
    for (change, expected) in [
        ("UPDATE orders SET status = 'refunded', activity_status = 'active'", json!([])),
        ("UPDATE orders SET status = 'paid', activity_status = 'inactive'", json!([])),
        ("UPDATE orders SET status = 'paid', activity_status = 'active'", json!([1])),
    ] {
        app.execute(change).await;
        assert_eq!(owned().await, expected, "{change}");
    }
}

#[tokio::test]
async fn a_block_at_another_worker_applies_despite_a_cached_key() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    let has = async || app.get(&ada.key, "events/3").await.data()["has_access"].clone();
    assert_eq!(has().await, true);
    let blocked = UserChange { blocked: Some(true), ..UserChange::default() };
    app.state.store.change_user(ada.id, blocked, &[]).await.unwrap();
    assert_eq!(has().await, false);
    app.get(&ada.key, "profile").await.fails(401, "unauthenticated");
    app.get(&ada.key, "orders").await.fails(401, "unauthenticated");
}
