use serde_json::{Value, json};
use touchline_channel::housekeeping;
use touchline_channel::mail::notices;
use touchline_channel::routes::operator::{accounts, orders as operator};
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder, DAY_MS, Person, VALID_CARD};

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
async fn a_monthly_plan_renews_every_thirty_days_with_one_charge() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
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
async fn an_annual_plan_lasts_twelve_months() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 2 })).await;
    assert_eq!(order["created_at"], "2027-01-15T08:00:00.000Z");
    assert_eq!(order["subscription"]["current_period_end"], "2028-01-15T08:00:00.000Z");
}

#[tokio::test]
async fn a_cancelled_plan_runs_until_its_period_ends() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    let unsubscribe = || app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 }));
    let stopped = unsubscribe().await.data();
    assert_eq!(
        (&stopped["subscription"]["auto_renew"], &stopped["subscription"]["status"]),
        (&json!("cancelled"), &json!("canceled"))
    );
    assert_eq!(unsubscribe().await.data(), stopped, "repeating changes nothing");
    app.clock.advance_ms(30 * DAY_MS - 1);
    app.settle().await;
    assert!(subscribed(&app, &person).await);
    app.clock.advance_ms(1);
    assert!(!subscribed(&app, &person).await, "from the due time, not the processing time");
    app.settle().await;
    let ended = app.order(&person, &order["id"]).await;
    assert_eq!((&ended["activity_status"], &ended["subscription"]["status"]), (&json!("inactive"), &json!("expired")));
    assert_eq!(app.charges("succeeded").await, 1);
    unsubscribe().await.fails(404, "not_found");
    let stranger = app.person("bob").await;
    app.post(&stranger.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_trial_is_free_until_it_ends_and_available_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = trial(&app, &person, VALID_CARD).await;
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
    let card = app.card(&person, VALID_CARD).await;
    let body = json!({ "subscription_id": 1, "payment_method_id": card });
    let mut with_another = body.clone();
    with_another["payment_method_id"] = json!("pm_of_nobody");
    for body in [body, with_another] {
        app.post(&person.key, "stripe/subscription/start_trial", body).await.fails(400, "trial_used");
    }
}

#[tokio::test]
async fn a_plan_without_a_trial_cannot_start_one() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;
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
async fn state_of(app: &App, person: &Person, order: &Value) -> [Value; 3] {
    let order = app.order(person, &order["id"]).await;
    [&order["status"], &order["activity_status"], &order["subscription"]["status"]].map(Value::clone)
}

/// `SUB-6`; `SUB-9`: an unanswered question of the bank counts as one attempt.
#[tokio::test]
async fn a_declined_renewal_is_retried_for_a_week_and_then_ends_the_plan() {
    let app = App::new().await;
    for (name, number, tries) in [("declined", "4000000000000002", 5), ("asks", "4000002500003155", 1)] {
        let person = app.person(name).await;
        let order = trial(&app, &person, number).await;
        app.clock.advance_ms(7 * DAY_MS);
        app.settle().await;
        let usable = [json!("paid"), json!("active"), json!("active")];
        assert_eq!(state_of(&app, &person, &order).await, usable, "{name}");
        let card = app.card(&person, number).await;
        let again = json!({ "type": "subscription", "id": 1, "payment_method_id": card });
        app.buy(&person, "again", again.clone()).await.blames("id");
        app.clock.advance_ms(3 * DAY_MS);
        app.settle().await;
        assert_eq!(state_of(&app, &person, &order).await, [json!("paid"), json!("inactive"), json!("inactive")]);
        assert!(!subscribed(&app, &person).await);
        app.buy(&person, "again", again).await.blames("id");
        app.clock.advance_ms(4 * DAY_MS);
        for _ in 0..4 {
            app.settle().await;
            app.clock.advance_ms(DAY_MS);
        }
        assert_eq!(state_of(&app, &person, &order).await, [json!("paid"), json!("inactive"), json!("expired")]);
        let id = order["id"].as_i64().unwrap();
        assert_eq!(app.state.store.order_charges(id).await.unwrap().len(), tries, "each attempt is recorded");
    }
    assert_eq!(app.charges("succeeded").await, 0);
}

/// `SUB-6`.
#[tokio::test]
async fn a_new_card_pays_an_overdue_renewal_at_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let order = trial(&app, &person, "4000000000000002").await;
    app.clock.advance_ms(10 * DAY_MS);
    app.settle().await;
    app.settle().await;
    assert!(!subscribed(&app, &person).await);
    let card = app.card(&person, VALID_CARD).await;
    let body = |card: &str| json!({ "subscription_id": 1, "payment_method_id": card });
    app.post(&person.key, "stripe/subscription/use_card", body("pm_of_nobody")).await.blames("payment_method_id");
    app.post(&person.key, "stripe/subscription/use_card", body(&card)).await.data();
    app.settle().await;
    assert!(subscribed(&app, &person).await);
    assert_eq!(state_of(&app, &person, &order).await, [json!("paid"), json!("active"), json!("active")]);
    assert_eq!(app.charges("succeeded").await, 1);
}

/// `SUB-6`.
#[tokio::test]
async fn cancelling_an_overdue_plan_reports_its_end_date() {
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
        app.mail_count().await;
        let mails: Vec<String> = app.mail().emails().unwrap().into_iter().map(|email| email.raw).collect();
        let mentions = |text: &str| mails.iter().any(|raw| raw.contains(text));
        for text in ["has been cancelled", "has ended"] {
            assert_eq!(mentions(text), text == says, "{mails:?}");
        }
    }
}

/// `SUB-7`: the provider gives the reason of a refusal in English.
#[tokio::test]
async fn a_declined_renewal_is_reported_only_in_french() {
    let folder = ChannelFolder::copied();
    folder.set("settings.json", "/language", "fr".into());
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    trial(&app, &person, "4000000000000002").await;
    app.clock.advance_ms(7 * DAY_MS);
    app.settle().await;
    notices::write_due(&app.state.notices()).await.unwrap();
    app.mail_count().await;
    let mails: Vec<String> = app.mail().emails().unwrap().into_iter().map(|email| email.raw).collect();
    let mentions = |text: &str| mails.iter().any(|raw| raw.replace("=\r\n", "").contains(text));
    assert!(mentions("Votre carte a =C3=A9t=C3=A9 refus=C3=A9e."), "{mails:?}");
    assert!(!mentions("declined"), "{mails:?}");
}

/// `SUB-3`.
#[tokio::test]
async fn a_resumed_plan_renews_again() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    let resume = || app.post(&person.key, "stripe/subscription/resume", json!({ "subscription_id": 1 }));
    app.post(&person.key, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await.data();
    let resumed = resume().await.data();
    assert_eq!(
        (&resumed["subscription"]["auto_renew"], &resumed["subscription"]["status"]),
        (&json!("active"), &json!("active"))
    );
    assert_eq!(resume().await.data(), resumed, "repeating changes nothing");
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
async fn a_plan_is_bought_once_alongside_other_plans() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.bought(&person, VALID_CARD, json!({ "type": "subscription", "id": 1 })).await;
    let card = app.card(&person, VALID_CARD).await;
    let again = json!({ "type": "subscription", "id": 1, "payment_method_id": card });
    assert_eq!(app.buy(&person, "again", again).await.blames("id"), "You already bought this subscription.");
}

/// `SUB-4`.
#[tokio::test]
async fn a_card_gets_one_trial_in_two_years_whoever_enters_it() {
    let app = App::new().await;
    let start = async |name: &str| {
        let person = app.person(name).await;
        let intent = app.post(&person.key, "stripe/setup-intent", json!({})).await.data();
        let card =
            json!({ "client_secret": intent["client_secret"], "number": VALID_CARD, "exp": "12/44", "cvc": "123" });
        let card = app.post(&person.key, "stripe/sandbox-card", card).await.data();
        let body = json!({ "subscription_id": 1, "payment_method_id": card["payment_method_id"] });
        (app.post(&person.key, "stripe/subscription/start_trial", body).await, person)
    };
    let (answer, ada) = start("ada").await;
    answer.data();
    start("bob").await.0.fails(400, "trial_used");
    // Nor after the account is deleted.
    let user = app.state.store.user(ada.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    start("cara").await.0.fails(400, "trial_used");

    app.clock.advance_ms(730 * DAY_MS);
    housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    start("dora").await.0.fails(400, "trial_used");
    app.clock.advance_ms(1);
    housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    start("eve").await.0.data();
}

/// `SUB-4`.
#[tokio::test]
async fn an_address_gets_one_trial_even_after_its_account_is_deleted() {
    let app = App::new().await;
    let first = app.person("ada").await;
    trial(&app, &first, VALID_CARD).await;
    let user = app.state.store.user(first.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    let second = app.person("ada").await;
    assert_eq!(app.get(&second.key, "profile").await.data()["trial_period_used"], true);
    let card = app.card(&second, VALID_CARD).await;
    let body = json!({ "subscription_id": 1, "payment_method_id": card });
    app.post(&second.key, "stripe/subscription/start_trial", body).await.fails(400, "trial_used");

    // Nor after a change of address.
    let bob = app.person("bob").await;
    trial(&app, &bob, VALID_CARD).await;
    app.move_to(&bob, "away@example.com").await;
    let again = app.person("bob").await;
    assert_eq!(app.get(&again.key, "profile").await.data()["trial_period_used"], true);
    let cara = app.person("cara").await;
    let user = app.state.store.user(bob.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    app.move_to(&cara, "away@example.com").await;
    assert_eq!(app.get(&cara.key, "profile").await.data()["trial_period_used"], true);

    // The trial is remembered for two years.
    let dora = app.person("dora").await;
    trial(&app, &dora, VALID_CARD).await;
    let user = app.state.store.user(dora.id).await.unwrap().unwrap();
    accounts::erase(&app.state, &user).await.unwrap();
    app.clock.advance_ms(730 * DAY_MS + 1);
    housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    let again = app.person("dora").await;
    assert_eq!(app.get(&again.key, "profile").await.data()["trial_period_used"], false);
}
