//! Startup, and errors that prevent it: one line with the reason, and exit status 2 (`OPS-2`).

use std::net::TcpListener;
use std::path::Path;

use serde_json::json;

use crate::restores::sale;
use crate::support::{Worker, eventually, folder, fresh, run, text, touchline};

/// Asserts that the worker exits with status 2 before it listens, and returns its one line.
fn refusal(folder: &Path, line: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = touchline(folder);
    // Not the default port, which may be in use by a demo.
    command.env("TOUCHLINE_LISTEN", "127.0.0.1:0");
    command.args(line).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{line:?}: {stderr}");
    assert_eq!(stdout, "", "it listened: {line:?}");
    assert_eq!(stderr.lines().count(), 1, "{line:?}: {stderr}");
    assert!(stderr.starts_with("touchline: "), "{stderr}");
    stderr
}

/// Shows OPS-2.
#[test]
fn an_invalid_flag_variable_or_file_value_is_reported() {
    let (folder, _) = folder();
    let folder = folder.path();
    let serve = |more: &'static [&'static str]| [&["serve"], more].concat();
    assert!(refusal(folder, &serve(&["--listne", "x"]), &[]).contains("--listne"));
    assert!(refusal(folder, &serve(&["--listen", "banana"]), &[]).contains("--listen: \"banana\""));
    assert!(refusal(folder, &serve(&["--listen"]), &[]).contains("--listen"));
    assert!(refusal(folder, &serve(&["somewhere"]), &[]).contains("somewhere"));
    assert!(refusal(folder, &["dance"], &[]).contains("dance"));
    assert!(refusal(folder, &[], &[]).contains("subcommand"));
    let output = refusal(folder, &serve(&[]), &[("TOUCHLINE_LISTEN", "banana")]);
    assert!(output.contains("TOUCHLINE_LISTEN: \"banana\""), "{output}");
    let output = refusal(folder, &serve(&["--origin", "api.example"]), &[]);
    assert!(output.contains("--origin: \"api.example\""), "{output}");

    std::fs::write(folder.join("touchline.toml"), "[limits]\nconnections = \"many\"\n").unwrap();
    let output = refusal(folder, &serve(&[]), &[]);
    assert!(output.contains("touchline.toml: limits.connections: \"many\""), "{output}");
    std::fs::write(folder.join("other.toml"), "colour = 1\n").unwrap();
    assert!(refusal(folder, &serve(&["--config", "other.toml"]), &[]).contains("other.toml: colour"));
    assert!(refusal(folder, &serve(&["--config", "missing.toml"]), &[]).contains("missing.toml"));
}

/// Shows OPS-2.
#[test]
fn a_port_in_use_is_reported() {
    let (folder, data) = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let data = data.to_str().unwrap();
    let output = refusal(folder.path(), &["serve", "--listen", &address, "--data", data], &[]);
    assert!(output.contains("listen") && output.contains(&address) && output.contains("in use"), "{output}");
    let line = ["serve", "--listen", "127.0.0.1:0", "--admin-listen", &address, "--data", data];
    let output = refusal(folder.path(), &line, &[]);
    assert!(output.contains("admin_listen") && output.contains(&address), "{output}");
}

#[test]
fn an_invalid_data_folder_is_reported() {
    let (folder, data) = folder();
    std::fs::write(&data, "a file").unwrap();
    let data = data.to_str().unwrap();
    assert!(refusal(folder.path(), &["serve", "--data", data], &[]).contains(data));
    let within = format!("{data}/below");
    assert!(refusal(folder.path(), &["serve", "--data", &within], &[]).contains(&within));
}

/// Shows OPS-2.
#[test]
fn a_data_folder_in_use_is_reported_and_untouched() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let line = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let output = refusal(folder.path(), &line, &[]);
    assert!(output.contains(data.to_str().unwrap()) && output.contains("in use by another worker"), "{output}");
    let address_text = std::fs::read_to_string(data.join("admin.addr")).unwrap();
    assert_eq!(address_text.trim(), worker.admin, "the address of the running worker was overwritten");
}

/// Shows OPS-3.
#[test]
fn a_damaged_store_is_reported_with_the_remedy_and_untouched() {
    let (folder, data) = folder();
    Worker::start(&data, &[]).end();
    let store = data.join("channel.sqlite");
    let mut damaged = std::fs::read(&store).unwrap();
    damaged.truncate(damaged.len() / 2);
    damaged[..64].fill(0);
    std::fs::write(&store, &damaged).unwrap();
    let line = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let output = refusal(folder.path(), &line, &[]);
    assert!(output.contains(store.to_str().unwrap()) && output.contains("touchline restore"), "{output}");
    assert_eq!(std::fs::read(&store).unwrap(), damaged, "it was written to");
}

/// Shows OPS-2, SET-1c, SET-1d, OPS-54d.
#[test]
fn an_invalid_channel_folder_is_reported_and_check_lists_every_fault() {
    let (folder, data) = folder();
    let channels = folder.path().join("channels");
    let output = refusal(folder.path(), &["serve", "--channels", "channels", "--data", data.to_str().unwrap()], &[]);
    assert!(output.contains("channels"), "{output}");

    std::fs::create_dir_all(channels.join("broken")).unwrap();
    std::fs::write(channels.join("broken/channel.json"), r#"{ "key": "other", "colour": "red" }"#).unwrap();
    let output = refusal(folder.path(), &["serve", "--channels", "channels", "--data", data.to_str().unwrap()], &[]);
    assert!(output.contains("broken/"), "{output}");

    let unread = channels.join("broken/storage/settings");
    std::fs::create_dir_all(&unread).unwrap();
    std::fs::write(unread.join("theme.json"), "{}").unwrap();
    let checked = run(folder.path(), &["check", "--channels", "channels"]);
    let faults = text(&checked.stderr);
    assert_eq!(checked.status.code(), Some(2), "{faults}");
    assert!(faults.contains("broken/channel.json: key") && faults.contains("colour"), "{faults}");
    assert!(faults.contains("broken/settings.json"), "a missing file is not reported: {faults}");
    assert!(faults.contains("broken/storage/settings/theme.json: is an unused settings file"), "{faults}");
    let settings = r#"{ "name": "Broken", "colour": "red" }"#;
    std::fs::write(channels.join("broken/settings.json"), settings).unwrap();
    std::fs::write(unread.join("player.json"), r#"{ "start_level": 1.5, "low_latency": "yes" }"#).unwrap();
    let faults = text(&run(folder.path(), &["check", "--channels", "channels"]).stderr);
    for fault in ["settings.json: colour", "player.json: start_level", "player.json: low_latency"] {
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
}

#[test]
fn the_demo_channels_pass_the_check() {
    let (folder, _) = folder();
    let checked = run(folder.path(), &["check"]);
    assert_eq!((checked.status.code(), text(&checked.stderr).as_str()), (Some(0), ""));
    let output = text(&checked.stdout);
    assert!(output.contains("northfield") && output.contains("laurentides"), "{output}");
}

#[test]
fn help_and_version_succeed() {
    let (folder, _) = folder();
    let help = run(folder.path(), &["serve", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("--analytics-allow-localhost"));
    assert!(text(&run(folder.path(), &["--version"]).stdout).starts_with("touchline "));
}

/// `OPS-1`.
#[tokio::test]
async fn the_worker_starts_in_any_folder_and_prints_its_port() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    assert!(!worker.address.ends_with(":0") && !worker.admin.ends_with(":0"));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(worker.get(path).await.status(), 200, "{path}");
    }
}

#[test]
fn an_invalid_certificate_is_reported() {
    let (folder, data) = folder();
    std::fs::write(folder.path().join("cert.pem"), "nothing").unwrap();
    let line = ["serve", "--data", data.to_str().unwrap(), "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let output = refusal(folder.path(), &line, &[]);
    assert!(output.contains("tls.cert: cert.pem"), "{output}");
}

/// `OPS-8`.
#[test]
fn the_demo_is_only_served_to_this_machine() {
    let (folder, data) = folder();
    let line = ["serve", "--listen", "0.0.0.0:0", "--data", data.to_str().unwrap()];
    let output = refusal(folder.path(), &line, &[]);
    assert!(output.contains("listen 0.0.0.0:0") && output.contains("public"), "{output}");
    assert!(!data.exists(), "nothing was begun");
}

/// `OPS-9`.
#[test]
fn a_mail_password_without_tls_is_refused_and_not_repeated() {
    let (folder, _) = folder();
    let output = refusal(folder.path(), &["serve", "--mail", "smtp://ada:hunter2@mail.example:587"], &[]);
    assert!(output.contains("--mail") && output.contains("smtps://") && !output.contains("hunter2"), "{output}");
}

/// `OPS-9`.
#[tokio::test]
async fn the_log_starts_with_the_configuration_and_likely_mistakes() {
    let (_folder, data) = folder();
    let channels = concat!(env!("CARGO_MANIFEST_DIR"), "/../channel/tests/channels");
    let worker = Worker::start(&data, &["--channels", channels, "--geo-country-header", "x-country"]);
    let log =
        eventually("the log is read", async || Some(worker.log()).filter(|log| log.contains("trusted_proxies"))).await;
    let first = log.lines().next().unwrap();
    for part in [env!("CARGO_PKG_VERSION"), "meadow", "channel.sqlite", "lake:", "no-reply@touchline.invalid"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    for word in ["mail_from is not set", "not sent", "trusted_proxies is empty"] {
        assert!(log.contains(word), "{word}: {log}");
    }
    let checked = run(data.parent().unwrap(), &["check", "--channels", channels, "--geo-country-header", "x-country"]);
    let output = text(&checked.stdout);
    assert!(output.contains("meadow is valid") && output.contains("note: mail_from is not set"), "{output}");
}

/// `OPS-8`: only the owner can read the worker's files; a folder with wider permissions is restricted.
#[tokio::test]
async fn a_data_folder_open_to_others_is_restricted() {
    use std::os::unix::fs::PermissionsExt;

    let (_folder, data) = folder();
    std::fs::create_dir_all(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let worker = Worker::start(&data, &[]);
    let _key = worker.key().await;
    let mut folders = vec![data];
    while let Some(folder) = folders.pop() {
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o077, 0, "{}", folder.display());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // A file may be temporary and gone by now.
            let Ok(facts) = std::fs::symlink_metadata(&path) else { continue };
            assert_eq!(facts.permissions().mode() & 0o077, 0, "{}", path.display());
            if facts.is_dir() {
                folders.push(path);
            }
        }
    }
    assert!(worker.log().contains("other users could enter the data folder (mode 755)"), "{}", worker.log());
}

/// Shows OPS-50, OPS-53a.
#[tokio::test]
async fn a_damaged_journal_is_reported_and_the_loss_can_be_accepted() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register_as("first@example.com").await;
    let first = worker.user_of(&key).await.unwrap();
    for n in 0..10 {
        worker.register_as(&format!("later-{n}@example.com")).await;
    }
    worker.kill();
    let journal = data.join("channel.sqlite-wal");
    let mut damaged = std::fs::read(&journal).unwrap();
    // In the first frame, because the last ones may belong to an earlier log.
    damaged[32 + 1000] ^= 1;
    std::fs::write(&journal, &damaged).unwrap();
    let line = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let output = refusal(folder.path(), &line, &[]);
    for named in [
        journal.to_str().unwrap(),
        "last intact commit was at",
        "touchline restore FILE",
        "touchline store accept-loss",
    ] {
        assert!(output.contains(named), "{named}: {output}");
    }
    assert_eq!(std::fs::read(&journal).unwrap(), damaged, "it was written to");
    let copies = std::fs::read_dir(&data).unwrap().flatten();
    assert!(!copies.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("sound-")));
    let migrated = refusal(folder.path(), &["migrate", "--data", data.to_str().unwrap()], &[]);
    assert!(migrated.contains("accept-loss"), "{migrated}");

    let done = run(folder.path(), &["store", "accept-loss", "--data", data.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains(".replaced-"), "{}", text(&done.stdout));
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    assert_eq!(worker.user_of(&key).await, Some(first));
    let (order, receipt) = sale(&worker, &key).await;
    assert!(order > 1_000_000 && receipt.ends_with("-B-000001"), "{order} {receipt}");
    worker.end();
    let again = refusal(folder.path(), &["store", "accept-loss", "--data", data.to_str().unwrap()], &[]);
    assert!(again.contains("lost no commits"), "{again}");
}

/// Shows OPS-51a, OPS-51b.
#[tokio::test]
async fn a_clock_behind_the_records_is_logged_and_far_behind_is_not_ready() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--clock-offset", "7203"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    worker.end();
    let behind = Worker::start(&data, &[]);
    let (status, refused) = behind.buy(&key, &card, &fresh("buy")).await;
    assert_eq!((status.as_u16(), &refused["code"]), (503, &json!("unavailable")));
    let answer = behind.get("/readyz").await;
    assert_eq!(answer.status(), 503);
    assert!(answer.text().await.unwrap().contains("clock is behind"));
    assert!(behind.log().contains("newest_record="), "{}", behind.log());
    assert_eq!(behind.get("/healthz").await.status(), 200);
    behind.end();
    // Below an hour it is only logged.
    let near = Worker::start(&data, &["--clock-offset", "7201"]);
    eventually("ready", async || (near.get("/readyz").await.status() == 200).then_some(())).await;
    near.end();
    let meant = Worker::start(&data, &["--accept-clock"]);
    assert_eq!(meant.get("/readyz").await.status(), 200);
    assert_eq!(meant.buy(&key, &card, &fresh("buy")).await.0, 200);
    meant.end();
}

/// Shows OPS-52a.
#[tokio::test]
async fn a_damaged_analytics_queue_is_set_aside_and_the_worker_starts() {
    let (_folder, data) = folder();
    Worker::start(&data, &[]).end();
    let datalake = data.join("datalake");
    std::fs::write(datalake.join("node"), b"\xff\xfe").unwrap();
    let entries = std::fs::read_dir(&datalake).unwrap().map(|entry| entry.unwrap().path());
    let queue = entries.into_iter().find(|path| path.join("conf").is_file()).expect("a queue's folder");
    std::fs::remove_file(queue.join("conf")).unwrap();
    std::fs::create_dir(queue.join("conf")).unwrap();
    let worker = Worker::start(&data, &[]);
    assert_eq!(worker.get("/readyz").await.status(), 200);
    assert!(worker.log().contains("moved aside"), "{}", worker.log());
    worker.end();
}
