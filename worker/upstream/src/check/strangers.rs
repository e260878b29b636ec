//! Responses of an upstream to calls that don't exist. A call with such a response may not exist either.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::client::{Answer, Client, Outgoing};

/// Two calls that don't exist, one of them with an id.
const NOBODYS: [&str; 2] = ["no-such-call", "none-such/0"];

/// The comparable part of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    status: StatusCode,
    /// Fields as text, without the requested path. `None` if the body isn't a JSON object.
    fields: Vec<(String, String)>,
}

impl Said {
    fn of(path: &str, answer: &Answer) -> Self {
        let body = answer.json().unwrap_or_default();
        let fields = body.as_object().into_iter().flatten();
        let field = |(name, value): (&String, &Value)| (name.clone(), value.to_string().replace(path, "PATH"));
        let mut fields: Vec<_> = fields.map(field).collect();
        fields.sort();
        Self { status: answer.status, fields }
    }

    fn field(&self, name: &str) -> Option<&String> {
        self.fields.iter().find(|(of, _)| of == name).map(|(_, text)| text)
    }
}

/// The responses to both calls, for one method.
#[derive(Debug)]
pub(super) struct Strangers(Vec<Said>);

impl Strangers {
    /// Sends both calls with `method`. `query` contains the key, if any.
    pub(super) async fn ask(client: &Client, method: &str, query: &str) -> Self {
        let mut said = Vec::new();
        for path in NOBODYS {
            // A call that fails is left out: no other response equals it.
            if let Ok(answer) = client.ask(&empty(method, path, query)).await {
                said.push(Said::of(path, &answer));
            }
        }
        Self(said)
    }

    /// Whether a response equals one of these. Parts that differ between the two, such as a time or an id, are ignored.
    pub(super) fn are_like(&self, path: &str, answer: &Answer) -> bool {
        let [one, other] = &self.0[..] else { return false };
        let said = Said::of(path, answer);
        let is_same = |(name, text): &(String, String)| {
            let is_steady = other.field(name) == Some(text);
            said.field(name).is_some_and(|there| !is_steady || there == text)
        };
        said.status == one.status && said.fields.len() == one.fields.len() && one.fields.iter().all(is_same)
    }
}

/// A request without a body. Without a key it has no effect.
pub(super) fn empty(method: &str, path: &str, query: &str) -> Outgoing {
    if method == "POST" {
        return Outgoing::post(path, &json!({}));
    }
    Outgoing { method: method.parse().unwrap_or_default(), ..Outgoing::get(path, query) }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use super::*;

    fn answer(status: u16, body: &Value) -> Answer {
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers: HeaderMap::new(), etag: None, body: body.to_string().into() }
    }

    #[test]
    fn a_refusal_that_names_the_path_and_the_time_is_that_of_a_call_that_nobody_has() {
        let none = |path: &str, at: u8| answer(404, &json!({ "message": format!("No route {path}."), "at": at }));
        let said = [("no-such-call", 1), ("none-such/0", 2)].map(|(path, at)| Said::of(path, &none(path, at)));
        let strangers = Strangers(said.to_vec());
        assert!(strangers.are_like("favorite/0", &none("favorite/0", 3)));
        let own = answer(404, &json!({ "message": "No such favourite.", "at": 4 }));
        assert!(!strangers.are_like("favorite/0", &own));
        assert!(!strangers.are_like("favorite/0", &answer(400, &json!({ "message": "No key.", "at": 4 }))));
    }
}
