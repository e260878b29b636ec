//! `touchline check --origin` (`UP-10`).

use serde_json::json;

use crate::support::{Worker, folder, run, text};
use crate::upstream_plain::Plain;

/// A feature's lines in the table.
fn feature_lines<'a>(output: &'a str, feature: &str) -> &'a str {
    let start = output.find(&format!("\n{feature} ")).unwrap_or_else(|| panic!("{feature}: {output}")) + 1;
    let end = output[start..].match_indices('\n').find(|(at, _)| !output[start + at + 1..].starts_with(' '));
    &output[start..end.map_or(output.len(), |(at, _)| start + at)]
}

/// A feature's verdict.
fn verdict<'a>(output: &'a str, feature: &str) -> &'a str {
    let verdicts = ["works", "exists", "unknown", "fails"];
    let rest = feature_lines(output, feature)[feature.len()..].trim_start();
    verdicts.into_iter().find(|word| rest.starts_with(word)).unwrap_or_else(|| panic!("{feature}: {rest}"))
}

/// Shows UP-10.
#[tokio::test]
async fn check_reports_which_features_work_with_an_api() {
    let (folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 1_000).await;
    let checked = run(folder.path(), &["check", "--origin", &plain.origin]);
    let output = text(&checked.stdout);
    assert!(checked.status.success(), "{output}{}", text(&checked.stderr));
    let downloads = feature_lines(&output, "downloads");
    assert_eq!(verdict(&output, "downloads"), "fails");
    assert!(downloads.contains("GET download-event/{id}: 404"), "{downloads}");
    assert!(output.contains("POST stripe/buy: ignores Idempotency-Key"), "{output}");
    assert!(feature_lines(&output, "beyond the specification").contains("auth/session_code"), "{output}");
    let nobody = run(folder.path(), &["check", "--origin", "http://127.0.0.1:1"]);
    assert!(!nobody.status.success());
    assert!(text(&nobody.stderr).contains("cannot be reached"));
}

/// Shows UP-10: untested calls are not reported as working, and missing ones are reported as missing.
#[tokio::test]
async fn check_only_reports_tested_features_as_working() {
    let (folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 1_000).await;
    let output = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    for lacking in ["custom forms", "social login", "clips"] {
        assert_eq!(verdict(&output, lacking), "fails", "{}", feature_lines(&output, lacking));
    }
    assert!(feature_lines(&output, "social login").contains("POST v2/auth/social/{provider}: 404"), "{output}");
    assert!(feature_lines(&output, "custom forms").contains("POST custom-forms/{alias}"), "{output}");
    assert!(feature_lines(&output, "clips").contains("GET clip/download/{id}: 404"), "{output}");
    for acts in ["purchases", "login", "registration", "trials", "favourites"] {
        assert_eq!(verdict(&output, acts), "exists", "{}", feature_lines(&output, acts));
    }
    assert!(feature_lines(&output, "purchases").contains("POST stripe/buy: not tried, it has effects"), "{output}");
    assert!(feature_lines(&output, "purchases").contains("GET orders/{id}: not tried"), "{output}");
    for tried in ["packages", "watch page", "video library", "content pages", "home"] {
        assert_eq!(verdict(&output, tried), "works", "{}", feature_lines(&output, tried));
    }
    let counts = plain.counts().await;
    assert_eq!((&counts["orders"], &counts["charges"]), (&json!(0), &json!([])), "nothing was done");

    // A call that fails for an id from its own list.
    plain.fail(json!([{ "mode": "404", "only": "GET packages/{id}" }])).await;
    let output = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert_eq!(verdict(&output, "packages"), "fails", "{}", feature_lines(&output, "packages"));
    assert!(feature_lines(&output, "packages").contains("which is in its list"), "{output}");

    // Settings without social sign-in providers.
    let auth = json!({ "auth": { "remote_auth": 1, "providers": [] } });
    plain.fail(json!([{ "mode": "fields", "only": "GET settings", "fields": auth }])).await;
    let output = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert!(feature_lines(&output, "social login").contains("GET settings: auth.providers is empty"), "{output}");

    // An API that answers everything: calls with effects remain unknown.
    plain.fail(json!([{ "mode": "anything" }])).await;
    let output = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert_eq!(verdict(&output, "registration"), "unknown", "{}", feature_lines(&output, "registration"));
}

/// Shows UP-10.
#[tokio::test]
async fn check_of_another_touchline_finds_every_call() {
    let ((_a, back), (folder, _)) = (folder(), folder());
    let back = Worker::start(&back, &[]);
    let output = text(&run(folder.path(), &["check", "--origin", &format!("http://{}", back.address)]).stdout);
    // It serves one channel per host, and rejects the other channel's key.
    let (other, output) = output.split_once("channel northfield").unwrap();
    assert_eq!(verdict(other, "start-up"), "fails", "{other}");
    assert!(other.contains("GET settings: 400 for a signed-out viewer"), "{other}");
    assert!(!output.contains("fails") && !output.contains("unknown"), "{output}");
    for (feature, word) in [("purchases", "exists"), ("social login", "exists"), ("packages", "works")] {
        assert_eq!(verdict(output, feature), word, "{}", feature_lines(output, feature));
    }
    assert_eq!(
        verdict(output, "custom forms"),
        "exists",
        "the check does not submit the form, which would change state"
    );
}
