use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn a_code_tells_what_it_takes_off() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let apply = |query: &'static str| {
        let (app, key) = (&app, person.key.clone());
        async move { app.get(&key, &format!("apply_coupon?{query}")).await }
    };
    assert_eq!(
        apply("promo_code=ten&type=event&id=1").await.data(),
        // 10 % of 799 is 79.9, rounded half up once.
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
