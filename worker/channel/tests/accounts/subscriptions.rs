use serde_json::{Value, json};
use touchline_channel::housekeeping;
use touchline_channel::mail::notices;
use touchline_channel::routes::operator::{accounts, orders as operator};
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder, DAY_MS, PAYS, Person};

async fn subscribed(app: &App, person: &Person) -> bool {
    app.get(&person.key, "user/access").await.data()["subscribed"] == true
}

async fn trial(app: &App, person: &Person, number: &str) -> Value {
    let card = app.card(person, number).await;
    let body = json!({ "subscription_id": 1, "payment_method_id": card });
    let placed = app.post(&person.key, "stripe/subscription/start_trial", body).await.data();
    app.settle().await;
    app.order(person, &placed["id"]).await
}

#[tokio::test]
async fn a_monthly_plan_renews_each_thirty_days_and_charges_once_each_time() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, PAYS, json!({ "type": "subscription", "id": 1 })).await;
    assert_eq!((&order["total"], &order["subscription"]["status"]), (&json!(1299), &json!("active")));
    assert!(subscribed(&app, &person).await);
    for renewals in 1..=3 {
        app.clock.advance_ms(30 * DAY_MS - 1);
        app.settle().await;
        assert_eq!(app.charges("succeeded").await, renewals, "not a moment early");
        app.clock.advance_ms(1);
        app.settle().await;
        app.settle().await;
        assert_eq!(app.charges("succeeded").await, renewals + 1);
    }
    let renewed = app.order(&person, &order["id"]).await;
    assert_eq!((&renewed["status"], &renewed["activity_status"]), (&json!("paid"), &json!("active")));
    assert!(subscribed(&app, &person).await);
}

#[tokio::test]
async fn an_annual_plan_runs_twelve_months() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, PAYS, json!({ "type": "subscription", "id": 2 })).await;
    assert_eq!(order["created_at"], "2027-01-15T08:00:00.000Z");
    assert_eq!(order["subscription"]["current_period_end"], "2028-01-15T08:00:00.000Z");
}

#[tokio::test]
async fn a_plan_that_is_unsubscribed_runs_to_its_end_and_no_longer() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, PAYS, json!({ "type": "subscription", "id": 1 })).await;
    let unsubscribe = || app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 }));
    let stopped = unsubscribe().await.data();
    assert_eq!(
        (&stopped["subscription"]["auto_renew"], &stopped["subscription"]["status"]),
        (&json!("cancelled"), &json!("canceled"))
    );
    assert_eq!(unsubscribe().await.data(), stopped, "again changes nothing");
    app.clock.advance_ms(30 * DAY_MS - 1);
    app.settle().await;
    assert!(subscribed(&app, &person).await);
    app.clock.advance_ms(1);
    assert!(!subscribed(&app, &person).await, "by the clock, not by the work");
    app.settle().await;
    let ended = app.order(&person, &order["id"]).await;
    assert_eq!((&ended["activity_status"], &ended["subscription"]["status"]), (&json!("inactive"), &json!("expired")));
    assert_eq!(app.charges("succeeded").await, 1);
    unsubscribe().await.fails(404, "not_found");
    let stranger = app.person("bob").await;
    app.post(&stranger.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_trial_costs_nothing_until_it_ends_and_is_had_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = trial(&app, &person, PAYS).await;
    assert_eq!((&order["status"], &order["total"]), (&json!("paid"), &json!(0)));
    assert_eq!(order["subscription"]["trial_end"], "2027-01-22T08:00:00.000Z");
    assert!(subscribed(&app, &person).await);
    assert_eq!(app.get(&person.key, "profile").await.data()["trial_period_used"], true);
    assert_eq!(app.charges("succeeded").await, 0);
    app.clock.advance_ms(7 * DAY_MS);
    app.settle().await;
    assert_eq!(app.charges("succeeded").await, 1);
    assert!(subscribed(&app, &person).await);

    app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.data();
    app.clock.advance_ms(30 * DAY_MS);
    app.settle().await;
    assert!(!subscribed(&app, &person).await);
    let card = app.card(&person, PAYS).await;
    let body = json!({ "subscription_id": 1, "payment_method_id": card });
    let mut with_another = body.clone();
    with_another["payment_method_id"] = json!("pm_of_nobody");
    for body in [body, with_another] {
        app.post(&person.key, "stripe/subscription/start_trial", body).await.fails(400, "trial_used");
    }
}

#[tokio::test]
async fn a_plan_without_a_trial_starts_none() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, PAYS).await;
    let start = |id: i64, card: &str| {
        let body = json!({ "subscription_id": id, "payment_method_id": card });
        let (app, key) = (&app, person.key.clone());
        async move { app.post(&key, "stripe/subscription/start_trial", body).await }
    };
    start(2, &card).await.fails(400, "no_trial");
    start(9, &card).await.fails(404, "not_found");
    start(1, "pm_none").await.blames("payment_method_id");
    assert_eq!(app.get(&person.key, "profile").await.data()["trial_period_used"], false);
}

/// Order status, activity and subscription status.
async fn stands(app: &App, person: &Person, order: &Value) -> [Value; 3] {
    let order = app.order(person, &order["id"]).await;
    [&order["status"], &order["activity_status"], &order["subscription"]["status"]].map(Value::clone)
}

/// `SUB-6`; `SUB-9`: a question of the bank that nobody answers is one try.
#[tokio::test]
async fn a_renewal_that_is_refused_is_tried_for_a_week_and_then_ends_the_plan() {
    let app = App::new().await;
    for (name, number, tries) in [("declined", "4000000000000002", 5), ("asks", "4000002500003155", 1)] {
        let person = app.person(name).await;
        let order = trial(&app, &person, number).await;
        app.clock.advance_ms(7 * DAY_MS);
        app.settle().await;
        let usable = [json!("paid"), json!("active"), json!("active")];
        assert_eq!(stands(&app, &person, &order).await, usable, "{name}");
        let card = app.card(&person, number).await;
        let again = json!({ "type": "subscription", "id": 1, "payment_method_id": card });
        app.buy(&person, "again", again.clone()).await.blames("id");
        app.clock.advance_ms(3 * DAY_MS);
        app.settle().await;
        assert_eq!(stands(&app, &person, &order).await, [json!("paid"), json!("inactive"), json!("inactive")]);
        assert!(!subscribed(&app, &person).await);
        app.buy(&person, "again", again).await.blames("id");
        app.clock.advance_ms(4 * DAY_MS);
        for _ in 0..4 {
            app.settle().await;
            app.clock.advance_ms(DAY_MS);
        }
        assert_eq!(stands(&app, &person, &order).await, [json!("paid"), json!("inactive"), json!("expired")]);
        let id = order["id"].as_i64().unwrap();
        assert_eq!(app.state.store.order_charges(id).await.unwrap().len(), tries, "each try is written down");
    }
    assert_eq!(app.charges("succeeded").await, 0);
}

/// `SUB-6`.
#[tokio::test]
async fn another_card_pays_what_is_past_due_at_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = trial(&app, &person, "4000000000000002").await;
    app.clock.advance_ms(10 * DAY_MS);
    app.settle().await;
    app.settle().await;
    assert!(!subscribed(&app, &person).await);
    let card = app.card(&person, PAYS).await;
    let body = |card: &str| json!({ "subscription_id": 1, "payment_method_id": card });
    app.post(&person.key, "stripe/subscription/use_card", body("pm_of_nobody")).await.blames("payment_method_id");
    app.post(&person.key, "stripe/subscription/use_card", body(&card)).await.data();
    app.settle().await;
    assert!(subscribed(&app, &person).await);
    assert_eq!(stands(&app, &person, &order).await, [json!("paid"), json!("active"), json!("active")]);
    assert_eq!(app.charges("succeeded").await, 1);
}

/// `SUB-6`.
#[tokio::test]
async fn a_plan_that_is_cancelled_while_it_is_past_due_is_told_until_when_it_can_be_used() {
    for (days, is_open, says) in [(8, "active", "has been cancelled"), (11, "inactive", "has ended")] {
        let app = App::new().await;
        let person = app.person("ada").await;
        trial(&app, &person, "4000000000000002").await;
        app.clock.advance_ms(days * DAY_MS);
        app.settle().await;
        app.settle().await;
        let stop = json!({ "subscription_id": 1 });
        let stopped = app.post(&person.key, "stripe/unsubscribe", stop.clone()).await.data();
        assert_eq!(stopped["activity_status"], is_open);
        app.post(&person.key, "stripe/subscription/resume", stop).await.fails(404, "not_found");
        notices::write_due(&app.state.notices()).await.unwrap();
        app.letters().await;
        let letters: Vec<String> = app.mail().letters().unwrap().into_iter().map(|letter| letter.raw).collect();
        let told = |words: &str| letters.iter().any(|raw| raw.contains(words));
        for words in ["has been cancelled", "has ended"] {
            assert_eq!(told(words), words == says, "{letters:?}");
        }
    }
}

/// `SUB-7`: the provider says in English why it refuses a card.
#[tokio::test]
async fn a_refused_renewal_is_told_in_french_alone() {
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/language", "fr".into());
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    trial(&app, &person, "4000000000000002").await;
    app.clock.advance_ms(7 * DAY_MS);
    app.settle().await;
    notices::write_due(&app.state.notices()).await.unwrap();
    app.letters().await;
    let letters: Vec<String> = app.mail().letters().unwrap().into_iter().map(|letter| letter.raw).collect();
    let told = |words: &str| letters.iter().any(|raw| raw.replace("=\r\n", "").contains(words));
    assert!(told("Votre carte a =C3=A9t=C3=A9 refus=C3=A9e."), "{letters:?}");
    assert!(!told("declined"), "{letters:?}");
}

/// `SUB-3`.
#[tokio::test]
async fn a_plan_that_was_unsubscribed_renews_again_when_that_is_taken_back() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.bought(&person, PAYS, json!({ "type": "subscription", "id": 1 })).await;
    let resume = || app.post(&person.key, "stripe/subscription/resume", json!({ "subscription_id": 1 }));
    app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.data();
    let resumed = resume().await.data();
    assert_eq!(
        (&resumed["subscription"]["auto_renew"], &resumed["subscription"]["status"]),
        (&json!("active"), &json!("active"))
    );
    assert_eq!(resume().await.data(), resumed, "again changes nothing");
    app.clock.advance_ms(30 * DAY_MS);
    app.settle().await;
    assert_eq!(app.charges("succeeded").await, 2);
    app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.data();
    app.clock.advance_ms(30 * DAY_MS);
    resume().await.fails(404, "not_found");
    let granted = app.person("bob").await;
    operator::grant(&app.state, "meadow", "bob@example.com", OrderType::Subscription, 1, None).await.unwrap();
    let resume = json!({ "subscription_id": 1 });
    app.post(&granted.key, "stripe/subscription/resume", resume).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_plan_is_bought_once_and_another_plan_beside_it() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.bought(&person, PAYS, json!({ "type": "subscription", "id": 1 })).await;
    let card = app.card(&person, PAYS).await;
    let again = json!({ "type": "subscription", "id": 1, "payment_method_id": card });
    assert_eq!(app.buy(&person, "again", again).await.blames("id"), "You already bought this subscription.");
}

/// `SUB-4`.
#[tokio::test]
async fn an_address_has_one_trial_whatever_becomes_of_its_account() {
    let app = App::new().await;
    let first = app.person("ada").await;
    trial(&app, &first, PAYS).await;
    let user = app.state.store.user(first.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    let second = app.person("ada").await;
    assert_eq!(app.get(&second.key, "profile").await.data()["trial_period_used"], true);
    let card = app.card(&second, PAYS).await;
    let body = json!({ "subscription_id": 1, "payment_method_id": card });
    app.post(&second.key, "stripe/subscription/start_trial", body).await.fails(400, "trial_used");

    // Nor by way of another address.
    let bob = app.person("bob").await;
    trial(&app, &bob, PAYS).await;
    app.move_to(&bob, "away@example.com").await;
    let again = app.person("bob").await;
    assert_eq!(app.get(&again.key, "profile").await.data()["trial_period_used"], true);
    let cara = app.person("cara").await;
    let user = app.state.store.user(bob.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    app.move_to(&cara, "away@example.com").await;
    assert_eq!(app.get(&cara.key, "profile").await.data()["trial_period_used"], true);

    // It is remembered for two years.
    let dora = app.person("dora").await;
    trial(&app, &dora, PAYS).await;
    let user = app.state.store.user(dora.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    app.clock.advance_ms(730 * DAY_MS + 1);
    housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    let again = app.person("dora").await;
    assert_eq!(app.get(&again.key, "profile").await.data()["trial_period_used"], false);
}
