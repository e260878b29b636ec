//! A worker paid through the test provider, with both clocks moved together.

use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::provider::{Provider, paid};
use crate::support::{Worker, eventually, folder, sent_emails};

pub(crate) struct Shop {
    pub(crate) data: PathBuf,
    pub(crate) provider: Provider,
    worker: Option<Worker>,
    /// Seconds from the machine's time to the start.
    begins_s: i64,
    /// The provider's faults from the worker's next start on.
    pub(crate) faults: Value,
    _folder: TempDir,
}

impl Shop {
    pub(crate) async fn begin(begins_s: i64) -> Self {
        let (folder, data) = folder();
        let provider = Provider::start(folder.path());
        let mut shop = Self { data, provider, worker: None, begins_s, faults: json!({}), _folder: folder };
        shop.after(0).await;
        shop
    }

    /// Restarts the worker this many seconds after the start.
    pub(crate) async fn after(&mut self, seconds: i64) -> &Worker {
        self.stop();
        let offset = self.begins_s + seconds;
        self.provider.test("plan", self.faults.clone()).await;
        self.provider.clock(offset).await;
        let offset = offset.to_string();
        let more = ["--datalake-close-age-s", "1", "--clock-offset", &offset];
        self.worker = Some(Worker::start(&self.data, &[&self.provider.flags()[..], &more].concat()));
        self.provider.plan(&self.worker().url(""), self.faults.clone(), json!({})).await;
        self.worker()
    }

    pub(crate) fn stop(&mut self) {
        if let Some(worker) = self.worker.take() {
            assert!(worker.end().0.success());
        }
    }

    pub(crate) fn worker(&self) -> &Worker {
        self.worker.as_ref().unwrap()
    }

    pub(crate) fn url(&self) -> String {
        self.worker().url("")
    }

    pub(crate) async fn viewer(&self, number: &str) -> (String, String) {
        let key = self.worker().register().await;
        let card = self.worker().stripe_card(&self.provider, &key, number).await;
        (key, card)
    }

    pub(crate) async fn buy(&self, (key, card): &(String, String), kind: &str, id: i64) -> i64 {
        let order = self.create_order((key, card), kind, id).await;
        assert_eq!(self.worker().settled(key, &json!(order)).await["status"], "paid");
        order
    }

    pub(crate) async fn create_order(&self, (key, card): (&String, &String), kind: &str, id: i64) -> i64 {
        let body = json!({ "api_key": key, "type": kind, "id": id, "payment_method_id": card });
        self.worker().data(Method::POST, "stripe/buy", &body).await["id"].as_i64().unwrap()
    }

    pub(crate) async fn trial(&self, (key, card): &(String, String)) -> i64 {
        let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
        let order = self.worker().data(Method::POST, "stripe/subscription/start_trial", &body).await["id"].clone();
        self.worker().settled(key, &order).await["id"].as_i64().unwrap()
    }

    pub(crate) async fn order(&self, key: &str, id: i64) -> Value {
        self.worker().order(key, &json!(id)).await
    }

    pub(crate) async fn until(&self, what: &str, key: &str, id: i64, is_so: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || Some(self.order(key, id).await).filter(&is_so)).await
    }

    /// Kind, status and amount of a viewer's transactions, oldest first.
    pub(crate) async fn lines(&self, key: &str) -> Vec<(String, i64)> {
        let path = format!("transactions?api_key={key}");
        let lines = self.worker().data(Method::GET, &path, &Value::Null).await;
        let summary = |line: &Value| {
            let columns = ["kind", "status"].map(|field| line[field].as_str().unwrap());
            (columns.join(" "), line["amount"].as_i64().unwrap())
        };
        lines.as_array().unwrap().iter().rev().map(summary).collect()
    }

    /// The provider's object for an order.
    pub(crate) async fn object(&self, list: &str, order: i64) -> Value {
        let books = self.provider.books().await;
        let of_order = |it: &&Value| it["metadata"]["order"].to_string().starts_with(&format!("\"order-{order}-"));
        books[list].as_array().unwrap().iter().find(of_order).cloned().unwrap_or_else(|| panic!("{list} of {order}"))
    }

    pub(crate) async fn intent(&self, order: i64) -> Value {
        self.object("intents", order).await["id"].clone()
    }

    /// The totals of the provider's payments and refunds.
    pub(crate) async fn moved(&self) -> (i64, i64) {
        let books = self.provider.books().await;
        let back = books["refunds"].as_array().unwrap().iter().map(|it| it["amount"].as_i64().unwrap()).sum();
        (paid(&books).iter().map(|(_, amount)| amount).sum(), back)
    }
}

/// Subjects of all emails, oldest first.
pub(crate) fn emails(data: &Path) -> Vec<String> {
    let parser = mail_parser::MessageParser::new();
    let subject = |file| parser.parse(&std::fs::read(file).unwrap())?.subject().map(str::to_owned);
    sent_emails(data).into_iter().filter_map(subject).collect()
}

pub(crate) async fn count(data: &Path, query: &'static str) -> i64 {
    let url = format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display());
    let store = sqlx::SqlitePool::connect(&url).await.unwrap();
    let count = sqlx::query_scalar(query).fetch_one(&store).await.unwrap();
    store.close().await;
    count
}
