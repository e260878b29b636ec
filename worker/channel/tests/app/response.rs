//! Responses.

use axum::http::{HeaderMap, HeaderName, StatusCode};
use bytes::Bytes;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// The `data` of a successful response.
    pub(crate) fn data(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        self.json()["data"].clone()
    }

    /// The ids in `data`.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.data().as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
    }

    /// A header, or the empty string.
    pub(crate) fn header(&self, name: HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts a failure in the API's error format; returns its message.
    pub(crate) fn fails(&self, status: u16, code: &str) -> String {
        let json = self.json();
        assert_eq!((self.status.as_u16(), json["code"].as_str()), (status, Some(code)), "{json}");
        assert!(json["errors"].is_object(), "{json}");
        let message = json["message"].as_str().unwrap();
        assert!(!message.is_empty(), "{json}");
        message.to_owned()
    }

    /// Asserts a 400 for this field; returns the field's first fault.
    pub(crate) fn blames(&self, field: &str) -> String {
        let json = self.json();
        assert_eq!(self.status, StatusCode::BAD_REQUEST, "{json}");
        json["errors"][field][0].as_str().unwrap_or_else(|| panic!("{field} is not blamed: {json}")).to_owned()
    }
}
