//! The test provider with Stripe's API, in a process of its own (`web/e2e/support/stripe`).

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::support::client;

/// Cards entered so far.
static CARDS: AtomicU64 = AtomicU64::new(0);
/// Signs its webhooks.
pub(crate) const SECRET: &str = "whsec_provider";

/// A running provider with its state in a file.
pub(crate) struct Provider {
    child: Child,
    file: PathBuf,
    /// `http://127.0.0.1:PORT`
    pub(crate) url: String,
    http: reqwest::Client,
}

fn launch(file: &Path, port: &str) -> (Child, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/e2e/support/stripe/provider.mjs");
    let mut node = Command::new("node");
    node.arg(script).args(["--port", port, "--child", "--file"]).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = node.spawn().expect("node runs the provider");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("provider listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
    (child, url)
}

impl Provider {
    pub(crate) fn start(folder: &Path) -> Self {
        let file = folder.join("provider.jsonl");
        let (child, url) = launch(&file, "0");
        Self { child, file, url, http: client() }
    }

    /// Kills it and restarts it on the same port, with its saved state.
    pub(crate) fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let port = self.url.rsplit(':').next().unwrap().to_owned();
        self.child = launch(&self.file, &port).0;
    }

    /// The flags of a worker that uses it.
    pub(crate) fn flags(&self) -> [&str; 10] {
        [
            "--payments",
            "stripe",
            "--stripe-secret-key",
            "sk_test_provider",
            "--stripe-publishable-key",
            "pk_test_provider",
            "--stripe-webhook-secret",
            SECRET,
            "--stripe-base-url",
            &self.url,
        ]
    }

    /// Calls its test API.
    pub(crate) async fn test(&self, call: &str, body: Value) -> Value {
        let sent = self.http.post(format!("{}/test/{call}", self.url)).json(&body).send().await.unwrap();
        sent.json().await.unwrap()
    }

    /// An action on the provider's own pages.
    pub(crate) async fn act(&self, operation: &str, id: &str, fields: Value) -> Value {
        self.test("act", json!({ "operation": operation, "id": id, "fields": fields })).await
    }

    /// Moves its clock this many seconds from now, and renews whatever is due.
    pub(crate) async fn clock(&self, offset_s: i64) {
        self.test("clock", json!({ "offset": offset_s })).await;
    }

    /// Sends webhooks to a worker according to the plan.
    pub(crate) async fn plan(&self, worker: &str, mut plan: Value, webhooks: Value) {
        let mut hooks = json!({ "url": format!("{worker}/webhooks/stripe"), "secret": SECRET });
        hooks.as_object_mut().unwrap().extend(webhooks.as_object().unwrap().clone());
        plan["webhooks"] = hooks;
        self.test("plan", plan).await;
    }

    /// Its books. Asserts that every request and response was valid for Stripe.
    pub(crate) async fn books(&self) -> Value {
        let books = self.test("books", json!({})).await;
        assert_eq!(books["faults"], json!([]), "requests and responses do not match Stripe's types");
        books
    }

    /// Enters a card as Stripe's script does, and returns the payment method.
    pub(crate) async fn card(&self, client_secret: &Value, number: &str) -> String {
        // Another expiry date makes another card.
        let year = 2040 + CARDS.fetch_add(1, Ordering::Relaxed);
        let card = json!({ "client_secret": client_secret, "number": number, "exp_year": year });
        let entered = self.test("card", card).await;
        entered["payment_method"].as_str().unwrap_or_else(|| panic!("{entered}")).to_owned()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ended = self.child.kill().and_then(|()| self.child.wait()).is_ok();
    }
}

/// Successful payments, with the orders they name.
pub(crate) fn paid(books: &Value) -> Vec<(String, i64)> {
    let intents = books["intents"].as_array().unwrap().iter();
    let paid = intents.filter(|intent| intent["status"] == "succeeded");
    paid.map(|intent| (intent["metadata"]["order"].to_string(), intent["amount"].as_i64().unwrap())).collect()
}
