//! Versions of resources, for an upstream that has none (`UP-7`).
//!
//! The version of a resource only increases: created < paid = failed < refunded. It depends only on the state, so every
//! worker and every call computes the same one.

use serde_json::{Map, Value, json};
use touchline_protocol::sync::StatusKind;

/// Adds the version to a resource without one.
pub(crate) fn stamp(kind: StatusKind, resource: &mut Map<String, Value>) {
    if !resource.get("version").is_some_and(Value::is_i64) {
        let version = version_of(kind, resource);
        resource.insert("version".to_owned(), json!(version));
    }
}

pub(crate) fn version_of(kind: StatusKind, state: &Map<String, Value>) -> i64 {
    let text = |field: &str| state.get(field).and_then(Value::as_str).unwrap_or_default();
    match kind {
        StatusKind::Order => {
            let rank = match text("status") {
                "created" => 1,
                "paid" | "failed" => 3,
                "refunded" => 4,
                _ => 0,
            };
            let lost_access = i64::from(rank > 1 && text("activity_status") == "inactive" && text("status") == "paid");
            let needs_action = i64::from(rank == 1 && state.get("next_action").is_some_and(|next| !next.is_null()));
            rank * 10 + lost_access + needs_action
        }
        StatusKind::Clip => match text("status") {
            "queued" => 1,
            "processing" => 2,
            "ready" | "failed" => 3,
            _ => 0,
        },
        StatusKind::Event => match text("stream_status") {
            "upcoming" => 1,
            "live" => 2,
            "finished" => 3,
            _ => 0,
        },
        StatusKind::Subscription => match text("status") {
            "active" => 1,
            "canceled" => 2,
            "inactive" => 3,
            "expired" => 4,
            _ => 0,
        },
    }
}

/// Whether the state can't change any more.
pub(crate) fn is_final(kind: StatusKind, state: &Map<String, Value>) -> bool {
    let text = |field: &str| state.get(field).and_then(Value::as_str).unwrap_or_default();
    match kind {
        StatusKind::Order => matches!(text("status"), "paid" | "failed" | "refunded"),
        StatusKind::Clip => matches!(text("status"), "ready" | "failed"),
        StatusKind::Event => text("stream_status") == "finished",
        StatusKind::Subscription => matches!(text("status"), "canceled" | "expired"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(status: &str) -> i64 {
        version_of(StatusKind::Order, json!({ "status": status }).as_object().unwrap())
    }

    #[test]
    fn versions_increase_from_created_to_paid_or_failed_to_refunded() {
        assert!(order("created") < order("paid"));
        assert_eq!(order("paid"), order("failed"));
        assert!(order("failed") < order("refunded"));
    }

    #[test]
    fn an_existing_version_does_not_change() {
        let mut resource = json!({ "status": "paid", "version": 9 }).as_object().unwrap().clone();
        stamp(StatusKind::Order, &mut resource);
        assert_eq!(resource["version"], 9);
        resource.remove("version");
        stamp(StatusKind::Order, &mut resource);
        assert_eq!(resource["version"], 30);
    }
}
