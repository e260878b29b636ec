//! Operators look up and change payments without SQL, and their actions are logged (`USER-6`, `USER-7`, `PAY-13`).

use std::path::Path;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, done, folder, fresh, refused, run, text};

/// A verb's answer as JSON.
pub(crate) fn json_output(data: &Path, line: &[&str]) -> Value {
    let output = done(data, &[line, &["--json"]].concat());
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{line:?}: {error}: {output}"))
}

/// Shows USER-6b.
#[tokio::test]
async fn a_buyer_is_found_by_name_email_card_and_day() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let (ann, bo) = (format!("{}@viewers.example", fresh("ann_lee")), format!("{}@viewers.example", fresh("bo")));
    let key = worker.register_as(&ann).await;
    worker.register_as(&bo).await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let order = answer["data"]["id"].clone();
    let today = &worker.settled(&key, &order).await["created_at"].as_str().unwrap()[..10].to_owned();

    let ids = |line: &[&str]| -> Vec<i64> {
        let found = json_output(&data, &[&["user", "find"], line].concat());
        found.as_array().unwrap().iter().map(|person| person["id"].as_i64().unwrap()).collect()
    };
    let id = worker.user_of(&key).await.unwrap();
    assert_eq!(ids(&["ANN_LEE"]), [id], "part of the address, in any case");
    assert_eq!(ids(&["nn%le"]), [0; 0], "pattern characters matched");
    assert_eq!(ids(&["vi ewer", "--channel", "northfield"]).len(), 2, "by name");
    assert_eq!(ids(&["--day", today, "--channel", "northfield"]), [id], "users who paid on that day");
    assert_eq!(ids(&["--last4", "4242"]), [id]);
    assert_eq!(ids(&["--last4", "0002"]), [0; 0]);
    assert_eq!(ids(&["--day", "2020-01-01"]), [0; 0]);
    assert!(refused(&data, &["user", "find", "--day", "today"]).contains("not a day such as"));

    let details = json_output(&data, &["user", "show", &id.to_string()]);
    assert_eq!((&details["email"], &details["orders"][0]["order"]["total"]), (&json!(ann), &json!(9550)));
    let events: Vec<_> =
        details["orders"][0]["events"].as_array().unwrap().iter().map(|event| &event["what"]).collect();
    assert_eq!(events, ["created", "paid"]);
    let output = done(&data, &["user", "show", "--channel", "northfield", "--email", &ann]);
    assert!(output.contains(&ann) && output.contains("total    95.50 USD") && output.contains("  paid\n"), "{output}");

    let listed = json_output(&data, &["order", "list", "--user", &id.to_string(), "--status", "paid"]);
    assert_eq!(listed[0]["order"]["id"], order);
    assert_eq!(json_output(&data, &["order", "list", "--product", "package:2"]), json!([]));
    let table = done(&data, &["order", "list", "--day", today]);
    assert!(table.starts_with("order  placed") && table.contains("95.50 USD  paid, active"), "{table}");
    let details = done(&data, &["order", "show", &order.to_string()]);
    assert!(details.contains(&format!("viewer   user {id} of northfield")), "{details}");
    assert!(refused(&data, &["order", "show", "999999"]).contains("There is no order 999999."));
    assert_eq!(done(&data, &["order", "list", "--product", "package:2"]), "no matching orders\n");
    assert_eq!(done(&data, &["sales", "--day", "2020-01-01"]), "no sales or refunds\n");
    for mistyped in [["order", "list"], ["user", "find"], ["sales", "--json"]] {
        let output = refused(&data, &[&mistyped[..], &["--channel", "nowhere"]].concat());
        assert!(output.contains("There is no channel nowhere."), "{output}");
    }
    assert!(!worker.log().contains(&ann), "the log contains an address");
}

/// Shows USER-6a, USER-7a, USER-7b.
#[tokio::test]
async fn each_action_of_an_operator_is_in_the_audit_log_with_its_outcome() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let email = format!("{}@viewers.example", fresh("audited"));
    let key = worker.register_as(&email).await;
    let id = worker.user_of(&key).await.unwrap();
    let grant = ["order", "grant", "--channel", "northfield", "--type", "package", "--id", "3", "--email", &email];
    let order = json_output(&data, &grant)["id"].clone();
    done(&data, &["order", "refund", &order.to_string()]);
    refused(&data, &["order", "refund", &order.to_string()]);
    done(&data, &["user", "set", &id.to_string(), "--temporary-password"]);
    done(&data, &["user", "show", &id.to_string()]);
    done(&data, &["user", "erase", &id.to_string()]);

    let log = json_output(&data, &["audit-log"]);
    let lines: Vec<_> = log.as_array().unwrap().iter().rev().collect();
    let fields = |line: &Value| ["act", "subject", "outcome"].map(|field| line[field].as_str().unwrap().to_owned());
    let (person, of_order) = (format!("user {id}"), format!("order {order}"));
    assert_eq!(
        lines.iter().map(|line| fields(line)).collect::<Vec<_>>(),
        [
            ["order grant", &person, "done"],
            ["order refund", &of_order, "done"],
            ["order refund", &of_order, "failed"],
            ["user set", &person, "done"],
            ["user show", &person, "done"],
            ["user erase", &person, "done"],
        ]
    );
    let whoami = std::process::Command::new("id").arg("-un").output().unwrap();
    let name = text(&whoami.stdout).trim().to_owned();
    assert!(lines.iter().all(|line| line["operator"].as_str().unwrap().ends_with(&name)), "{log}");
    assert_eq!(lines[0]["detail"]["id"], 3);
    assert!(!log.to_string().contains(&email), "users are logged by id, so that erasure leaves no name");
    assert_eq!(json_output(&data, &["audit-log", "--subject", &of_order, "--limit", "1"])[0]["outcome"], "failed");
    let table = done(&data, &["audit-log"]);
    assert!(table.starts_with("when") && table.contains("user erase"), "{table}");
    worker.kill();
    let worker = Worker::start(&data, &[]);
    assert_eq!(json_output(&data, &["audit-log"]), log);
    drop(worker);
}

/// A verb with the key of a channel acts on that channel's records only. Shows USER-6, OPS-54f.
#[tokio::test]
async fn a_verb_with_a_channel_refuses_records_of_others() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let id = worker.user_of(&key).await.unwrap().to_string();
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    worker.settled(&key, &answer["data"]["id"]).await;
    let order = answer["data"]["id"].to_string();
    let report = json!({ "note": "", "page": "/", "log": "", "request_ids": [] });
    let report = worker.data(Method::POST, "problem-report", &report).await["id"].as_str().unwrap().to_owned();

    let (user, of_order) = (format!("user {id}"), format!("order {order}"));
    for (line, record) in [
        (vec!["order", "show", &order], of_order.clone()),
        (vec!["order", "refund", &order], of_order.clone()),
        (vec!["subscription", "cancel", &order], of_order.clone()),
        (vec!["user", "show", &id], user.clone()),
        (vec!["user", "block", &id], user.clone()),
        (vec!["user", "set", &id, "--verified"], user.clone()),
        (vec!["user", "erase", &id], user.clone()),
        (vec!["clip", "hide", "1"], "clip 1".to_owned()),
        (vec!["reports", &report], format!("report {report}")),
    ] {
        let output = refused(&data, &[&line[..], &["--channel", "laurentides"]].concat());
        assert!(output.contains(&format!("There is no {record} of channel laurentides.")), "{line:?}: {output}");
    }
    let with = |line: &[&str], channel: &str| json_output(&data, &[line, &["--channel", channel]].concat());
    assert_eq!(with(&["order", "show", &order], "northfield")["order"]["status"], "paid");
    assert_eq!(with(&["user", "show", &id], "northfield")["blocked"], false);
    assert_eq!(with(&["reports"], "northfield")[0]["channel"], "northfield");
    assert_eq!(with(&["reports"], "laurentides"), json!([]));
    let acts = |channel: &str| -> Vec<Value> {
        with(&["audit-log"], channel).as_array().unwrap().iter().map(|entry| entry["act"].clone()).collect()
    };
    assert_eq!(acts("northfield"), ["user show"]);
    // Refused actions are recorded for the channel in which the record was looked for.
    assert_eq!(acts("laurentides"), ["clip hide", "subscription cancel", "order refund"]);
}

/// A refund in cash or by bank transfer appears in the books, the lake, the viewer's transactions and the audit log,
/// and is not paid out to a card as well. Shows ORDER-2d, USER-7.
#[tokio::test]
async fn a_refund_outside_the_card_is_recorded_and_the_books_agree() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let order = answer["data"]["id"].clone();
    worker.settled(&key, &order).await;
    let id = order.to_string();
    let refund = |more: &[&'static str]| [&["order", "refund", id.as_str()], more].concat();
    let output = done(&data, &refund(&["--amount", "1000", "--outside", "in cash"]));
    assert!(output.contains("is refunded in part: 10.00 USD"), "{output}");
    assert!(
        refused(&data, &refund(&["--amount", "9000", "--outside", "in cash"]))
            .contains("less than this amount can still be refunded")
    );
    assert_eq!(run(&data, &refund(&["--outside", ""])).status.code(), Some(2), "the method is required");
    let details = done(&data, &["order", "show", &id]);
    assert!(details.contains("refund 10.00 USD, succeeded, not to the card"), "{details}");
    done(&data, &refund(&[]));
    let lines = worker.data(Method::GET, &format!("transactions?api_key={key}"), &Value::Null).await;
    let fields = |line: &Value| (line["amount"].clone(), line["card_last4"].clone(), line["receipt"].is_string());
    assert_eq!(
        lines.as_array().unwrap().iter().map(fields).collect::<Vec<_>>(),
        [(json!(-8550), json!("4242"), true), (json!(-1000), Value::Null, true), (json!(9550), json!("4242"), true)]
    );
    let log = json_output(&data, &["audit-log", "--subject", &format!("order {order}")]);
    assert_eq!(log[2]["detail"], json!({ "amount": 1000, "outside": "in cash" }));
    let sales = json_output(&data, &["sales"]);
    let refunds: i64 = sales.as_array().unwrap().iter().map(|row| row["refunds"].as_i64().unwrap()).sum();
    assert_eq!(refunds, 9550, "{sales}");
    worker.kill();
    let later = ["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1", "--clock-offset", "600"];
    let _worker = Worker::start(&data, &later);
    let output = done(&data, &["audit"]);
    assert!(output.contains("agree"), "{output}");
}

#[tokio::test]
async fn an_operator_turns_off_auto_renew() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let body = json!({ "api_key": key, "type": "subscription", "id": 1, "payment_method_id": card });
    let order = worker.data(Method::POST, "stripe/buy", &body).await["id"].clone();
    worker.settled(&key, &order).await;
    let output = done(&data, &["subscription", "cancel", &order.to_string()]);
    assert!(output.contains("is off; it runs until 20"), "{output}");
    let now = worker.order(&key, &order).await;
    assert_eq!((&now["subscription"]["auto_renew"], &now["activity_status"]), (&json!("cancelled"), &json!("active")));
    assert!(refused(&data, &["subscription", "cancel", "999999"]).contains("There is no order 999999."));
}

/// A code for ten orders works for exactly ten of many simultaneous buyers.
/// Shows PAY-13a, PAY-13b, PAY-13d.
#[tokio::test]
async fn promo_codes_from_folder_and_operator_behave_the_same() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let promo = |line: &[&'static str]| [&["promo"], line, &["--channel", "northfield"]].concat();
    done(&data, &promo(&["add", "FEW", "--percent", "50", "--max-uses", "10", "--product", "package:1"]));
    done(&data, &promo(&["add", "PAST", "--amount", "300", "--until", "2020-01-01"]));
    done(&data, &promo(&["add", "SOON", "--amount", "300", "--from", "2090-01-01"]));
    let twice = refused(&data, &promo(&["add", "few", "--percent", "5"]));
    assert!(twice.contains("The code few already exists."), "{twice}");
    assert!(refused(&data, &promo(&["add", "kickoff20", "--percent", "5"])).contains("already exists"));
    assert!(
        refused(&data, &promo(&["add", "X", "--percent", "5", "--product", "package:999"])).contains("product 999")
    );
    assert_eq!(run(&data, &promo(&["add", "X"])).status.code(), Some(2), "the code gives no discount");

    let key = worker.register().await;
    let apply = async |code: &str, product: u8| {
        let query = format!("apply_coupon?promo_code={code}&type=package&id={product}&api_key={key}");
        worker.call(Method::GET, &query, &Value::Null).await
    };
    let (status, fields) = apply("few", 1).await;
    assert_eq!((status, &fields["data"]["discount"]), (StatusCode::OK, &json!(4450)), "{fields}");
    for (code, product) in [("FEW", 3), ("PAST", 1), ("SOON", 1)] {
        assert_eq!(apply(code, product).await.0, StatusCode::BAD_REQUEST, "{code}");
    }

    let takers = join_all((0..25).map(async |_| {
        let key = worker.register().await;
        let card = worker.card(&key, "4242424242424242").await;
        let body =
            json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card, "promo_code": "FEW" });
        worker.call(Method::POST, "stripe/buy", &body).await
    }))
    .await;
    let successes = takers.iter().filter(|(status, _)| *status == StatusCode::OK).count();
    assert_eq!(successes, 10, "{takers:?}");
    let refusals = takers.iter().filter(|(_, fields)| fields["errors"]["promo_code"][0] == "Wrong promo code.").count();
    assert_eq!(refusals, 15, "{takers:?}");
    assert_eq!(apply("FEW", 1).await.0, StatusCode::BAD_REQUEST, "used up");

    done(&data, &promo(&["end", "KICKOFF20"]));
    assert_eq!(
        apply("KICKOFF20", 1).await.0,
        StatusCode::BAD_REQUEST,
        "a code from the channel folder can be ended too"
    );
    let listed = json_output(&data, &promo(&["list"]));
    let row = |code: &str| listed.as_array().unwrap().iter().find(|row| row["code"] == code).unwrap().clone();
    assert_eq!(
        (&row("FEW")["uses"], &row("FEW")["is_open"], &row("FEW")["from"]),
        (&json!(10), &json!(false), &json!("operator"))
    );
    assert_eq!(row("KICKOFF20")["is_open"], false);
    let table = done(&data, &promo(&["list"]));
    assert!(table.contains("FEW") && table.contains("10 of 10") && table.contains("package:1"), "{table}");
}
