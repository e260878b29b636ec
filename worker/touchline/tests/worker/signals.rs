//! SIGHUP and SIGTERM on a running worker (`OPS-14`).

use std::path::Path;
use std::process::Command;

use tokio::time::Instant;

use crate::support::{Worker, eventually, folder};

fn signal(worker: &Worker, name: &str) {
    assert!(Command::new("kill").args([name, &worker.pid().to_string()]).status().unwrap().success());
}

fn tls(name: &str) -> String {
    format!("{}/tests/worker/tls/{name}.pem", env!("CARGO_MANIFEST_DIR"))
}

/// Whether a new connection gets this certificate.
async fn shows(worker: &Worker, certificate: &str) -> Option<()> {
    let trusted = reqwest::Certificate::from_pem(&std::fs::read(tls(certificate)).unwrap()).unwrap();
    let http = reqwest::Client::builder().tls_certs_only([trusted]).no_proxy().build().unwrap();
    http.get(format!("https://{}/healthz", worker.address)).send().await.ok().map(drop)
}

/// Shows OPS-14a.
#[tokio::test]
async fn after_sigterm_a_worker_is_not_ready_but_answers_until_it_exits() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--drain-s", "2"]);
    assert_eq!(worker.get("/readyz").await.status(), 200);
    signal(&worker, "-TERM");
    let started = Instant::now();
    eventually("it is not ready", async || (worker.get("/readyz").await.status() == 503).then_some(())).await;
    worker.key().await;
    assert_eq!(worker.get("/healthz").await.status(), 200);
    let (status, log) = worker.ended();
    assert!(status.success(), "{log}");
    assert!(started.elapsed().as_secs_f32() >= 1.9, "it ended immediately");
}

/// Shows OPS-14a.
#[tokio::test]
async fn a_second_sigterm_or_sigint_skips_the_wait() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--drain-s", "600"]);
    signal(&worker, "-TERM");
    eventually("it is not ready", async || (worker.get("/readyz").await.status() == 503).then_some(())).await;
    assert!(worker.end().0.success());
    let worker = Worker::start(&data, &["--drain-s", "600"]);
    signal(&worker, "-INT");
    let (status, log) = worker.ended();
    assert!(status.success(), "{log}");
}

/// Shows OPS-14b.
#[tokio::test]
async fn sighup_reloads_certificate_and_channels_and_certificate_changes_are_noticed() {
    let (folder, data) = folder();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    let install = |certificate: &str, of_key: &str| {
        std::fs::copy(tls(certificate), &cert).unwrap();
        std::fs::copy(tls(of_key), &key).unwrap();
    };
    install("cert", "key");
    let channels = folder.path().join("channels");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/channels");
    assert!(Command::new("cp").args(["-r", fixtures]).arg(&channels).status().unwrap().success());
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let line = ["--tls-cert", &path(&cert), "--tls-key", &path(&key), "--channels", &path(&channels)];
    let worker = Worker::start(&data, &line);
    shows(&worker, "cert").await.unwrap();

    // An invalid file changes nothing, however often it is read.
    std::fs::write(&cert, "no certificate").unwrap();
    signal(&worker, "-HUP");
    eventually("the fault is logged", async || worker.log().contains("the current one stays in use").then_some(()))
        .await;
    shows(&worker, "cert").await.unwrap();

    install("other-cert", "other-key");
    signal(&worker, "-HUP");
    eventually("the new certificate is served", async || shows(&worker, "other-cert").await).await;
    assert!(shows(&worker, "cert").await.is_none());

    install("cert", "key");
    eventually("the changed file is noticed", async || shows(&worker, "cert").await).await;

    std::fs::remove_dir_all(channels.join("laurentides")).unwrap();
    signal(&worker, "-HUP");
    eventually("the channels are loaded", async || worker.log().contains("channels were reloaded").then_some(())).await;
    assert!(worker.end().0.success());
}

#[tokio::test]
async fn hsts_covers_subdomains_if_configured() {
    for (more, says) in
        [(&[][..], "max-age=31536000"), (&["--tls-hsts-subdomains"], "max-age=31536000; includeSubDomains")]
    {
        let (_folder, data) = folder();
        let line = [&["--trusted-proxies", "127.0.0.0/8"][..], more].concat();
        let worker = Worker::start(&data, &line);
        let request = worker.http.get(worker.url("/healthz")).header("x-forwarded-proto", "https");
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["strict-transport-security"], says);
    }
}
