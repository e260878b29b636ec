//! The plain channel API, in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use reqwest::Client;
use serde_json::{Value, json};

use crate::support::client;

pub(crate) struct Plain {
    child: Child,
    data: PathBuf,
    paid_after_ms: u64,
    /// `http://127.0.0.1:PORT/v1`
    pub(crate) origin: String,
    http: Client,
}

impl Plain {
    /// Starts it. Orders are paid after `paid_after_ms`.
    pub(crate) async fn start(data: &Path, paid_after_ms: u64) -> Self {
        let (child, origin) = launch(data, paid_after_ms, "0");
        Self { child, data: data.to_owned(), paid_after_ms, origin, http: client() }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Restarts it on the same port, with its saved state.
    pub(crate) fn restart(&mut self) {
        let port = self.origin.rsplit(':').next().unwrap().trim_end_matches("/v1").to_owned();
        self.child = launch(&self.data, self.paid_after_ms, &port).0;
    }

    fn base(&self) -> &str {
        self.origin.trim_end_matches("/v1")
    }

    /// Sets the faults of the next calls.
    pub(crate) async fn fail(&self, faults: Value) {
        self.http.post(format!("{}/faults", self.base())).json(&faults).send().await.unwrap();
    }

    pub(crate) async fn heal(&self) {
        self.fail(json!([])).await;
    }

    pub(crate) async fn forget_key(&self, key: &str) {
        self.http.post(format!("{}/forget-key", self.base())).json(&json!({ "key": key })).send().await.unwrap();
    }

    /// Counts of calls, charges and orders, and the headers of the last request per call.
    pub(crate) async fn counts(&self) -> Value {
        self.http.get(format!("{}/counts", self.base())).send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn count(&self, call: &str) -> u64 {
        self.counts().await["counts"][call].as_u64().unwrap_or(0)
    }
}

fn launch(data: &Path, paid_after_ms: u64, port: &str) -> (Child, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/e2e/support/plain/upstream.mjs");
    let paid_after = paid_after_ms.to_string();
    let mut command = Command::new("node");
    command.arg(script).args(["--data", data.to_str().unwrap(), "--port", port, "--paid-after-ms", &paid_after]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("node runs the plain upstream");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let origin = line.trim().strip_prefix("plain upstream on ").unwrap_or_else(|| panic!("it says {line:?}"));
    (child, origin.to_owned())
}

impl Drop for Plain {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ended = self.child.kill().and_then(|()| self.child.wait()).is_ok();
    }
}
