//! Renewals that a bank asks to confirm, and first charges after a trial, with Stripe and the sandbox (`SUB-9`).

use std::path::Path;

use mail_parser::MessageParser;
use reqwest::Method;
use serde_json::{Value, json};

use crate::provider::paid;
use crate::stripe_shop::Shop;
use crate::support::{Worker, eventually, folder, sent_emails};

const PAYS: &str = "4242424242424242";
const ASKS: &str = "4000002500003155";
const DAY_S: i64 = 86_400;
const TRIAL_ENDS_S: i64 = 7 * DAY_S + 60;

/// Whether the viewer has to confirm a renewal.
fn asks(order: &Value) -> bool {
    order["status"] == "paid" && order["subscription"]["past_due"] == true && order["next_action"].is_object()
}

fn secret(order: &Value) -> String {
    order["next_action"]["client_secret"].as_str().unwrap().to_owned()
}

/// The text of the newest email with this subject.
async fn mail_with(data: &Path, subject: &str) -> String {
    let newest = async || {
        sent_emails(data).iter().rev().find_map(|file| {
            let bytes = std::fs::read(file).ok()?;
            let mail = MessageParser::new().parse(&bytes)?;
            if mail.subject()? != subject {
                return None;
            }
            Some(mail.body_text(0)?.into_owned())
        })
    };
    eventually(subject, newest).await
}

/// Shows SUB-9a, SUB-9b, SUB-9c: the first charge after a trial is confirmed through the email, and so is the next
/// renewal.
#[tokio::test]
async fn a_renewal_confirmed_with_the_bank_is_paid_once() {
    let mut shop = Shop::begin(0).await;
    let viewer = shop.viewer(ASKS).await;
    let order = shop.trial(&viewer).await;
    for (renewals, after_s) in [(1, TRIAL_ENDS_S), (2, TRIAL_ENDS_S + 30 * DAY_S)] {
        shop.after(after_s).await;
        let waiting_order = shop.until("the bank asks", &viewer.0, order, asks).await;
        assert_eq!(
            (&waiting_order["activity_status"], &waiting_order["failure"]),
            (&json!("active"), &Value::Null),
            "nothing failed"
        );
        assert_eq!(waiting_order["subscription"]["next_charge_at"], Value::Null, "a charge was attempted meanwhile");
        let text = mail_with(&shop.data, "Confirm your renewal of Monthly subscription").await;
        assert!(text.contains(&format!("/profile?renewal={order}")), "{text}");
        assert!(!text.contains(&secret(&waiting_order)) && !text.contains("secret"), "{text}");
        shop.provider.test("answer", json!({ "client_secret": secret(&waiting_order), "accept": true })).await;
        let confirmed =
            shop.until("it is paid", &viewer.0, order, |order| order["subscription"]["past_due"] == false).await;
        assert_eq!((&confirmed["next_action"], &confirmed["status"]), (&Value::Null, &json!("paid")));
        assert_eq!(paid(&shop.provider.books().await).len(), renewals, "once each");
    }
    let mut lines = shop.lines(&viewer.0).await;
    lines.retain(|(words, _)| words.starts_with("renewal"));
    let renewed = ("renewal succeeded".to_owned(), 1299);
    assert_eq!(lines, [renewed.clone(), renewed], "a pending confirmation was reported as a failed payment");
}

/// Shows SUB-9c, PAY-14: without webhooks the answer is read from the provider.
#[tokio::test]
async fn a_confirmed_renewal_is_settled_without_webhooks() {
    let mut shop = Shop::begin(0).await;
    let viewer = shop.viewer(ASKS).await;
    let order = shop.trial(&viewer).await;
    shop.after(TRIAL_ENDS_S).await;
    let waiting_order = shop.until("the bank asks", &viewer.0, order, asks).await;
    shop.provider.plan(&shop.url(), json!({}), json!({ "never": 1 })).await;
    shop.provider.test("answer", json!({ "client_secret": secret(&waiting_order), "accept": true })).await;
    // Skips the minute until the next poll.
    shop.after(TRIAL_ENDS_S + 60).await;
    shop.until("it is paid", &viewer.0, order, |order| order["subscription"]["past_due"] == false).await;
}

/// Shows SUB-9c: a renewal that is confirmed after its open invoice was read, and before its intent is, has not failed.
#[tokio::test]
async fn a_renewal_confirmed_while_it_is_read_is_not_declined() {
    let mut shop = Shop::begin(0).await;
    let viewer = shop.viewer(ASKS).await;
    let order = shop.trial(&viewer).await;
    shop.after(TRIAL_ENDS_S).await;
    let secret = secret(&shop.until("the bank asks", &viewer.0, order, asks).await);
    shop.faults = json!({ "crosses": secret });
    shop.after(TRIAL_ENDS_S + 60).await;
    eventually("the bank's answer", async || {
        let intent = shop.provider.test("intent", json!({ "client_secret": secret })).await;
        (intent["status"] == "succeeded").then_some(())
    })
    .await;
    shop.after(TRIAL_ENDS_S + 180).await;
    shop.until("it is paid", &viewer.0, order, |order| order["subscription"]["past_due"] == false).await;
    let mut lines = shop.lines(&viewer.0).await;
    lines.retain(|(words, _)| words.starts_with("renewal"));
    assert_eq!(lines, [("renewal succeeded".to_owned(), 1299)]);
}

/// Shows SUB-9d, SUB-6d: a refusal at the bank is a declined renewal, and another card pays a renewal that waits for
/// the bank.
#[tokio::test]
async fn a_renewal_refused_at_the_bank_is_past_due_until_another_card_pays() {
    let mut shop = Shop::begin(0).await;
    let (refusing, changing) = (shop.viewer(ASKS).await, shop.viewer(ASKS).await);
    let (refused, waiting) = (shop.trial(&refusing).await, shop.trial(&changing).await);
    shop.after(TRIAL_ENDS_S).await;
    let waiting_order = shop.until("the bank asks", &refusing.0, refused, asks).await;
    shop.until("the bank asks", &changing.0, waiting, asks).await;
    shop.provider.test("answer", json!({ "client_secret": secret(&waiting_order), "accept": false })).await;
    let late = shop.until("the refusal", &refusing.0, refused, |order| order["next_action"].is_null()).await;
    assert_eq!(late["subscription"]["past_due"], true);
    assert!(late["failure"].as_str().unwrap().contains("unable to authenticate"), "{late}");

    let card = shop.worker().stripe_card(&shop.provider, &changing.0, PAYS).await;
    let body = json!({ "api_key": changing.0, "subscription_id": 1, "payment_method_id": card });
    shop.worker().data(Method::POST, "stripe/subscription/use_card", &body).await;
    let paid_by = shop.until("another card", &changing.0, waiting, |it| it["subscription"]["past_due"] == false).await;
    assert_eq!(paid_by["next_action"], Value::Null);
    assert_eq!(paid(&shop.provider.books().await).len(), 1);
}

/// Shows SUB-9e: the provider gives up, and an email says that the subscription has ended.
#[tokio::test]
async fn an_unconfirmed_renewal_ends_when_the_provider_gives_up() {
    let mut shop = Shop::begin(0).await;
    let viewer = shop.viewer(ASKS).await;
    let order = shop.trial(&viewer).await;
    shop.after(TRIAL_ENDS_S).await;
    shop.until("the bank asks", &viewer.0, order, asks).await;
    shop.stop();
    for days in [9, 11, 13, 15] {
        shop.provider.clock(days * DAY_S).await;
    }
    shop.after(17 * DAY_S).await;
    let is_over = |order: &Value| order["subscription"]["status"] == "expired";
    let over = shop.until("it has ended", &viewer.0, order, is_over).await;
    assert_eq!((&over["next_action"], &over["activity_status"]), (&Value::Null, &json!("inactive")));
    let text = mail_with(&shop.data, "Monthly subscription has ended: the renewal was not paid").await;
    assert!(text.contains("The payment was not confirmed."), "{text}");
    assert_eq!(paid(&shop.provider.books().await), []);
}

/// Shows SUB-9c, SUB-9d, SUB-9e, SUB-6d: the sandbox asks at the first charge after a trial, accepts an answer or
/// another card, and gives up.
#[tokio::test]
async fn the_sandbox_also_asks_to_confirm_a_renewal() {
    let (_folder, data) = folder();
    let at = |seconds: i64| Worker::start(&data, &["--sandbox-delay-ms", "0", "--clock-offset", &seconds.to_string()]);
    let first = at(0);
    let mut viewers = Vec::new();
    for _ in 0..4 {
        let key = first.register().await;
        let card = first.card(&key, ASKS).await;
        let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
        let id = first.data(Method::POST, "stripe/subscription/start_trial", &body).await["id"].clone();
        first.settled(&key, &id).await;
        viewers.push((key, id));
    }
    first.end();
    let worker = at(TRIAL_ENDS_S);
    let until = async |worker: &Worker, (key, id): &(String, Value), is_so: &dyn Fn(&Value) -> bool| {
        eventually("the order reaches the state", async || Some(worker.order(key, id).await).filter(is_so)).await
    };
    let answer = async |worker: &Worker, viewer: &(String, Value), accept: bool| {
        let waiting_order = until(worker, viewer, &asks).await;
        let body = json!({ "api_key": viewer.0, "client_secret": secret(&waiting_order), "accept": accept });
        worker.data(Method::POST, "stripe/sandbox-confirm", &body).await;
        secret(&waiting_order)
    };
    let [confirming, refusing, changing, silent] = &viewers[..] else { panic!("four viewers") };
    let is_paid = |order: &Value| order["subscription"]["past_due"] == false && order["next_action"].is_null();
    answer(&worker, confirming, true).await;
    until(&worker, confirming, &is_paid).await;
    answer(&worker, refusing, false).await;
    let late = until(&worker, refusing, &|order| order["next_action"].is_null()).await;
    assert_eq!(late["subscription"]["past_due"], true, "{late}");
    let withdrawn = secret(&until(&worker, changing, &asks).await);
    let card = worker.card(&changing.0, PAYS).await;
    let body = json!({ "api_key": changing.0, "subscription_id": 1, "payment_method_id": card });
    worker.data(Method::POST, "stripe/subscription/use_card", &body).await;
    until(&worker, changing, &is_paid).await;
    // A tab that still shows the question cannot pay.
    let body = json!({ "api_key": changing.0, "client_secret": withdrawn, "accept": true });
    worker.data(Method::POST, "stripe/sandbox-confirm", &body).await;
    until(&worker, silent, &asks).await;
    worker.end();

    let worker = at(TRIAL_ENDS_S + DAY_S);
    let again = answer(&worker, refusing, true).await;
    assert!(!again.is_empty());
    until(&worker, refusing, &is_paid).await;
    worker.end();
    let worker = at(TRIAL_ENDS_S + 8 * DAY_S);
    let over = until(&worker, silent, &|order| order["subscription"]["status"] == "expired").await;
    assert_eq!(over["next_action"], Value::Null);
    let mut lines = Vec::new();
    for (key, _) in &viewers {
        let all = worker.data(Method::GET, &format!("transactions?api_key={key}"), &Value::Null).await;
        let is_paid = |line: &&Value| line["kind"] == "renewal" && line["status"] == "succeeded";
        lines.push(all.as_array().unwrap().iter().filter(is_paid).count());
    }
    assert_eq!(lines, [1, 1, 1, 0], "each consenting buyer is charged once, the others never");
    worker.end();
}
