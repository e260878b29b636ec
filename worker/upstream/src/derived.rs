//! Transactions derived from an upstream's orders, if it has no call for transactions (`ORDER-5`, `UP-3`).

use serde_json::{Value, json};

/// Returns the transactions of a list of orders, newest first.
pub(crate) fn transactions_of(orders: &Value) -> Value {
    let orders = orders["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = orders.iter().filter(|order| order["status"] != "created");
    let lines: Vec<_> = lines.map(transaction_of).collect();
    let total = lines.len();
    json!({ "data": lines, "meta": { "total": total, "limit": total, "offset": 0 } })
}

fn transaction_of(order: &Value) -> Value {
    let is_failed = order["status"] == "failed";
    let refunded = match order["refunded_minor"].as_i64() {
        Some(amount) => amount,
        None if order["status"] == "refunded" => order["total"].as_i64().unwrap_or(0),
        None => 0,
    };
    json!({
        "id": format!("order-{}", order["id"]),
        "kind": "purchase",
        "status": if is_failed { "failed" } else { "succeeded" },
        "at": order["created_at"],
        "order_id": order["id"],
        "type": order["type"],
        "product": order["product"],
        "amount": order["total"],
        "fee": order["service_fee"],
        "discount": order["discount"],
        "currency": order["currency"],
        "failure": order.get("failure").cloned().unwrap_or(Value::Null),
        "refunded": refunded,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paid_refunded_and_failed_orders_become_transactions() {
        let orders = json!({ "data": [
            { "id": 3, "status": "created", "total": 5 },
            { "id": 2, "status": "refunded", "total": 700, "type": "event" },
            { "id": 1, "status": "failed", "total": 900, "failure": "Declined." },
        ] });
        let lines = transactions_of(&orders);
        assert_eq!(lines["meta"]["total"], 2);
        assert_eq!((&lines["data"][0]["refunded"], &lines["data"][1]["status"]), (&json!(700), &json!("failed")));
    }
}
