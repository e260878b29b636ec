//! A year of payments with Stripe by viewers and operators: provider, books, pages and lake agree to the cent
//! (`PAY-13`, `PAY-14`, `SUB-5`, `OPS-19`).

use std::path::Path;

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::provider::paid;
use crate::stripe_shop::Shop;
use crate::stripe_walk::make_viewers;
use crate::support::{done, eventually, fresh};

const PAYS: &str = "4242424242424242";
/// Accepted for a trial, and declined when charged.
const DECLINED_LATER: &str = "4000000000000341";
const DAY_S: i64 = 86_400;

fn verb(data: &Path, line: &[&str]) -> Value {
    let output = done(data, &[line, &["--json"]].concat());
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{line:?}: {error}: {output}"))
}

/// Seconds from the machine's time to a moment.
fn until(moment: &str) -> i64 {
    moment.parse::<jiff::Timestamp>().unwrap().as_second() - SystemClock::default().now_s()
}

/// Shows PAY-14b, PAY-14e.
#[tokio::test]
async fn a_year_with_stripe_agrees_everywhere() {
    let mut shop = Shop::begin(until("2028-02-29T12:00:00Z")).await;
    let (tried, annual) = (shop.viewer(PAYS).await, shop.viewer(PAYS).await);
    let (late, disputed) = (shop.viewer(DECLINED_LATER).await, shop.viewer(PAYS).await);
    let (trial, year, failing) =
        (shop.trial(&tried).await, shop.buy(&annual, "subscription", 2).await, shop.trial(&late).await);
    let monthly = shop.buy(&disputed, "subscription", 1).await;
    let ends = |order: &Value| order["subscription"]["current_period_end"].as_str().unwrap()[..10].to_owned();
    assert_eq!(ends(&shop.order(&annual.0, year).await), "2029-02-28", "12 months from a leap day");

    // The trial ends: one card pays, the other is declined and replaced.
    shop.after(7 * DAY_S + 60).await;
    shop.until("the trial renews", &tried.0, trial, |order| order["version"] == 3).await;
    shop.until("the refusal", &late.0, failing, |order| order["subscription"]["past_due"] == true).await;
    let card = shop.worker().stripe_card(&shop.provider, &late.0, PAYS).await;
    let body = json!({ "api_key": late.0, "subscription_id": 1, "payment_method_id": card });
    shop.worker().data(Method::POST, "stripe/subscription/use_card", &body).await;
    shop.until("another card", &late.0, failing, |order| order["subscription"]["past_due"] == false).await;
    // Cancelled, resumed, and cancelled by the operator: Stripe no longer renews.
    let body = json!({ "api_key": tried.0, "subscription_id": 1 });
    shop.worker().data(Method::POST, "stripe/unsubscribe", &body).await;
    shop.worker().data(Method::POST, "stripe/subscription/resume", &body).await;
    assert_eq!(shop.object("subscriptions", trial).await["cancel_at_period_end"], false);
    done(&shop.data, &["subscription", "cancel", &trial.to_string()]);
    assert_eq!(shop.object("subscriptions", trial).await["cancel_at_period_end"], true);

    // A renewal is disputed: access ends and Stripe stops renewing. The dispute is won, and the money returns.
    shop.after(31 * DAY_S).await;
    shop.until("it renews", &disputed.0, monthly, |order| order["version"] == 3).await;
    let intents = shop.provider.books().await["intents"].clone();
    let customer = shop.object("subscriptions", monthly).await["customer"].clone();
    let renewal = intents.as_array().unwrap().iter().rfind(|it| it["customer"] == customer).unwrap()["id"].clone();
    shop.provider.test("dispute", json!({ "payment_intent": renewal })).await;
    let disputed_order = shop.until("the dispute", &disputed.0, monthly, |order| order["status"] == "refunded").await;
    assert_eq!(
        (&disputed_order["activity_status"], &disputed_order["refunded_minor"]),
        (&json!("inactive"), &json!(1299))
    );
    eventually("Stripe ends it", async || {
        (shop.object("subscriptions", monthly).await["status"] == "canceled").then_some(())
    })
    .await;
    shop.provider.test("dispute", json!({ "payment_intent": renewal, "status": "won" })).await;
    let both = ["purchase succeeded", "renewal succeeded", "dispute succeeded", "dispute_won succeeded"];
    eventually("the dispute is won", async || {
        let lines = shop.lines(&disputed.0).await;
        lines.iter().map(|(words, _)| words.as_str()).eq(both).then_some(())
    })
    .await;
    assert_eq!(shop.order(&disputed.0, monthly).await["status"], "refunded", "the operator grants access again");

    // A full refund by the operator ends it at Stripe.
    done(&shop.data, &["order", "refund", &failing.to_string()]);
    assert_eq!(shop.object("subscriptions", failing).await["status"], "canceled");
    shop.after(366 * DAY_S).await;
    let renewed = shop.until("the year renews", &annual.0, year, |order| order["version"] == 3).await;
    assert_eq!(ends(&renewed), "2030-02-28");
    shop.until("access has expired", &tried.0, trial, |order| order["subscription"]["status"] == "expired").await;

    let mut on_pages = 0;
    for (key, _) in [&tried, &annual, &late, &disputed] {
        let lines = shop.lines(key).await;
        on_pages +=
            lines.iter().filter(|(words, _)| words.ends_with("succeeded")).map(|(_, amount)| amount).sum::<i64>();
    }
    let (charged, back) = shop.moved().await;
    // The won dispute does not change the total.
    assert_eq!((charged, back, on_pages), (2 * 10_700 + 4 * 1299, 1299, charged - back));
    let sales = verb(&shop.data, &["sales"]);
    let net: i64 = sales.as_array().unwrap().iter().map(|row| row["net"].as_i64().unwrap()).sum();
    assert_eq!(net, on_pages, "{sales}");
    // Later nothing is in progress: provider, orders, charges, access and lake agree.
    shop.after(366 * DAY_S + 600).await;
    let output = done(&shop.data, &["audit", "--from", "2028-01-01"]);
    assert!(output.contains("agree"), "{output}");
}

/// Shows PAY-13d.
#[tokio::test]
async fn a_code_with_ten_uses_works_for_ten_of_two_hundred_buyers() {
    let mut shop = Shop::begin(0).await;
    let code = ["promo", "add", "FEW", "--channel", "northfield", "--percent", "50", "--max-uses", "10"];
    done(&shop.data, &code);
    let model = shop.worker().register().await;
    let model = shop.worker().user_of(&model).await.unwrap();
    shop.stop();
    let keys = make_viewers(&shop.data, model, 200).await;
    shop.after(0).await;
    let with_card = async |key: String| {
        let card = shop.worker().stripe_card(&shop.provider, &key, PAYS).await;
        (key, card)
    };
    let viewers: Vec<_> = stream::iter(keys).map(with_card).buffer_unordered(16).collect().await;
    let takers = join_all(viewers.into_iter().enumerate().map(async |(number, (key, card))| {
        // Codes apply to a package, and to the first payment of a subscription.
        let kind = if number % 2 == 0 { "package" } else { "subscription" };
        let body = json!({ "api_key": key, "type": kind, "id": 1, "payment_method_id": card, "promo_code": "few" });
        let once = fresh("taker");
        loop {
            // With so many connections at once, one may be reset; the site sends the request again with its key.
            let request = shop.worker().http.post(format!("{}/api/stripe/buy", shop.url())).json(&body);
            let Ok(answer) = request.header("idempotency-key", &once).send().await else { continue };
            let status = answer.status();
            let Ok(answer_body) = answer.json::<Value>().await else { continue };
            assert!(matches!(status.as_u16(), 200 | 400), "{answer_body}");
            return (status == StatusCode::OK).then(|| (key, answer_body["data"].clone()));
        }
    }))
    .await;
    let buy: Vec<_> = takers.into_iter().flatten().collect();
    assert_eq!(buy.len(), 10);
    let mut totals = 0;
    for (key, order) in &buy {
        let order = shop.worker().settled(key, &order["id"]).await;
        assert_eq!(order["status"], "paid", "{order}");
        assert!(order["discount"].as_i64().unwrap() > 0);
        totals += order["total"].as_i64().unwrap();
    }
    let books = shop.provider.books().await;
    assert_eq!((paid(&books).len(), shop.moved().await.0), (10, totals));
}
