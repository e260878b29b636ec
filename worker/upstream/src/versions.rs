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
    let word = |field: &str| state.get(field).and_then(Value::as_str).unwrap_or_default();
    match kind {
        StatusKind::Order => {
            let rank = match word("status") {
                "created" => 1,
                "paid" | "failed" => 3,
                "refunded" => 4,
                _ => 0,
            };
            let ended = i64::from(rank > 1 && word("activity_status") == "inactive" && word("status") == "paid");
            let asked = i64::from(rank == 1 && state.get("next_action").is_some_and(|next| !next.is_null()));
            rank * 10 + ended + asked
        }
        StatusKind::Clip => match word("status") {
            "queued" => 1,
            "processing" => 2,
            "ready" | "failed" => 3,
            _ => 0,
        },
        StatusKind::Event => match word("stream_status") {
            "upcoming" => 1,
            "live" => 2,
            "finished" => 3,
            _ => 0,
        },
        StatusKind::Subscription => match word("status") {
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
    let word = |field: &str| state.get(field).and_then(Value::as_str).unwrap_or_default();
    match kind {
        StatusKind::Order => matches!(word("status"), "paid" | "failed" | "refunded"),
        StatusKind::Clip => matches!(word("status"), "ready" | "failed"),
        StatusKind::Event => word("stream_status") == "finished",
        StatusKind::Subscription => matches!(word("status"), "canceled" | "expired"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(status: &str) -> i64 {
        version_of(StatusKind::Order, json!({ "status": status }).as_object().unwrap())
    }

    #[test]
    fn created_is_before_paid_and_failed_and_these_before_refunded() {
        assert!(order("created") < order("paid"));
        assert_eq!(order("paid"), order("failed"));
        assert!(order("failed") < order("refunded"));
    }

    #[test]
    fn what_is_counted_already_keeps_its_version() {
        let mut there = json!({ "status": "paid", "version": 9 }).as_object().unwrap().clone();
        stamp(StatusKind::Order, &mut there);
        assert_eq!(there["version"], 9);
        there.remove("version");
        stamp(StatusKind::Order, &mut there);
        assert_eq!(there["version"], 30);
    }
}
