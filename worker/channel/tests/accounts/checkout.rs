use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use touchline_channel::http::idempotency::WINDOW_MS;
use touchline_channel::payments::billing;
use touchline_channel::routes::operator::orders as operator;
use touchline_protocol::purchases::{ChargeKind, OrderType};
use touchline_protocol::sync::StatusKind;
use touchline_store::{Backlog, Change, Outcome, Scope};

use crate::app::{App, VALID_CARD};

fn event() -> Value {
    json!({ "type": "event", "id": 1, "single_event_package_id": 1001 })
}

fn with_card(mut body: Value, card: &str) -> Value {
    body["payment_method_id"] = json!(card);
    body
}

#[tokio::test]
async fn an_order_is_created_then_paid_and_gives_access() {
    let app = App::with(|options| options.sandbox_delay = Duration::from_millis(1500)).await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], false);
    let placed = app.buy(&person, "one", with_card(event(), &card)).await.data();
    assert_eq!((&placed["status"], &placed["activity_status"]), (&json!("created"), &json!("inactive")));
    assert_eq!((&placed["total"], &placed["currency"]), (&json!(859), &json!("USD")));
    assert_eq!(placed["product"]["event_category_id"], 11);

    app.settle().await;
    assert_eq!(app.order(&person, &placed["id"]).await, placed, "the sandbox waits a moment");
    app.clock.advance_ms(1500);
    app.settle().await;
    let paid = app.order(&person, &placed["id"]).await;
    assert_eq!((&paid["status"], &paid["activity_status"]), (&json!("paid"), &json!("active")));
    assert!(paid["version"].as_i64() > placed["version"].as_i64());
    assert_eq!(app.charges("succeeded").await, 1);
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], true);
    assert_eq!(app.get(&person.key, "user/access").await.data()["events"], json!([1]));

    // The status log contains both states in full and in order.
    let Backlog::Complete(lines) = app.state.store.statuses_since(&Scope::User(person.id), 0, 10).await.unwrap() else {
        panic!("the log is stored")
    };
    assert_eq!(lines.iter().map(|line| line.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(lines.into_iter().map(|line| line.state).collect::<Vec<_>>(), [placed, paid]);
}

#[tokio::test]
async fn each_test_card_has_its_documented_outcome() {
    let app = App::new().await;
    for (number, status, failure) in [
        ("4242424242424242", "paid", None),
        ("4000000000000002", "failed", Some("Your card was declined.")),
        ("4000000000009995", "failed", Some("Your card has insufficient funds.")),
        ("4000000000000069", "failed", Some("Your card has expired.")),
        ("4000000000000127", "failed", Some("Your card's security code is incorrect.")),
    ] {
        let person = app.person(number).await;
        let order = app.bought(&person, number, event()).await;
        assert_eq!((&order["status"], order.get("failure").and_then(Value::as_str)), (&json!(status), failure));
        assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], json!(status == "paid"));
    }
    assert_eq!(app.charges("succeeded").await, 1);
}

#[tokio::test]
async fn a_failed_order_can_be_bought_again() {
    let app = App::new().await;
    let person = app.person("ada").await;
    assert_eq!(app.bought(&person, "4000000000000002", event()).await["status"], "failed");
    assert_eq!(app.bought(&person, VALID_CARD, event()).await["status"], "paid");
}

#[tokio::test]
async fn three_d_secure_waits_for_the_cardholder() {
    let app = App::new().await;
    for (name, accept, status) in [("yes", true, "paid"), ("no", false, "failed")] {
        let (person, stranger) = (app.person(name).await, app.person(&format!("not-{name}")).await);
        let waiting = app.bought(&person, "4000 0025 0000 3155", event()).await;
        assert_eq!((&waiting["status"], &waiting["next_action"]["type"]), (&json!("created"), &json!("confirm")));
        let answer = json!({ "client_secret": waiting["next_action"]["client_secret"], "accept": accept });
        let mut opposite = answer.clone();
        opposite["accept"] = json!(!accept);
        app.post(&stranger.key, "stripe/sandbox-confirm", opposite).await.fails(404, "not_found");
        app.settle().await;
        assert_eq!(app.order(&person, &waiting["id"]).await, waiting, "not answered yet");

        app.post(&person.key, "stripe/sandbox-confirm", answer.clone()).await.data();
        app.settle().await;
        let settled = app.order(&person, &waiting["id"]).await;
        assert_eq!((&settled["status"], settled.get("next_action")), (&json!(status), None));
        // A second answer changes nothing.
        app.post(&person.key, "stripe/sandbox-confirm", answer).await.data();
        app.settle().await;
        assert_eq!(app.order(&person, &waiting["id"]).await, settled);
    }
}

#[tokio::test]
async fn an_unanswered_bank_confirmation_fails_the_order() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let waiting = app.bought(&person, "4000002500003155", event()).await;
    app.clock.advance_ms(15 * 60_000);
    app.settle().await;
    let failed = app.order(&person, &waiting["id"]).await;
    assert_eq!((&failed["status"], &failed["failure"]), (&json!("failed"), &json!("The payment was not confirmed.")));
    let late = json!({ "client_secret": waiting["next_action"]["client_secret"], "accept": true });
    app.post(&person.key, "stripe/sandbox-confirm", late).await.data();
    app.settle().await;
    assert_eq!(app.order(&person, &waiting["id"]).await, failed);
    assert_eq!(app.charges("succeeded").await, 0);
}

#[tokio::test]
async fn repeating_a_key_returns_the_same_response_and_charges_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let body = with_card(event(), &card);
    let (one, two) = tokio::join!(app.buy(&person, "k", body.clone()), app.buy(&person, "k", body.clone()));
    assert_eq!(one.data(), two.data());
    app.settle().await;
    assert_eq!(app.buy(&person, "k", body.clone()).await.data(), one.data(), "the stored response");
    app.settle().await;
    assert_eq!(app.charges("succeeded").await, 1);
    assert_eq!(app.get(&person.key, "orders").await.json()["meta"]["total"], 1);

    let mut other = body.clone();
    other["id"] = json!(2);
    app.buy(&person, "k", other).await.fails(409, "idempotency_conflict");
    app.buy(&person, "another", body.clone()).await.fails(400, "already_bought");
    app.buy(&person, &"x".repeat(129), event()).await.fails(400, "malformed");
}

/// `CALL-12`: a client that follows only the specification sends no key.
#[tokio::test]
async fn repeated_purchases_without_a_key_are_one_until_it_fails() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let mut body = event();
    body["payment_method_id"] = json!(app.card(&person, "4000 0000 0000 0002").await);
    let press = async |body: &Value| app.post(&person.key, "stripe/buy", body.clone()).await.data();
    let (one, two) = tokio::join!(press(&body), press(&body));
    assert_eq!(one, two);
    app.settle().await;
    assert_eq!(app.order(&person, &one["id"]).await["status"], "failed");

    let again = press(&body).await;
    assert_ne!(again["id"], one["id"], "a purchase after a decline is a second order");
    app.settle().await;
    assert_eq!(app.order(&person, &again["id"]).await["status"], "failed");

    body["payment_method_id"] = json!(app.card(&person, VALID_CARD).await);
    let paid = press(&body).await;
    app.settle().await;
    assert_eq!(press(&body).await, paid, "the stored response");
    assert_eq!(app.charges("succeeded").await, 1);
    app.clock.advance_ms(WINDOW_MS + 1);
    app.post(&person.key, "stripe/buy", body).await.fails(400, "already_bought");
}

#[tokio::test]
async fn an_idempotency_key_is_scoped_to_the_person() {
    let app = App::new().await;
    for name in ["ada", "bob"] {
        let person = app.person(name).await;
        let card = app.card(&person, VALID_CARD).await;
        let order = app.buy(&person, "k", with_card(event(), &card)).await.data();
        assert_eq!(app.order(&person, &order["id"]).await["id"], order["id"]);
    }
}

#[tokio::test]
async fn concurrent_purchases_of_a_product_are_one() {
    let app = App::with(|options| options.sandbox_delay = Duration::from_millis(1500)).await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let buy = |key: &'static str| app.buy(&person, key, with_card(event(), &card));
    let (one, two) = tokio::join!(buy("one"), buy("two"));
    let refused = if one.status.is_success() { &two } else { &one };
    assert_eq!(refused.fails(400, "already_bought"), "You already bought this event.");
}

#[tokio::test]
async fn invalid_purchases_are_explained() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let others_card = app.card(&app.person("bob").await, VALID_CARD).await;
    for (body, field, message) in [
        (json!({ "type": "event", "id": 0 }), "id", "id not selected"),
        (json!({ "type": "event", "id": 1 }), "single_event_package_id", "id not selected"),
        (
            json!({ "type": "event", "id": 1, "single_event_package_id": 1002 }),
            "single_event_package_id",
            "id not selected",
        ),
        (json!({ "type": "package", "id": 2 }), "participant_id", "Package is TeamPass but team not selected"),
        (
            json!({ "type": "package", "id": 2, "participant_id": 999 }),
            "participant_id",
            "Package is TeamPass but team not selected",
        ),
        (json!({ "type": "package", "id": 1, "promo_code": "NONE" }), "promo_code", "Wrong promo code."),
    ] {
        assert_eq!(app.buy(&person, "k", with_card(body, &card)).await.blames(field), message);
    }
    for card in ["", "pm_none", &others_card] {
        let answer = app.buy(&person, "k", with_card(event(), card)).await;
        assert_eq!(answer.blames("payment_method_id"), "Please select one of your saved cards or enter new one.");
    }
    for body in [
        json!({ "type": "event", "id": 999, "single_event_package_id": 1001 }),
        json!({ "type": "event", "id": 3, "single_event_package_id": 1001 }),
        json!({ "type": "package", "id": 999 }),
        json!({ "type": "subscription", "id": 999 }),
    ] {
        app.buy(&person, "k", with_card(body, &card)).await.fails(404, "not_found");
    }
    app.post_with(&app.visitor().await, "stripe/buy", &[("idempotency-key", "k")], with_card(event(), &card))
        .await
        .fails(401, "unauthenticated");
    assert_eq!(app.get(&person.key, "orders").await.json()["meta"]["total"], 0);
}

#[tokio::test]
async fn a_package_gives_access_to_its_categories_until_it_expires() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 1 })).await;
    assert_eq!((&order["status"], &order["total"]), (&json!("paid"), &json!(9550)));
    assert_eq!(app.get(&person.key, "user/access").await.data()["event_categories"], json!([10]));
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], true, "11 is below 10");
    assert_eq!(app.get(&person.key, "events/5").await.data()["has_access"], false, "21 is not");
    let card = app.card(&person, VALID_CARD).await;
    let again = app.buy(&person, "again", with_card(json!({ "type": "package", "id": 1 }), &card)).await;
    assert_eq!(again.blames("id"), "You already bought this package.");

    app.clock.advance_ms(150 * crate::app::DAY_MS);
    assert_eq!(
        app.get(&person.key, "events/1").await.data()["has_access"],
        false,
        "from the due time, not the processing time"
    );
    app.settle().await;
    let ended = app.order(&person, &order["id"]).await;
    assert_eq!((&ended["status"], &ended["activity_status"]), (&json!("paid"), &json!("inactive")));
    assert_eq!(app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 1 })).await["status"], "paid");
}

#[tokio::test]
async fn a_team_pass_gives_access_to_its_team() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let pass = |team: i64| json!({ "type": "package", "id": 2, "participant_id": team });
    let order = app.bought(&person, VALID_CARD, pass(101)).await;
    assert_eq!(order["product"]["participant_id"], 101);
    assert_eq!(app.get(&person.key, "user/access").await.data()["participants"], json!([101]));
    let package = app.get(&person.key, "packages/2").await.data();
    assert_eq!(package["disabled_participants"], json!([101]));
    let card = app.card(&person, VALID_CARD).await;
    app.buy(&person, "again", with_card(pass(101), &card)).await.fails(400, "already_bought");
    assert_eq!(app.bought(&person, VALID_CARD, pass(102)).await["status"], "paid");
}

#[tokio::test]
async fn a_promo_code_applies_before_the_fee() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 1, "promo_code": "ten" })).await;
    assert_eq!(
        (&order["base_price"], &order["discount"], &order["service_fee"], &order["total"]),
        (&json!(8900), &json!(890), &json!(650), &json!(8660))
    );
}

#[tokio::test]
async fn a_refund_happens_once_and_ends_access() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, event()).await;
    let id = order["id"].as_i64().unwrap();
    operator::refund(&app.state, id, None).await.unwrap();
    let refunded = app.order(&person, &order["id"]).await;
    assert_eq!((&refunded["status"], &refunded["activity_status"]), (&json!("refunded"), &json!("inactive")));
    assert_eq!(app.charges("refunded").await, 1);
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], false);
    assert!(operator::refund(&app.state, id, None).await.is_err());
    assert!(operator::refund(&app.state, 999, None).await.is_err());
}

#[tokio::test]
async fn a_partial_refund_keeps_access_and_refunding_the_rest_ends_it() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, event()).await;
    let (id, total) = (order["id"].as_i64().unwrap(), order["total"].as_i64().unwrap());
    let refund = |amount| operator::refund(&app.state, id, amount);
    assert!(refund(Some(total + 1)).await.is_err());
    assert_eq!(refund(Some(100)).await.unwrap().refunded_minor, 100);
    let part = app.order(&person, &order["id"]).await;
    assert_eq!((&part["status"], &part["refunded_minor"]), (&json!("paid"), &json!(100)));
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], true);
    assert_eq!(refund(None).await.unwrap().refunded_minor, total);
    assert_eq!(app.get(&person.key, "events/1").await.data()["has_access"], false);
    let charges = app.state.store.order_charges(id).await.unwrap();
    let amounts: Vec<_> = charges.iter().map(|charge| (charge.kind, charge.amount)).collect();
    let (purchase, refund) = (ChargeKind::Purchase, ChargeKind::Refund);
    assert_eq!(amounts, [(purchase, total), (refund, 100), (refund, total - 100)]);
    assert_eq!(charges[0].card_last4.as_deref(), Some("4242"));
}

/// The provider refuses the last digit of a three-decimal currency (`PAY-17`).
#[tokio::test]
async fn a_partial_refund_is_a_multiple_of_what_the_currency_allows() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, event()).await;
    app.execute("UPDATE orders SET currency = 'KWD'").await;
    app.execute("UPDATE charges SET currency = 'KWD'").await;
    let refund = |amount| operator::refund(&app.state, order["id"].as_i64().unwrap(), Some(amount));
    let refused = refund(105).await.unwrap_err().answer().1;
    assert_eq!(refused.message, "Refunds in KWD are multiples of 0.010.");
    assert_eq!(app.charges("refunded").await, 0);
    assert_eq!(refund(100).await.unwrap().refunded_minor, 100);
}

#[tokio::test]
async fn a_grant_costs_nothing() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let grant = |kind, id, team| operator::grant(&app.state, "meadow", "ada@example.com", kind, id, team);
    assert_eq!(grant(OrderType::Event, 1, None).await.unwrap().total, 0);
    assert!(grant(OrderType::Event, 1, None).await.is_err(), "already owned");
    assert!(grant(OrderType::Package, 2, None).await.is_err(), "no team");
    grant(OrderType::Package, 2, Some(102)).await.unwrap();
    grant(OrderType::Subscription, 1, None).await.unwrap();
    let access = app.get(&person.key, "user/access").await.data();
    assert_eq!(
        (&access["events"], &access["participants"], &access["subscribed"]),
        (&json!([1]), &json!([102]), &json!(true))
    );
    app.clock.advance_ms(31 * crate::app::DAY_MS);
    app.settle().await;
    assert_eq!(app.get(&person.key, "user/access").await.data()["subscribed"], false, "it does not renew");
    assert_eq!(app.charges("succeeded").await, 0);
}

#[tokio::test]
async fn invalid_cards_are_reported_by_field() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let intent = app.post(&person.key, "stripe/setup-intent", json!({})).await.data();
    let secret = &intent["client_secret"];
    let enter = |person: &crate::app::Person, number: &str, exp: &str, cvc: &str| {
        let body = json!({ "client_secret": secret, "number": number, "exp": exp, "cvc": cvc });
        let (app, key) = (&app, person.key.clone());
        async move { app.post(&key, "stripe/sandbox-card", body).await }
    };
    enter(&person, "4111111111111111", "12/34", "123").await.blames("number");
    enter(&person, "card", "12/34", "123").await.blames("number");
    enter(&person, VALID_CARD, "13/34", "123").await.blames("exp");
    enter(&person, VALID_CARD, "12/26", "123").await.blames("exp");
    enter(&person, VALID_CARD, "12/34", "12").await.blames("cvc");
    enter(&app.person("bob").await, VALID_CARD, "12/34", "123").await.blames("client_secret");
    let entered = enter(&person, VALID_CARD, "01/27", "123").await.data();
    enter(&person, VALID_CARD, "12/34", "123").await.blames("client_secret");

    let card = entered["payment_method_id"].as_str().unwrap();
    app.buy(&person, "one", with_card(event(), card)).await.data();
    app.settle().await;
    let cards = app.get(&person.key, "stripe/list-cards").await.data();
    assert_eq!(
        (cards.as_array().unwrap().len(), &cards[0]["last4"], &cards[0]["exp_month"], &cards[0]["exp_year"]),
        (1, &json!("4242"), &json!(1), &json!(2027))
    );
    let portal = app.get(&person.key, "stripe/customer-portal").await.data();
    assert_eq!(portal["url"], "https://meadow.test/profile/transactions");
}

#[tokio::test]
async fn a_crash_after_the_charge_does_not_charge_again() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let placed = app.buy(&person, "one", with_card(event(), &card)).await.data();
    let due = app.state.store.due_orders(i64::MAX, 10).await.unwrap().remove(0);
    // The money moved, but the worker died before recording it.
    let outcome = app.state.payments.advance(&due, 0).await.unwrap().outcome;
    assert_eq!(outcome, Outcome::Paid { period_end: None, trial_end: None });
    app.settle().await;
    assert_eq!(app.order(&person, &placed["id"]).await["status"], "paid");
    assert_eq!(app.charges("succeeded").await, 1);
}

/// A plan's periods count from the time at which its payment is recorded. A period that ends some milliseconds earlier
/// or later would make the next renewal pay only for those.
#[tokio::test]
async fn a_period_starts_when_its_payment_is_recorded() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    for subscription in [1, 2] {
        let plan = json!({ "type": "subscription", "id": subscription, "subscription_id": subscription });
        app.buy(&person, &format!("plan-{subscription}"), with_card(plan, &card)).await.data();
        let due = app.state.store.due_orders(i64::MAX, 10).await.unwrap().remove(0);
        let at = due.record.order.id + 1_900_000_000_000;
        let outcome = app.state.payments.advance(&due, at).await.unwrap().outcome;
        assert_eq!(outcome, touchline_domain::payments::paid(due.record.subscription, 0, at));
        app.settle().await;
    }
}

#[tokio::test]
async fn a_payment_during_an_erasure_is_refunded() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let waiting = app.bought(&person, "4000002500003155", event()).await;
    let answer = json!({ "client_secret": waiting["next_action"]["client_secret"], "accept": true });
    app.post(&person.key, "stripe/sandbox-confirm", answer).await.data();
    // The worker is processing the paid order while its person is erased.
    let due = app.state.store.due_orders(i64::MAX, 10).await.unwrap().remove(0);
    app.state.store.erase_user(person.id, 0).await.unwrap();
    billing::settle(&app.state.billing(), &due).await.unwrap();
    app.settle().await;
    assert_eq!((app.charges("succeeded").await, app.charges("refunded").await), (0, 1));
    let rows = app.state.store.order_charges(due.record.order.id).await.unwrap();
    assert!(rows.iter().all(|row| row.card_last4.is_none() && !row.accepted), "{rows:?}");
}

#[tokio::test]
async fn orders_placed_before_a_restart_are_paid_after_it() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
    let placed = app.buy(&person, "one", with_card(event(), &card)).await.data();
    let app = app.restarted().await;
    assert_eq!(app.order(&person, &placed["id"]).await, placed);
    let cancel = CancellationToken::new();
    let mut changes = app.state.store.changes();
    let running = tokio::spawn({
        let (channel, cancel) = (app.channel.clone(), cancel.clone());
        async move { channel.run(cancel).await }
    });
    loop {
        match tokio::time::timeout(Duration::from_secs(20), changes.recv()).await.unwrap().unwrap() {
            Change::Status(line) if line.status.kind == StatusKind::Order => {
                assert_eq!(line.status.state["status"], "paid");
                break;
            }
            _ => {}
        }
    }
    cancel.cancel();
    tokio::time::timeout(Duration::from_secs(20), running).await.unwrap().unwrap();
    assert_eq!(app.charges("succeeded").await, 1);
}
