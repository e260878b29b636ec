use serde_json::json;
use touchline_protocol::purchases::OrderType;

use crate::app::App;

/// `PKG-1`.
#[tokio::test]
async fn packages_are_sorted_by_weight_with_their_full_price() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let packages = app.get(&viewer, "packages").await;
    assert_eq!(packages.ids(), [1, 2]);
    let pass = &packages.data()[0];
    assert_eq!((&pass["price"], &pass["currency"], &pass["type"]), (&json!(9550), &json!("USD"), &json!("pass")));
    assert_eq!(app.get(&viewer, "packages/1").await.data(), *pass);
    app.get(&viewer, "packages/9").await.fails(404, "not_found");
}

/// `PKG-2`.
#[tokio::test]
async fn a_package_reports_only_the_viewers_share() {
    let app = App::new().await;
    let (owner, other) =
        (app.person_with_rights("owner", &["watch"]).await, app.person_with_rights("other", &["watch"]).await);
    app.owns(&owner, OrderType::Package, 1, &[10], None).await;
    app.owns(&owner, OrderType::Package, 2, &[], Some(102)).await;
    assert_eq!(app.get(&owner.key, "packages/1").await.data()["disabled_categories"], json!([10]));
    assert_eq!(app.get(&owner.key, "packages/2").await.data()["disabled_participants"], json!([102]));
    for id in [1, 2] {
        let package = app.get(&other.key, &format!("packages/{id}")).await.data();
        assert_eq!((&package["disabled_categories"], &package["disabled_participants"]), (&json!([]), &json!([])));
    }
}

#[tokio::test]
async fn subscriptions_are_sorted_by_weight() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let subscriptions = app.get(&viewer, "subscriptions").await;
    assert_eq!(subscriptions.ids(), [1, 2]);
    assert_eq!(
        subscriptions.data()[0],
        json!({
            "id": 1, "name": "Monthly", "price": 1299, "base_price": 1199, "service_fee": 100, "currency": "USD",
            "offer": "monthly", "period": "monthly", "trial_period": 7, "weight": 1, "description": ""
        })
    );
    assert_eq!(app.get(&viewer, "subscriptions/2").await.data()["offer"], "annual");
    app.get(&viewer, "subscriptions/9").await.fails(404, "not_found");
}
