//! Free trials: one per person, card and address (`SUB-4`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::postgres::TestStore;
use crate::provider::Provider;
use crate::stripe_shop::count;
use crate::support::{Worker, done, folder, fresh};

const PAYS: &str = "4242424242424242";

/// The same card for everybody.
async fn card(worker: &Worker, key: &str) -> String {
    let intent = worker.data(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
    let card = json!({
        "api_key": key, "client_secret": intent["client_secret"], "number": PAYS, "exp": "12/34", "cvc": "123",
    });
    let method = worker.data(Method::POST, "stripe/sandbox-card", &card).await;
    method["payment_method_id"].as_str().unwrap().to_owned()
}

async fn start(worker: &Worker, key: &str, card: &str) -> (StatusCode, Value) {
    let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
    worker.call(Method::POST, "stripe/subscription/start_trial", &body).await
}

fn is_used(answer: &(StatusCode, Value)) -> bool {
    answer.0 == StatusCode::BAD_REQUEST && answer.1["code"] == "trial_used"
}

async fn addresses_start_one_trial(store: TestStore) {
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    let name = fresh("ada");
    let mut keys = Vec::new();
    for tag in ["", "+1", "+2", "+3"] {
        keys.push(worker.register_as(&format!("{name}{tag}@viewers.example")).await);
    }
    let mut answers = Vec::new();
    for key in &keys {
        let card = worker.card(key, PAYS).await;
        answers.push(start(&worker, key, &card).await);
    }
    assert_eq!(answers[0].0, StatusCode::OK, "{answers:?}");
    assert!(answers[1..].iter().all(is_used), "{answers:?}");
    assert!(worker.end().0.success());
}

/// Shows SUB-4c.
#[tokio::test]
async fn addresses_that_differ_in_their_tag_start_one_trial() {
    addresses_start_one_trial(TestStore::sqlite()).await;
}

/// Shows SUB-4c in PostgreSQL.
#[tokio::test]
async fn addresses_that_differ_in_their_tag_start_one_trial_in_postgres() {
    addresses_start_one_trial(TestStore::postgres().await).await;
}

/// The card is entered at both workers, and both start a trial at once.
async fn a_card_starts_one_trial(first: &Worker, second: &Worker) {
    let (ada, bob, cara) = (first.register().await, second.register().await, first.register().await);
    let (of_ada, of_bob) = (card(first, &ada).await, card(second, &bob).await);
    let (one, two) = tokio::join!(start(first, &ada, &of_ada), start(second, &bob, &of_bob));
    assert!(is_used(&one) != is_used(&two), "{one:?} {two:?}");
    let of_cara = card(first, &cara).await;
    let third = start(first, &cara, &of_cara).await;
    assert!(is_used(&third), "{third:?}");
    // A refused person still has a trial, with a card of their own.
    let other = first.card(&cara, PAYS).await;
    assert_eq!(start(first, &cara, &other).await.0, StatusCode::OK);
}

/// Shows SUB-4c.
#[tokio::test]
async fn one_card_starts_one_trial_even_for_two_people_at_once() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    a_card_starts_one_trial(&worker, &worker).await;
    assert!(worker.end().0.success());
}

/// Shows SUB-4c in PostgreSQL.
#[tokio::test]
async fn one_card_starts_one_trial_even_at_two_workers_at_once() {
    let store = TestStore::postgres().await;
    let (_folder, other) = folder();
    let first = store.start(&["--sandbox-delay-ms", "0"]);
    let second = Worker::start(&other, &["--store", store.url.as_deref().unwrap(), "--sandbox-delay-ms", "0"]);
    a_card_starts_one_trial(&first, &second).await;
    assert!(first.end().0.success() && second.end().0.success());
}

/// Shows SUB-4c with Stripe's fingerprint.
#[tokio::test]
async fn one_card_at_stripe_starts_one_trial() {
    let (folder, data) = folder();
    let provider = Provider::start(folder.path());
    let worker = Worker::start(&data, &provider.flags());
    provider.plan(&worker.url(""), json!({}), json!({ "never": 1 })).await;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let key = worker.register().await;
        let intent = worker.data(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
        let card = json!({ "client_secret": intent["client_secret"], "number": PAYS });
        let entered = provider.test("card", card).await;
        answers.push(start(&worker, &key, entered["payment_method"].as_str().unwrap()).await);
    }
    assert!(answers[0].0 == StatusCode::OK && is_used(&answers[1]), "{answers:?}");
    assert!(worker.end().0.success());
}

/// Shows SUB-4c: cards and addresses are remembered for two years, after the account was deleted too, as keyed hashes.
#[tokio::test]
async fn a_trial_is_remembered_for_two_years_after_its_account_was_erased() {
    let (_folder, data) = folder();
    let at = |days: i64| {
        let offset = (days * 86_400).to_string();
        Worker::start(&data, &["--sandbox-delay-ms", "0", "--clock-offset", &offset])
    };
    let worker = at(0);
    let name = fresh("erased");
    let key = worker.register_as(&format!("{name}@viewers.example")).await;
    let of_both = card(&worker, &key).await;
    assert_eq!(start(&worker, &key, &of_both).await.0, StatusCode::OK);
    let id = worker.user_of(&key).await.unwrap();
    done(&data, &["user", "erase", &id.to_string()]);
    let hashes = "SELECT COUNT(*) FROM used_trials WHERE LENGTH(address_hash) = 64";
    assert_eq!(count(&data, hashes).await, count(&data, "SELECT COUNT(*) FROM used_trials").await);
    assert!(worker.end().0.success());
    let worker = at(729);
    // The address with another card, and the card with another address.
    let returned = worker.register_as(&format!("{name}+1@viewers.example")).await;
    let other = worker.register().await;
    let (of_returned, of_other) = (worker.card(&returned, PAYS).await, card(&worker, &other).await);
    for (key, card) in [(&returned, &of_returned), (&other, &of_other)] {
        let answer = start(&worker, key, card).await;
        assert!(is_used(&answer), "{answer:?}");
    }
    assert!(worker.end().0.success());
}
