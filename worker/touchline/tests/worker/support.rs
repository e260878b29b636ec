//! A running worker with its own data folder, and viewers of it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;
use touchline_protocol::ambient::{Clock, SystemClock};

/// The longest wait for an expected event.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// The binary, without this process's settings.
pub(crate) fn touchline(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchline"));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TOUCHLINE_")) {
        command.env_remove(name);
    }
    // No load balancer checks these workers.
    command.env("TOUCHLINE_DRAIN_S", "0");
    command
}

pub(crate) fn run(folder: &Path, line: &[&str]) -> Output {
    touchline(folder).args(line).output().unwrap()
}

pub(crate) struct Worker {
    child: Child,
    /// `127.0.0.1:PORT`
    pub(crate) address: String,
    /// `127.0.0.1:PORT` of the admin listener.
    pub(crate) admin: String,
    /// Its stderr: a file, so that each line is in it once it was written.
    log: File,
    pub(crate) http: reqwest::Client,
}

impl Worker {
    /// Starts a worker with the demo channels on `data`.
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_by(touchline(data.parent().unwrap()), data, more)
    }

    /// Starts a worker by another command.
    pub(crate) fn start_by(mut command: Command, data: &Path, more: &[&str]) -> Self {
        command.args(["serve", "--data", data.to_str().unwrap()]).args(more);
        if !more.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let log = tempfile::tempfile().unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log.try_clone().unwrap()).spawn().unwrap();
        let (lines, stdout_lines) = mpsc::channel();
        let from = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                // Only the first two lines are used.
                let _sent = lines.send(line).is_ok();
            }
        });
        let mut line = |prefix: &str| {
            let Ok(line) = stdout_lines.recv_timeout(SOON) else {
                let status = child.try_wait();
                let _killed = child.kill().is_ok();
                panic!("the worker does not start ({status:?}): {}", content_of(&log));
            };
            line.strip_prefix(prefix).unwrap_or_else(|| panic!("{line}")).to_owned()
        };
        let address = line("touchline listening on ").split_once("://").unwrap().1.to_owned();
        let admin = line("touchline admin on http://");
        Self { child, address, admin, log, http: client() }
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        content_of(&self.log)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.http.get(self.url(path)).send().await.unwrap()
    }

    /// Calls the channel API and returns status and body.
    pub(crate) async fn call(&self, method: Method, path: &str, body: &Value) -> (StatusCode, Value) {
        let mut request = self.http.request(method.clone(), self.url(&format!("/api/{path}")));
        if method == Method::POST {
            request = request.json(body).header("idempotency-key", fresh("test"));
        }
        let response = request.send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    /// The `data` of a call that must succeed.
    pub(crate) async fn data(&self, method: Method, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call(method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer["data"].clone()
    }

    /// A new anonymous key of the demo channel.
    pub(crate) async fn key(&self) -> String {
        let key = self.data(Method::POST, "get_api_key", &json!({ "channel_key": "northfield" })).await;
        key["api_key"].as_str().unwrap().to_owned()
    }

    /// A new viewer's key.
    pub(crate) async fn register(&self) -> String {
        let email = format!("{}@viewers.example", fresh("viewer"));
        self.register_as(&email).await
    }

    /// The key of a demo viewer, whose address is verified.
    pub(crate) async fn demo(&self, name: &str) -> String {
        let email = format!("{name}@northfield.example");
        let login = json!({ "api_key": self.key().await, "email": email, "password": "touchline" });
        let session = self.data(Method::POST, "v2/auth/login", &login).await;
        session["api_key"].as_str().unwrap().to_owned()
    }

    /// The viewer's id, or `None` if the key is invalid.
    pub(crate) async fn user_of(&self, key: &str) -> Option<i64> {
        let (_, answer) = self.call(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
        answer["data"]["id"].as_i64()
    }

    /// A new viewer's key, with a given address.
    pub(crate) async fn register_as(&self, email: &str) -> String {
        let body = json!({
            "api_key": self.key().await, "first_name": "Vi", "last_name": "Ewer", "email": email,
            "password": "correct horse", "password_confirmation": "correct horse", "terms": true,
        });
        let registered = self.data(Method::POST, "v2/auth/register", &body).await;
        registered["api_key"].as_str().unwrap().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The worker's memory, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Sends SIGTERM and waits for the exit.
    pub(crate) fn end(self) -> (ExitStatus, String) {
        let sent = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(sent.success());
        self.ended()
    }

    /// Waits for the exit.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + SOON;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, self.log());
            }
            assert!(Instant::now() < deadline, "the worker does not exit: {}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have exited already.
        let _ended = self.child.kill().and_then(|()| self.child.wait()).is_ok();
    }
}

pub(crate) fn client() -> reqwest::Client {
    let _already = rustls::crypto::ring::default_provider().install_default().is_err();
    reqwest::Client::builder().no_proxy().timeout(SOON).build().unwrap()
}

/// A temporary folder, and the data folder in it.
pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    (folder, data)
}

/// A unique name. The process id alone isn't: a long run uses each several times.
pub(crate) fn fresh(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (id, now, count) = (std::process::id(), SystemClock::default().now_ms(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{name}-{id}-{now}-{count}")
}

/// A file's content, whatever the position of those who write it.
fn content_of(file: &File) -> String {
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    text(&bytes)
}

/// Polls until there is a result.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut poll: impl FnMut() -> F) -> T {
    let deadline = Instant::now() + SOON;
    loop {
        if let Some(found) = poll().await {
            return found;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a verb that must succeed, and returns its output.
pub(crate) fn done(data: &Path, line: &[&str]) -> String {
    let line = [line, &["--data", data.to_str().unwrap()]].concat();
    let output = run(data.parent().unwrap(), &line);
    assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a verb that must fail, and returns its error.
pub(crate) fn refused(data: &Path, line: &[&str]) -> String {
    let line = [line, &["--data", data.to_str().unwrap()]].concat();
    let output = run(data.parent().unwrap(), &line);
    assert_eq!(output.status.code(), Some(1), "{line:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// Whether any file below a folder contains a text.
pub(crate) fn files_with(folder: &Path, wanted: &str) -> bool {
    files_of(folder).iter().any(|file| holds(file, wanted))
}

/// Every file below a folder.
pub(crate) fn files_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_of(&path) } else { vec![path] }).collect()
}

/// The sent emails, oldest first. An email still being written has another extension.
pub(crate) fn sent_emails(data: &Path) -> Vec<PathBuf> {
    let mut emails = files_of(&data.join("mail"));
    emails.retain(|file| file.extension().is_some_and(|extension| extension == "eml"));
    emails.sort();
    emails
}

pub(crate) fn holds(file: &Path, wanted: &str) -> bool {
    // A file may have been replaced since the listing.
    std::fs::read(file).is_ok_and(|bytes| bytes.windows(wanted.len()).any(|part| part == wanted.as_bytes()))
}
