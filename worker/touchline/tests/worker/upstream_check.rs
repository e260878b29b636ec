//! `touchline check --origin` (`UP-10`).

use serde_json::json;

use crate::support::{Worker, folder, run, text};
use crate::upstream_plain::Plain;

/// A feature's lines in the table.
fn part_of<'a>(said: &'a str, feature: &str) -> &'a str {
    let begin = said.find(&format!("\n{feature} ")).unwrap_or_else(|| panic!("{feature}: {said}")) + 1;
    let end = said[begin..].match_indices('\n').find(|(at, _)| !said[begin + at + 1..].starts_with(' '));
    &said[begin..end.map_or(said.len(), |(at, _)| begin + at)]
}

/// A feature's verdict.
fn word_of<'a>(said: &'a str, feature: &str) -> &'a str {
    let words = ["works", "exists", "unknown", "fails"];
    let rest = part_of(said, feature)[feature.len()..].trim_start();
    words.into_iter().find(|word| rest.starts_with(word)).unwrap_or_else(|| panic!("{feature}: {rest}"))
}

/// Shows UP-10.
#[tokio::test]
async fn check_reports_which_features_work_with_an_api() {
    let (folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 1_000).await;
    let output = run(folder.path(), &["check", "--origin", &plain.origin]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    let downloads = part_of(&said, "downloads");
    assert_eq!(word_of(&said, "downloads"), "fails");
    assert!(downloads.contains("GET download-event/{id}: 404"), "{downloads}");
    assert!(said.contains("POST stripe/buy: ignores Idempotency-Key"), "{said}");
    assert!(part_of(&said, "beyond the specification").contains("auth/session_code"), "{said}");
    let nobody = run(folder.path(), &["check", "--origin", "http://127.0.0.1:1"]);
    assert!(!nobody.status.success());
    assert!(text(&nobody.stderr).contains("cannot be reached"));
}

/// Shows UP-10: untested calls are not reported as working, and missing ones are reported as missing.
#[tokio::test]
async fn check_only_reports_tested_features_as_working() {
    let (folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 1_000).await;
    let said = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    for lacking in ["custom forms", "social login", "clips"] {
        assert_eq!(word_of(&said, lacking), "fails", "{}", part_of(&said, lacking));
    }
    assert!(part_of(&said, "social login").contains("POST v2/auth/social/{provider}: 404"), "{said}");
    assert!(part_of(&said, "custom forms").contains("POST custom-forms/{alias}"), "{said}");
    assert!(part_of(&said, "clips").contains("GET clip/download/{id}: 404"), "{said}");
    for acts in ["purchases", "login", "registration", "trials", "favourites"] {
        assert_eq!(word_of(&said, acts), "exists", "{}", part_of(&said, acts));
    }
    assert!(part_of(&said, "purchases").contains("POST stripe/buy: not tried, it has effects"), "{said}");
    assert!(part_of(&said, "purchases").contains("GET orders/{id}: not tried"), "{said}");
    for tried in ["packages", "watch page", "video library", "content pages", "home"] {
        assert_eq!(word_of(&said, tried), "works", "{}", part_of(&said, tried));
    }
    let counts = plain.counts().await;
    assert_eq!((&counts["orders"], &counts["charges"]), (&json!(0), &json!([])), "nothing was done");

    // A call that fails for an id from its own list.
    plain.fail(json!([{ "mode": "404", "only": "GET packages/{id}" }])).await;
    let said = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert_eq!(word_of(&said, "packages"), "fails", "{}", part_of(&said, "packages"));
    assert!(part_of(&said, "packages").contains("which is in its list"), "{said}");

    // Settings without social sign-in providers.
    let auth = json!({ "auth": { "remote_auth": 1, "providers": [] } });
    plain.fail(json!([{ "mode": "fields", "only": "GET settings", "fields": auth }])).await;
    let said = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert!(part_of(&said, "social login").contains("GET settings: auth.providers is empty"), "{said}");

    // An API that answers everything: calls with effects remain unknown.
    plain.fail(json!([{ "mode": "anything" }])).await;
    let said = text(&run(folder.path(), &["check", "--origin", &plain.origin]).stdout);
    assert_eq!(word_of(&said, "registration"), "unknown", "{}", part_of(&said, "registration"));
}

/// Shows UP-10.
#[tokio::test]
async fn check_of_another_touchline_finds_every_call() {
    let ((_a, back), (folder, _)) = (folder(), folder());
    let back = Worker::start(&back, &[]);
    let said = text(&run(folder.path(), &["check", "--origin", &format!("http://{}", back.address)]).stdout);
    // It serves one channel per host, and rejects the other channel's key.
    let (other, said) = said.split_once("channel northfield").unwrap();
    assert_eq!(word_of(other, "start-up"), "fails", "{other}");
    assert!(other.contains("GET settings: 400 for a signed-out viewer"), "{other}");
    assert!(!said.contains("fails") && !said.contains("unknown"), "{said}");
    for (feature, word) in [("purchases", "exists"), ("social login", "exists"), ("packages", "works")] {
        assert_eq!(word_of(said, feature), word, "{}", part_of(said, feature));
    }
    assert_eq!(word_of(said, "custom forms"), "exists", "the form is shown, and sending one would act");
}
