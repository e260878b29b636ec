//! A subscription from its first payment to its end (`SUB-6`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, eventually, folder};

const PAYS: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const DAY_S: i64 = 86_400;

struct Viewer {
    key: String,
    order: Value,
}

impl Viewer {
    async fn of(worker: &Worker, call: &str) -> Self {
        let key = worker.register().await;
        let card = worker.card(&key, PAYS).await;
        let body = json!({
            "api_key": key, "type": "subscription", "id": 1, "subscription_id": 1, "payment_method_id": card,
        });
        let order = worker.data(Method::POST, call, &body).await["id"].clone();
        Self { key, order }
    }

    /// Waits for the subscription's status, and whether it is past due and opens events.
    async fn until(&self, worker: &Worker, status: &str, is_past_due: bool, activity: &str) -> Value {
        let what = format!("{status}, past due: {is_past_due}, {activity}");
        eventually(&what, async || {
            let order = worker.order(&self.key, &self.order).await;
            let subscription = &order["subscription"];
            let is_so = subscription["status"] == status
                && subscription["past_due"] == is_past_due
                && order["activity_status"] == activity;
            is_so.then(|| subscription.clone())
        })
        .await
    }

    async fn call(&self, worker: &Worker, path: &str) -> StatusCode {
        let body = json!({ "api_key": self.key, "subscription_id": 1 });
        worker.call(Method::POST, path, &body).await.0
    }

    async fn until_declined(&self, worker: &Worker, times: usize) {
        eventually("another decline", async || {
            let path = format!("transactions?api_key={}", self.key);
            let lines = worker.data(Method::GET, &path, &Value::Null).await;
            let declines = lines.as_array().unwrap().iter().filter(|line| line["status"] == "failed").count();
            (declines == times).then_some(())
        })
        .await;
    }
}

/// Shows SUB-6a, SUB-6b, SUB-6c, SUB-6d, SUB-6e, SUB-6g.
#[tokio::test]
async fn a_declined_renewal_is_retried_for_a_week_usable_for_three_days_and_ends() {
    let (_folder, data) = folder();
    let at = |days: f64, delay: &str| {
        #[expect(clippy::cast_possible_truncation, reason = "some days")]
        let offset = ((days * DAY_S as f64) as i64).to_string();
        Worker::start(&data, &["--sandbox-delay-ms", delay, "--clock-offset", &offset])
    };
    let worker = at(0.0, "60000");
    let (late, leaving) = (Viewer::of(&worker, "stripe/buy").await, Viewer::of(&worker, "stripe/buy").await);
    late.until(&worker, "inactive", false, "inactive").await;
    assert!(worker.end().0.success());

    let worker = at(0.01, "0");
    late.until(&worker, "active", false, "active").await;
    let trial = Viewer::of(&worker, "stripe/subscription/start_trial").await;
    trial.until(&worker, "active", false, "active").await;
    leaving.until(&worker, "active", false, "active").await;
    for (path, status) in [("unsubscribe", "canceled"), ("subscription/resume", "active"), ("unsubscribe", "canceled")]
    {
        assert_eq!(leaving.call(&worker, &format!("stripe/{path}")).await, StatusCode::OK);
        leaving.until(&worker, status, false, "active").await;
    }
    let card = worker.card(&late.key, DECLINED).await;
    let change = json!({ "api_key": late.key, "subscription_id": 1, "payment_method_id": card });
    worker.data(Method::POST, "stripe/subscription/use_card", &change).await;
    assert!(worker.end().0.success());

    // The period ends after 30 days. The charge is retried 1, 3, 5 and 7 days later, and access ends after 3.
    for (declines, days, status, is_past_due, activity) in [
        (1, 30.1, "active", true, "active"),
        (1, 30.9, "active", true, "active"),
        (2, 31.1, "active", true, "active"),
        (2, 32.9, "active", true, "active"),
        (3, 33.1, "inactive", true, "inactive"),
        (4, 35.1, "inactive", true, "inactive"),
        (5, 37.1, "expired", false, "inactive"),
    ] {
        let worker = at(days, "0");
        late.until_declined(&worker, declines).await;
        late.until(&worker, status, is_past_due, activity).await;
        leaving.until(&worker, "expired", false, "inactive").await;
        if declines == 1 {
            assert_eq!(
                leaving.call(&worker, "stripe/subscription/resume").await,
                StatusCode::NOT_FOUND,
                "it has ended"
            );
        }
        assert!(worker.end().0.success());
    }
}
