//! Responses of an upstream to calls that don't exist. A call with such a response may not exist either.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::client::{Client, Outgoing, Reply};

/// Two calls that don't exist, one of them with an id.
const PATHS: [&str; 2] = ["no-such-call", "none-such/0"];

/// The comparable part of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReplyShape {
    status: StatusCode,
    /// Fields as text, without the requested path. `None` if the body isn't a JSON object.
    fields: Vec<(String, String)>,
}

impl ReplyShape {
    fn of(path: &str, reply: &Reply) -> Self {
        let body = reply.json().unwrap_or_default();
        let fields = body.as_object().into_iter().flatten();
        let field = |(name, value): (&String, &Value)| (name.clone(), value.to_string().replace(path, "PATH"));
        let mut fields: Vec<_> = fields.map(field).collect();
        fields.sort();
        Self { status: reply.status, fields }
    }

    fn field(&self, name: &str) -> Option<&String> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, text)| text)
    }
}

/// The responses to both calls, for one method.
#[derive(Debug)]
pub(super) struct UnknownCalls(Vec<ReplyShape>);

impl UnknownCalls {
    /// Sends both calls with `method`. `query` contains the key, if any.
    pub(super) async fn probe(client: &Client, method: &str, query: &str) -> Self {
        let mut shapes = Vec::new();
        for path in PATHS {
            // A call that fails is left out: no other response equals it.
            if let Ok(reply) = client.send(&empty(method, path, query)).await {
                shapes.push(ReplyShape::of(path, &reply));
            }
        }
        Self(shapes)
    }

    /// Whether a response equals one of these. Parts that differ between the two, such as a time or an id, are ignored.
    pub(super) fn matches(&self, path: &str, reply: &Reply) -> bool {
        let [one, other] = &self.0[..] else { return false };
        let shape = ReplyShape::of(path, reply);
        let is_same = |(name, text): &(String, String)| {
            let is_constant = other.field(name) == Some(text);
            shape.field(name).is_some_and(|value| !is_constant || value == text)
        };
        shape.status == one.status && shape.fields.len() == one.fields.len() && one.fields.iter().all(is_same)
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

    fn reply(status: u16, body: &Value) -> Reply {
        let status = StatusCode::from_u16(status).unwrap();
        Reply { status, headers: HeaderMap::new(), etag: None, body: body.to_string().into() }
    }

    #[test]
    fn a_refusal_that_differs_only_in_path_and_time_belongs_to_an_unknown_call() {
        let none = |path: &str, at: u8| reply(404, &json!({ "message": format!("No route {path}."), "at": at }));
        let shapes = [("no-such-call", 1), ("none-such/0", 2)].map(|(path, at)| ReplyShape::of(path, &none(path, at)));
        let unknown_calls = UnknownCalls(shapes.to_vec());
        assert!(unknown_calls.matches("favorite/0", &none("favorite/0", 3)));
        let different = reply(404, &json!({ "message": "No such favourite.", "at": 4 }));
        assert!(!unknown_calls.matches("favorite/0", &different));
        assert!(!unknown_calls.matches("favorite/0", &reply(400, &json!({ "message": "No key.", "at": 4 }))));
    }
}
