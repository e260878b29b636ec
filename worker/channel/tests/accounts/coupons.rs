use serde_json::json;
use touchline_channel::routes::operator::promo::{self, PromoCode};
use touchline_domain::coupons::{CouponRule, Discount};
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder, VALID_CARD};

#[tokio::test]
async fn a_promo_code_returns_its_discount() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let apply = |query: &'static str| {
        let (app, key) = (&app, person.key.clone());
        async move { app.get(&key, &format!("apply_coupon?{query}")).await }
    };
    assert_eq!(
        apply("promo_code=ten&type=event&id=1").await.data(),
        // 10 % of 799 is 79.9, which is rounded half up once.
        json!({ "code": "TEN", "base_price": 799, "discount": 80, "service_fee": 60, "total": 779, "currency": "USD" })
    );
    assert_eq!(apply("promo_code=FIVER&type=package&id=1").await.data()["discount"], 500);
    for wrong in
        ["promo_code=FIVER&type=event&id=1", "promo_code=NONE&type=event&id=1", "promo_code=%20&type=event&id=1"]
    {
        assert_eq!(apply(wrong).await.blames("promo_code"), "Wrong promo code.");
    }
    apply("promo_code=TEN&type=event&id=999").await.fails(404, "not_found");
    apply("promo_code=TEN&type=car&id=1").await.fails(400, "malformed");
    apply("type=event&id=1").await.fails(400, "malformed");
    app.get("gone", "apply_coupon").await.fails(400, "api_key");
    app.get(&app.visitor().await, "apply_coupon?promo_code=TEN&type=event&id=1").await.fails(401, "unauthenticated");
}

/// `PAY-17`: the fee fell after the operator had created the code.
#[tokio::test]
async fn a_price_below_the_card_minimum_becomes_free() {
    let folder = ChannelFolder::copied();
    folder.replace("events.json", "\"service_fee\": 60", "\"service_fee\": 30");
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    let rule = CouponRule {
        code: "GUEST".to_owned(),
        discount: Discount::Percent(100),
        products: vec![(OrderType::Event, 1)],
        max_uses: None,
        starts_at: None,
        ends_at: None,
    };
    let promo = PromoCode {
        code: rule.code.clone(),
        percent: Some(100),
        amount: None,
        products: rule.products.clone(),
        max_uses: None,
        starts_at: None,
        ends_at: None,
    };
    let refused = promo::add(&app.state, "meadow", promo).await.unwrap_err();
    assert!(format!("{refused:?}").contains("leaves 0.30 USD"), "{refused:?}");
    app.state.store.add_promo_code("meadow", &rule, 0).await.unwrap();
    assert_eq!(
        app.get(&person.key, "apply_coupon?promo_code=GUEST&type=event&id=1").await.data(),
        json!({ "code": "GUEST", "base_price": 799, "discount": 799, "service_fee": 0, "total": 0, "currency": "USD" })
    );
    let body = json!({
        "type": "event", "id": 1, "single_event_package_id": 1001, "promo_code": "GUEST", "expected_total": 0,
    });
    let order = app.bought(&person, VALID_CARD, body).await;
    assert_eq!((&order["total"], &order["status"]), (&json!(0), &json!("paid")));
    assert_eq!(app.charges("succeeded").await, 0);
}
