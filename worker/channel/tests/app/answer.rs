//! What is answered.

use axum::http::{HeaderMap, HeaderName, StatusCode};
use bytes::Bytes;
use serde_json::Value;

/// An answer.
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

    /// What stands under `data`, of a success.
    pub(crate) fn data(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        self.json()["data"].clone()
    }

    /// The ids of what stands under `data`.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.data().as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
    }

    /// A header; nothing when it is not there.
    pub(crate) fn header(&self, name: HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Sees that this is a failure in the house's shape; gives its message.
    pub(crate) fn fails(&self, status: u16, code: &str) -> String {
        let json = self.json();
        assert_eq!((self.status.as_u16(), json["code"].as_str()), (status, Some(code)), "{json}");
        assert!(json["errors"].is_object(), "{json}");
        let message = json["message"].as_str().unwrap();
        assert!(!message.is_empty(), "{json}");
        message.to_owned()
    }

    /// Sees that this is a 400 that blames this field; gives the field's first fault.
    pub(crate) fn blames(&self, field: &str) -> String {
        let json = self.json();
        assert_eq!(self.status, StatusCode::BAD_REQUEST, "{json}");
        json["errors"][field][0].as_str().unwrap_or_else(|| panic!("{field} is not blamed: {json}")).to_owned()
    }
}
