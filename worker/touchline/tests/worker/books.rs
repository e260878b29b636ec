//! A simulated year of money: page, emails, provider, verbs and lake agree to the cent (`ORDER-5`, `SUB-7`, `SUB-8`,
//! `ANA-10`, `OPS-19`).

use std::path::Path;
use std::process::Command;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::SqlitePool;

use crate::support::{Worker, done, eventually, folder, fresh, refused, run, sent_emails, text};

const PAYS: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
/// Noon on 29 February, a day that the next year lacks.
const LEAP_DAY: &str = "2028-02-29T12:00:00Z";

/// A worker that is restarted to advance its clock.
struct Year<'a> {
    data: &'a Path,
    worker: Option<Worker>,
    /// Seconds from the machine's time to the leap day.
    offset_s: i64,
}

impl<'a> Year<'a> {
    async fn begin(data: &'a Path) -> Self {
        let worker = Worker::start(data, &[]);
        let now = worker.get("/healthz").await.headers()["date"].to_str().unwrap().to_owned();
        drop(worker);
        let now = jiff::fmt::rfc2822::parse(&now).unwrap().timestamp();
        let leap: jiff::Timestamp = LEAP_DAY.parse().unwrap();
        let mut year = Self { data, worker: None, offset_s: leap.as_second() - now.as_second() };
        year.until(0.0).await;
        year
    }

    /// Restarts the worker this many days after the leap day.
    async fn until(&mut self, days: f64) -> &Worker {
        if let Some(worker) = self.worker.take() {
            assert!(worker.end().0.success());
        }
        #[expect(clippy::cast_possible_truncation, reason = "some hundred days")]
        let offset = (self.offset_s + (days * 86_400.0) as i64).to_string();
        let more = ["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1", "--clock-offset", &offset];
        self.worker = Some(Worker::start(self.data, &more));
        self.worker()
    }

    fn worker(&self) -> &Worker {
        self.worker.as_ref().unwrap()
    }
}

/// A viewer with a subscription order.
struct Viewer {
    key: String,
    order: Value,
    email: String,
}

impl Viewer {
    async fn of(worker: &Worker, name: &str, call: &str, subscription: i64) -> Self {
        let email = format!("{}@viewers.example", fresh(name));
        let key = worker.register_as(&email).await;
        let card = worker.card(&key, PAYS).await;
        let body = json!({
            "api_key": key, "type": "subscription", "id": subscription, "subscription_id": subscription,
            "payment_method_id": card,
        });
        let order = worker.data(Method::POST, call, &body).await["id"].clone();
        assert_eq!(worker.settled(&key, &order).await["status"], "paid");
        Self { key, order, email }
    }

    async fn lines(&self, worker: &Worker) -> Vec<Value> {
        let lines = worker.data(Method::GET, &format!("transactions?api_key={}", self.key), &Value::Null).await;
        lines.as_array().unwrap().clone()
    }

    /// Kind and status of each transaction, oldest first.
    async fn transactions(&self, worker: &Worker) -> Vec<String> {
        let lines = self.lines(worker).await;
        let transactions =
            |line: &Value| format!("{} {}", line["kind"].as_str().unwrap(), line["status"].as_str().unwrap());
        lines.iter().rev().map(transactions).collect()
    }

    async fn until_transactions(&self, worker: &Worker, what: &[&str]) {
        eventually(&format!("{what:?}"), async || (self.transactions(worker).await == what).then_some(())).await;
    }

    async fn subscription(&self, worker: &Worker) -> Value {
        worker.order(&self.key, &self.order).await["subscription"].clone()
    }

    async fn call(&self, worker: &Worker, path: &str, more: Value) -> (StatusCode, Value) {
        let mut body = json!({ "api_key": self.key, "subscription_id": 1 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        worker.call(Method::POST, path, &body).await
    }

    async fn use_card(&self, worker: &Worker, number: &str) {
        let card = worker.card(&self.key, number).await;
        let (status, answer) =
            self.call(worker, "stripe/subscription/use_card", json!({ "payment_method_id": card })).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }

    /// Subjects of the viewer's emails, oldest first.
    fn emails(&self, data: &Path) -> Vec<String> {
        self.mail(data).into_iter().map(|(subject, _)| subject).collect()
    }

    /// Renewal reminders, with their text.
    fn reminders(&self, data: &Path) -> Vec<(String, String)> {
        self.mail(data).into_iter().filter(|(subject, _)| subject.contains(" renews on ")).collect()
    }

    /// Subject and text of the viewer's emails, oldest first.
    fn mail(&self, data: &Path) -> Vec<(String, String)> {
        let emails = sent_emails(data);
        let parsed = emails.iter().map(|file| std::fs::read(file).unwrap());
        let subjects = parsed.filter_map(|bytes| {
            let message = mail_parser::MessageParser::new().parse(&bytes)?;
            let to = message.to()?.first()?.address()?;
            let text = message.body_text(0).unwrap_or_default().into_owned();
            (to == self.email).then(|| (message.subject().unwrap_or_default().to_owned(), text))
        });
        subjects.collect()
    }
}

/// The provider's charges minus its refunds, in minor units.
async fn net_at_provider(data: &Path) -> i64 {
    let url = format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display());
    let store = SqlitePool::connect(&url).await.unwrap();
    let sum = "SELECT (SELECT COALESCE(SUM(amount), 0) FROM sandbox_charges WHERE status IN ('succeeded', 'refunded'))
        - (SELECT COALESCE(SUM(amount), 0) FROM sandbox_refunds)";
    let net: i64 = sqlx::query_scalar(sum).fetch_one(&store).await.unwrap();
    store.close().await;
    net
}

const QUERIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../datalake/queries");

/// Runs a documented query on the worker's lake.
fn query(data: &Path, file: &str) -> Vec<Vec<String>> {
    lake_rows(data, &std::fs::read_to_string(Path::new(QUERIES).join(file)).unwrap())
}

/// Runs a query on the documented views of the worker's lake in DuckDB.
pub(crate) fn lake_rows(data: &Path, query: &str) -> Vec<Vec<String>> {
    let script = "import duckdb, json, sys\n\
        lake, views, query = sys.argv[1:]\n\
        db = duckdb.connect()\n\
        db.execute(\"SET TimeZone = 'UTC'\")\n\
        db.execute('SET VARIABLE lake = ' + repr(lake))\n\
        db.execute(open(views).read())\n\
        query = query.strip().rstrip(';')\n\
        rows = db.execute('SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (' + query + chr(10) + ')').fetchall()\n\
        print(json.dumps(rows))\n";
    let output = Command::new("python3")
        .args(["-c", script])
        .args([data.join("lake"), Path::new(QUERIES).join("views.sql"), query.into()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows: Vec<Vec<Option<String>>> = serde_json::from_slice(&output.stdout).unwrap();
    rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect()
}

/// Shows SUB-2, SUB-5, SUB-6b, SUB-6d, SUB-6e, SUB-7, SUB-8c, SUB-8d, ORDER-2b, ORDER-5a, ORDER-5b, ORDER-5e, ANA-10a.
#[tokio::test]
async fn a_year_of_payments_agrees_everywhere_to_the_cent() {
    let (_folder, data) = folder();
    let mut year = Year::begin(&data).await;
    let worker = year.worker();
    let trial = Viewer::of(worker, "tried", "stripe/subscription/start_trial", 1).await;
    let annual = Viewer::of(worker, "annual", "stripe/buy", 2).await;
    let monthly = Viewer::of(worker, "monthly", "stripe/buy", 1).await;
    let late = Viewer::of(worker, "late", "stripe/buy", 1).await;
    trial.until_transactions(worker, &["trial succeeded"]).await;
    let ends = annual.subscription(worker).await["current_period_end"].clone();
    assert!(ends.as_str().unwrap().starts_with("2029-02-28T12:00"), "12 months from a leap day: {ends}");

    // A reminder is sent two days before the end of a trial; at its end the card is charged.
    assert_eq!(trial.reminders(&data), []);
    year.until(5.1).await;
    let reminder = eventually("the reminder for the trial", async || trial.reminders(&data).pop()).await;
    assert_eq!(reminder.0, "Monthly subscription renews on March 7, 2028 for 12.99 USD");
    assert!(reminder.1.contains("You can cancel at any time") && reminder.1.contains("/profile"), "{}", reminder.1);
    let worker_at_7 = year.until(7.1).await;
    trial.until_transactions(worker_at_7, &["trial succeeded", "renewal succeeded"]).await;
    let lines = trial.lines(worker_at_7).await;
    assert_eq!(
        (&lines[0]["amount"], &lines[0]["fee"], &lines[0]["card_last4"]),
        (&json!(1299), &json!(100), &json!("4242"))
    );
    assert!(lines[0]["receipt"].as_str().unwrap().starts_with("2028-"), "{lines:?}");

    // Cancelled, resumed, cancelled: an email each. Another viewer enters a card that will be declined.
    for (path, renews) in [
        ("stripe/unsubscribe", "cancelled"),
        ("stripe/subscription/resume", "active"),
        ("stripe/unsubscribe", "cancelled"),
    ] {
        let (status, answer) = trial.call(worker_at_7, path, json!({})).await;
        assert_eq!(
            (status, &answer["data"]["subscription"]["auto_renew"]),
            (StatusCode::OK, &json!(renews)),
            "{answer}"
        );
    }
    monthly.use_card(worker_at_7, DECLINED).await;
    eventually("three emails", async || {
        let about = |subject: &&String| {
            *subject == "Monthly subscription has been cancelled" || subject.starts_with("Auto-renew is back on")
        };
        (trial.emails(&data).iter().filter(about).count() == 3).then_some(())
    })
    .await;

    // After a declined renewal access continues, the viewer is notified, and another card pays it immediately.
    let worker = year.until(30.1).await;
    monthly.until_transactions(worker, &["purchase succeeded", "renewal failed"]).await;
    late.until_transactions(worker, &["purchase succeeded", "renewal succeeded"]).await;
    let state = monthly.subscription(worker).await;
    assert_eq!((&state["past_due"], &state["status"]), (&json!(true), &json!("active")), "{state}");
    let failed = &monthly.lines(worker).await[0];
    assert_eq!((&failed["failure"], &failed["receipt"]), (&json!("Your card was declined."), &Value::Null));
    monthly.use_card(worker, PAYS).await;
    monthly.until_transactions(worker, &["purchase succeeded", "renewal failed", "renewal succeeded"]).await;
    assert_eq!(monthly.subscription(worker).await["past_due"], false);

    // Pressed offline before the renewal and received after it: refunded within 48 hours; later, it counts from its
    // arrival.
    let pressed = |hours: i64| json!({ "pressed_ago_s": hours * 3600 });
    let (_, answer) = late.call(worker, "stripe/unsubscribe", pressed(24)).await;
    assert_eq!(
        (&answer["data"]["status"], &answer["data"]["refunded_minor"]),
        (&json!("refunded"), &json!(1299)),
        "{answer}"
    );
    let again = late.call(worker, "stripe/unsubscribe", pressed(24)).await.1;
    assert_eq!(again["data"]["refunded_minor"], 1299, "twice is once");
    late.until_transactions(worker, &["purchase succeeded", "renewal succeeded", "refund succeeded"]).await;
    let (_, answer) = monthly.call(worker, "stripe/unsubscribe", pressed(72)).await;
    assert_eq!(
        (&answer["data"]["status"], &answer["data"]["subscription"]["auto_renew"]),
        (&json!("paid"), &json!("cancelled"))
    );
    assert_eq!(monthly.call(worker, "stripe/subscription/resume", json!({})).await.0, StatusCode::OK);

    let worker = year.until(60.2).await;
    let renewed = ["purchase succeeded", "renewal failed", "renewal succeeded", "renewal succeeded"];
    monthly.until_transactions(worker, &renewed).await;
    assert_eq!(trial.transactions(worker).await, ["trial succeeded", "renewal succeeded"], "it was cancelled");
    // Renewals run in the background, each subscription's by itself.
    eventually("the trial has ended", async || (trial.subscription(worker).await["status"] == "expired").then_some(()))
        .await;
    done(&data, &["order", "refund", &monthly.order.to_string(), "--amount", "500"]);
    assert_eq!(worker.order(&monthly.key, &monthly.order).await["refunded_minor"], 500);
    done(&data, &["order", "refund", &monthly.order.to_string()]);
    let refunded = worker.order(&monthly.key, &monthly.order).await;
    assert_eq!((&refunded["status"], &refunded["activity_status"]), (&json!("refunded"), &json!("inactive")));

    // The annual reminder is sent 15 days before, and the renewal happens on the day.
    assert_eq!(annual.reminders(&data), []);
    year.until(352.0).await;
    let reminder = eventually("the annual reminder", async || annual.reminders(&data).pop()).await;
    assert_eq!(reminder.0, "Annual subscription renews on February 28, 2029 for 107.00 USD");
    assert!(reminder.1.contains("You can cancel at any time") && reminder.1.contains("/profile"), "{}", reminder.1);
    let worker = year.until(365.3).await;
    annual.until_transactions(worker, &["purchase succeeded", "renewal succeeded"]).await;
    // Each reminder is sent once, however often the worker restarts.
    assert_eq!((trial.reminders(&data).len(), annual.reminders(&data).len()), (1, 1));
    let ends = annual.subscription(worker).await["current_period_end"].clone();
    assert!(ends.as_str().unwrap().starts_with("2030-02-28T12:00"), "{ends}");
    // In the next leap year it renews on the 29th again.
    let mut transactions = vec!["purchase succeeded", "renewal succeeded"];
    for (days, renews) in [(730.3, "2031-02-28T12:00"), (1095.3, "2032-02-29T12:00")] {
        transactions.push("renewal succeeded");
        let worker = year.until(days).await;
        annual.until_transactions(worker, &transactions).await;
        let ends = annual.subscription(worker).await["current_period_end"].clone();
        assert!(ends.as_str().unwrap().starts_with(renews), "{ends}");
    }
    let worker = year.worker();

    // Page, provider, verbs and lake agree.
    let mut on_pages = 0;
    let mut receipts = 0;
    for viewer in [&trial, &annual, &monthly, &late] {
        let lines = viewer.lines(worker).await;
        let succeeded: Vec<_> = lines.iter().filter(|line| line["status"] == "succeeded").collect();
        on_pages += succeeded.iter().map(|line| line["amount"].as_i64().unwrap()).sum::<i64>();
        let numbers: Vec<_> = succeeded.iter().filter_map(|line| line["receipt"].as_str()).collect();
        eventually("an email for each receipt", async || {
            let emails = viewer.emails(&data);
            numbers.iter().all(|number| emails.iter().any(|subject| subject.contains(number))).then_some(())
        })
        .await;
        receipts += numbers.len();
    }
    // Three first payments, seven renewals, three refunds.
    assert_eq!((on_pages, receipts), (4 * 10_700 + 2 * 1299 + 4 * 1299 - 2 * 1299, 13));
    assert_eq!(net_at_provider(&data).await, on_pages);
    let sales: Value = serde_json::from_str(&done(&data, &["sales", "--json"])).unwrap();
    let sum = |rows: &Value, field: &str| -> i64 {
        rows.as_array().unwrap().iter().map(|row| row[field].as_i64().unwrap()).sum()
    };
    assert_eq!((sum(&sales, "net"), sum(&sales, "refunds")), (on_pages, 2 * 1299), "{sales}");
    let csv = done(&data, &["sales", "--csv", "--from", "2028-02-29", "--until", "2028-02-29"]);
    assert!(
        csv.contains("2028-02-29,northfield,subscription:2,Annual subscription,1,107.00,0.00,8.00,0.00,107.00,USD\r\n"),
        "{csv}"
    );

    let rows = eventually("the lake has every row", async || {
        let rows = query(&data, "revenue.sql");
        let net: i64 = rows.iter().map(|row| row[9].parse::<i64>().unwrap()).sum();
        (net == on_pages).then_some(rows)
    })
    .await;
    let of = |column: usize| -> i64 { rows.iter().map(|row| row[column].parse::<i64>().unwrap()).sum() };
    assert_eq!((of(5), of(6), of(7), of(8)), (sum(&sales, "gross"), 0, sum(&sales, "fee"), sum(&sales, "refunds")));
    assert!(
        rows.iter().all(|row| ["Annual subscription", "Monthly subscription"].contains(&row[3].as_str())),
        "{rows:?}"
    );
    assert_eq!(query(&data, "trial_conversion.sql")[0][3..5], ["1", "1"]);
    assert!(!query(&data, "churn.sql").is_empty());
    assert_eq!(
        query(&data, "payment_funnel.sql")[0][2..],
        ["4", "3", "1", "0", "0", "0", "0"],
        "entered, paid, free, waiting, declined, asked_by_bank, had_decline"
    );
    assert!(done(&data, &["audit", "--from", "2028-01-01"]).contains("agree"));
    assert!(year.worker.take().unwrap().end().0.success());

    // A row that was tampered with is reported.
    let store = SqlitePool::connect(&format!("sqlite:{}", data.join("channel.sqlite").display())).await.unwrap();
    let changed = "UPDATE charges SET amount = amount + 1 WHERE kind = 'purchase' AND order_id = $1";
    sqlx::query(changed).bind(annual.order.as_i64()).execute(&store).await.unwrap();
    store.close().await;
    let _worker = year.until(1095.4).await;
    let output = refused(&data, &["audit", "--from", "2028-01-01"]);
    for rule in ["amount", "provider payment", "lake"] {
        assert!(output.contains(&format!("order {}: {rule}: ", annual.order)), "{rule}: {output}");
    }
    assert_eq!(run(&data, &["audit", "--data", data.to_str().unwrap()]).status.code(), Some(1));
}
