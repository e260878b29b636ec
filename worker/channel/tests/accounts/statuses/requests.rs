//! Sends the API document's examples and records the responses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::{Method, header};
use serde_json::{Map, Value, json};

use crate::app::{Answer, App};

/// Statuses that any call can get before its handler runs, or by a fault of the worker.
pub(crate) const GENERIC_STATUSES: [&str; 6] = ["408", "413", "421", "429", "500", "503"];

/// A call of the channel in the API document.
#[derive(Debug)]
pub(crate) struct Call {
    /// Method and path.
    pub(crate) name: String,
    method: Method,
    path: String,
    operation: Value,
}

impl Call {
    /// Every call under `/api`.
    pub(crate) fn all() -> Vec<Self> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
        let document: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let paths = document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/api/"));
        let calls = paths.flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, operation)| Self {
                name: format!("{method} {path}"),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                operation: operation.clone(),
            })
        });
        calls.collect()
    }

    pub(crate) fn documents(&self, status: &str) -> bool {
        self.operation["responses"].get(status).is_some()
    }

    pub(crate) fn takes_a_key(&self) -> bool {
        self.parameters().any(|one| one["name"] == "api_key") || self.body().get("api_key").is_some()
    }

    fn parameters(&self) -> impl Iterator<Item = &Value> {
        self.operation["parameters"].as_array().into_iter().flatten()
    }

    fn body(&self) -> Map<String, Value> {
        let example = self.operation.pointer("/requestBody/content/application~1json/example");
        example.and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// Path with query, and body, from the examples with the changes in `with`.
    fn request(&self, key: &str, with: &Value) -> (String, String) {
        let mut path = self.path.trim_start_matches("/api/").to_owned();
        let mut query = Vec::new();
        for one in self.parameters() {
            let name = one["name"].as_str().unwrap();
            let value = with.get(name).unwrap_or(if name == "api_key" { &Value::Null } else { &one["example"] });
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match one["in"].as_str().unwrap() {
                "path" => path = path.replace(&format!("{{{name}}}"), &text),
                "query" if name == "api_key" && value.is_null() => query.push(format!("api_key={key}")),
                "query" if one["required"] == true => query.push(format!("{name}={}", text.replace(' ', "%20"))),
                _ => {}
            }
        }
        let mut body = self.body();
        if body.contains_key("api_key") {
            body.insert("api_key".to_owned(), json!(key));
        }
        for (name, value) in with.as_object().unwrap() {
            if body.contains_key(name) || name == "extra" {
                body.insert(name.clone(), value.clone());
            }
        }
        let joint = if query.is_empty() { "" } else { "?" };
        let body = if self.method == Method::POST { Value::Object(body).to_string() } else { String::new() };
        (format!("{path}{joint}{}", query.join("&")), body)
    }
}

/// Codes of the responses, by call and status.
#[derive(Debug, Default)]
pub(crate) struct Observed(BTreeMap<(String, String), BTreeSet<String>>);

impl Observed {
    /// Sends the example with the changes in `with`, under a new idempotency key.
    pub(crate) async fn send_example(&mut self, app: &App, call: &Call, key: &str, with: &Value) -> Answer {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        self.send_example_with_key(app, call, key, with, &format!("statuses-{}", COUNT.fetch_add(1, Ordering::Relaxed)))
            .await
    }

    pub(crate) async fn send_example_with_key(
        &mut self,
        app: &App,
        call: &Call,
        key: &str,
        with: &Value,
        idempotency_key: &str,
    ) -> Answer {
        let (path, body) = call.request(key, with);
        let answer = app.send(call.method.clone(), &path, &[("idempotency-key", idempotency_key)], body).await;
        self.record(call, &answer);
        answer
    }

    pub(crate) async fn send(&mut self, app: &App, call: &Call, body: &str) {
        let (path, _) = call.request("", &json!({}));
        let answer = app.send(call.method.clone(), &path, &[], body.to_owned()).await;
        self.record(call, &answer);
    }

    /// Repeats a request with the ETag of its response.
    pub(crate) async fn send_conditional(&mut self, app: &App, call: &Call, key: &str, answer: &Answer) {
        let (path, _) = call.request(key, &json!({}));
        let etag = answer.header(header::ETAG);
        let again = app.send(call.method.clone(), &path, &[("if-none-match", etag)], "").await;
        self.record(call, &again);
    }

    /// Records a response, which must be in the document.
    pub(crate) fn record(&mut self, call: &Call, answer: &Answer) {
        let status = answer.status.as_str();
        assert!(call.documents(status), "{}: {status} is not documented: {:?}", call.name, answer.body);
        let code = serde_json::from_slice(&answer.body).unwrap_or(Value::Null)["code"].as_str().map(str::to_owned);
        self.0.entry((call.name.clone(), status.to_owned())).or_default().extend(code);
    }

    /// Statuses and example codes in the document that did not occur.
    pub(crate) fn missing(&self, call: &Call) -> Vec<String> {
        let answers = call.operation["responses"].as_object().unwrap().iter();
        let specific = answers.filter(|(status, _)| !GENERIC_STATUSES.contains(&status.as_str()));
        specific
            .filter_map(|(status, answer)| {
                let Some(codes) = self.0.get(&(call.name.clone(), status.clone())) else {
                    return Some(format!("{} {status}", call.name));
                };
                let code = answer["content"]["application/json"]["example"]["code"].as_str()?;
                (!codes.contains(code)).then(|| format!("{} {status} with {code}, but with {codes:?}", call.name))
            })
            .collect()
    }
}
