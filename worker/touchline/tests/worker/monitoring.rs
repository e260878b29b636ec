//! Alert rules and dashboard in the documentation use existing metrics and labels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::{Worker, client, eventually, folder};

fn metric_names(text: &str) -> BTreeSet<String> {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_name_char(c)).filter(|it| it.starts_with("touchline_")).map(str::to_owned).collect()
}

/// Metric names in the sources.
fn declared() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.components().any(|part| part.as_os_str() == "src")
                && path.extension().is_some_and(|it| it == "rs")
            {
                let source = std::fs::read_to_string(&path).unwrap();
                names.extend(source.split('"').skip(1).step_by(2).flat_map(metric_names));
            }
        }
    }
    names
}

#[tokio::test]
async fn alerts_and_dashboard_use_existing_metrics_and_labels() {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy");
    let alerts = std::fs::read_to_string(documents.join("alerts.yml")).unwrap();
    let dashboard: Value =
        serde_json::from_str(&std::fs::read_to_string(documents.join("dashboard.json")).unwrap()).unwrap();
    let mut expressions: Vec<String> =
        alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned).collect();
    assert_eq!(expressions.len(), alerts.matches("- alert: ").count());
    for panel in dashboard["panels"].as_array().unwrap() {
        let targets = panel["targets"].as_array().unwrap();
        expressions.extend(targets.iter().map(|target| target["expr"].as_str().unwrap().to_owned()));
    }

    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let _key = worker.key().await;
    let metrics_text =
        client().get(format!("http://{}/metrics", worker.admin)).send().await.unwrap().text().await.unwrap();
    let mut samples: BTreeMap<String, String> = BTreeMap::new();
    for line in metrics_text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap().to_owned();
        samples.entry(name).or_default().push_str(line);
    }
    let declared = declared();
    for expression in &expressions {
        for name in metric_names(expression) {
            let base = name.trim_end_matches("_bucket");
            assert!(samples.contains_key(&name) || declared.contains(base), "{name} of {expression}");
        }
        // Labels in a `by` clause must exist on the metric.
        let Some(labels) = expression.split(" by (").nth(1).and_then(|rest| rest.split(')').next()) else { continue };
        for name in metric_names(expression) {
            let Some(sample) = samples.get(&name) else { continue };
            for label in labels.split(',').map(str::trim).filter(|label| *label != "instance") {
                assert!(sample.contains(&format!("{label}=\"")), "{label} of {name} in {expression}");
            }
        }
    }
    assert!(expressions.len() > 20, "{}", expressions.len());
}

/// Shows ANA-12.
#[tokio::test]
async fn failures_of_a_compaction_have_a_gauge_and_an_alert() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let gauge = "touchline_datalake_compaction_failures";
    let measured = async || {
        let metrics = client().get(format!("http://{}/metrics", worker.admin)).send().await.unwrap();
        let metrics = metrics.text().await.unwrap();
        metrics.lines().find_map(|line| line.strip_prefix(&format!("{gauge} ")).map(str::to_owned))
    };
    assert_eq!(eventually(gauge, measured).await, "0");
    let alerts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy/alerts.yml");
    assert!(std::fs::read_to_string(alerts).unwrap().contains(&format!("expr: {gauge} > 0\n")));
}

/// Shows OPS-16.
#[tokio::test]
async fn growing_folders_are_measured_and_warned_about_over_the_limit() {
    let (_folder, data) = folder();
    let folders = ["clips", "recordings", "reports", "mail", "lake"];
    for (bytes, name) in (1_000..).zip(folders) {
        let deep = data.join(name).join("of-last-year");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), vec![0; bytes]).unwrap();
    }
    // Emails and the lake exceed it.
    let worker = Worker::start(&data, &["--disk-warn-bytes", "1002"]);
    let measured = async |name: &str| {
        let metrics = client().get(format!("http://{}/metrics", worker.admin)).send().await.unwrap();
        let metrics = metrics.text().await.unwrap();
        let gauge = format!("touchline_folder_bytes{{folder=\"{name}\"}} ");
        metrics.lines().find_map(|line| line.strip_prefix(&gauge)?.parse::<usize>().ok())
    };
    for (bytes, name) in (1_000..).zip(folders) {
        let metrics_text = eventually(name, async || measured(name).await).await;
        // The lake may already have new rows.
        assert!(metrics_text == bytes || name == "lake" && metrics_text > bytes, "{name}: {metrics_text}");
    }
    let log = worker.log();
    for (bytes, name) in (1_000..).zip(folders) {
        let warning = |line: &&str| line.contains("larger than disk.warn_bytes") && line.contains(&format!("{name:?}"));
        assert_eq!(log.lines().filter(warning).count(), usize::from(bytes > 1_002), "{name}: {log}");
    }
}
