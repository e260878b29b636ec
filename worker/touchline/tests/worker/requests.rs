//! Handling common to all requests: channel, id, rate limits, log.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HOST, IF_NONE_MATCH, LOCATION, RETRY_AFTER, VARY};
use reqwest::{Method, StatusCode, Version};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Worker, eventually, folder, run, text};

async fn of_host(worker: &Worker, host: &str, path: &str) -> (StatusCode, Value) {
    let response = worker.http.get(worker.url(path)).header(HOST, host).send().await.unwrap();
    (response.status(), response.json().await.unwrap())
}

/// `PWA-1`, `FAST-7`, `START-1a`, `NAV-8c`.
#[tokio::test]
async fn the_host_selects_the_channel_and_unknown_hosts_get_the_first_demo() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    for (host, key, language) in [
        ("127.0.0.1:8080", "northfield", "en"),
        ("laurentides.localhost:1234", "laurentides", "fr"),
        ("LAURENTIDES.localhost", "laurentides", "fr"),
        ("elsewhere.example", "northfield", "en"),
    ] {
        let (status, config) = of_host(&worker, host, "/config.json").await;
        assert_eq!(
            (status, &config["channel_key"], &config["language"]),
            (StatusCode::OK, &json!(key), &json!(language))
        );
    }
    let (_, keys) = of_host(&worker, "127.0.0.1", "/keys/laurentides.localhost.json").await;
    assert_eq!(keys, json!({ "channel_key": "laurentides" }));
    let (_, manifest) = of_host(&worker, "laurentides.localhost", "/manifest.webmanifest").await;
    assert_eq!((&manifest["lang"], &manifest["id"]), (&json!("fr"), &json!("/")));
    // The page has its channel's colours, and its policy allows only that style sheet.
    let page = worker.get("/").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    let page = page.text().await.unwrap();
    let [_, style] = page.split("<style>").collect::<Vec<_>>()[..] else { panic!("{page}") };
    let style = style.split("</style>").next().unwrap();
    assert!(style.starts_with(":root:root{color-scheme:dark;--header-background:#"), "{style}");
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    assert!(policy.contains(&format!("style-src 'self' 'sha256-{hash}';")), "{policy}");
    // Everything in the manifest exists, with the given type.
    let (_, manifest) = of_host(&worker, "127.0.0.1", "/manifest.webmanifest").await;
    let list = |name: &str| manifest[name].as_array().unwrap().clone();
    let named = [list("icons"), list("screenshots")].concat();
    assert_eq!((list("icons").len(), list("shortcuts").len(), list("screenshots").len()), (3, 2, 2));
    for picture in &named {
        let answer = worker.get(picture["src"].as_str().unwrap()).await;
        let kind = answer.headers()["content-type"].to_str().unwrap();
        assert_eq!((answer.status(), kind), (StatusCode::OK, picture["type"].as_str().unwrap()), "{picture}");
    }
    let form = |screenshot: &Value| (screenshot["sizes"].clone(), screenshot["form_factor"].clone());
    let forms: Vec<_> = list("screenshots").iter().map(form).collect();
    assert_eq!(forms, [(json!("390x844"), json!("narrow")), (json!("1440x900"), json!("wide"))]);
    for shortcut in list("shortcuts") {
        assert_eq!(worker.get(shortcut["url"].as_str().unwrap()).await.status(), StatusCode::OK, "{shortcut}");
    }

    // A link for another channel redirects to the same page of its site (NAV-8). The client does not follow it.
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    for (host, path, location_expected) in [
        (
            "127.0.0.1:8080",
            "/watch/1?trk=a%20b&channel=laurentides",
            Some("http://laurentides.localhost:8080/watch/1?trk=a%20b&channel=laurentides"),
        ),
        ("laurentides.localhost", "//x?channel=northfield", Some("http://northfield.localhost//x?channel=northfield")),
        ("127.0.0.1:8080", "/watch/1?channel=northfield", None),
        ("127.0.0.1:8080", "/watch/1?channel=nobody", None),
        ("127.0.0.1:8080", "/icons/192.png?channel=laurentides", None),
    ] {
        let answer = client.get(worker.url(path)).header(HOST, host).send().await.unwrap();
        let location = answer.headers().get(LOCATION).map(|location| location.to_str().unwrap());
        assert_eq!(location, location_expected, "{path}");
        let status = if location_expected.is_some() { StatusCode::FOUND } else { StatusCode::OK };
        assert_eq!(answer.status(), status, "{path}");
    }
}

#[tokio::test]
async fn a_key_only_works_for_its_channel_on_its_hosts() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.data(Method::POST, "get_api_key", &json!({ "channel_key": "laurentides" })).await;
    let key = key["api_key"].as_str().unwrap();
    for (host, status) in [("laurentides.localhost", StatusCode::OK), ("127.0.0.1", StatusCode::BAD_REQUEST)] {
        let (read, answer) = of_host(&worker, host, &format!("/api/settings?api_key={key}")).await;
        let post = worker.http.post(worker.url("/api/auth/logout")).header(HOST, "127.0.0.1");
        let posted = post.json(&json!({ "api_key": key })).send().await.unwrap();
        assert_eq!((read, posted.status()), (status, StatusCode::BAD_REQUEST), "{host}: {answer}");
        assert_eq!(answer["errors"]["api_key"].is_array(), status == StatusCode::BAD_REQUEST, "{host}");
    }
}

/// `GEO-2`.
#[tokio::test]
async fn the_geoip_file_gives_the_country_and_an_invalid_one_fails_the_start() {
    let (folder, data) = folder();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");
    let worker = Worker::start(&data, &["--geo-mmdb", file, "--trusted-proxies", "127.0.0.0/8"]);
    let geo = format!("/api/geo?api_key={}", worker.key().await);
    for (address, country) in [("192.0.2.7", "CA"), ("203.0.113.7", "")] {
        let answer = worker.http.get(worker.url(&geo)).header("x-forwarded-for", address).send().await.unwrap();
        assert_eq!(answer.json::<Value>().await.unwrap()["data"]["country_code"], country, "{address}");
    }
    let other = folder.path().join("other");
    let line = ["serve", "--listen", "127.0.0.1:0", "--data", other.to_str().unwrap(), "--geo-mmdb", "none.mmdb"];
    let refused = run(folder.path(), &line);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("geo.mmdb: none.mmdb: "), "{}", text(&refused.stderr));
}

/// `OPS-6`, `AUTH-4a`.
#[tokio::test]
async fn the_api_reference_and_the_demo_mailbox_are_pages_without_scripts() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let docs = worker.get("/docs").await;
    let policy = docs.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    let page = docs.text().await.unwrap();
    assert!(page.contains("/api/v2/auth/login") && !page.contains("<script"), "{page}");
    let document: Value = worker.get("/docs/openapi.json").await.json().await.unwrap();
    assert!(document["paths"]["/api/clip"]["post"].is_object());
    assert_eq!(worker.get("/docs/style.css").await.status(), StatusCode::OK);

    let key = worker.register_as("zoe@viewers.example").await;
    let emails = eventually("the email is there", async || {
        let page = worker.get("/demo/mail").await.text().await.unwrap();
        page.contains("zoe@viewers.example").then_some(page)
    })
    .await;
    let foreign = worker.http.get(worker.url("/demo/mail")).header("host", "evil.example").send().await.unwrap();
    assert_eq!(foreign.status(), StatusCode::NOT_FOUND, "another site's page can read emails");
    let link = emails.split("href=\"http").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    assert!(link.starts_with(&format!("://{}/verify-email?", worker.address)), "{link}");
    let link = reqwest::Url::parse(&format!("http{link}")).unwrap();
    let output = |name: &str| link.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let body = json!({
        "api_key": key, "email": output("email"), "expires": output("expires").parse::<i64>().unwrap(),
        "signature": output("signature"),
    });
    worker.data(Method::POST, "auth/email-verify", &body).await;
    let profile = worker.data(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    assert_eq!(profile["email_verified"], true);

    let channels = folder.path().join("channels");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/channels");
    assert!(std::process::Command::new("cp").args(["-r", fixtures]).arg(&channels).status().unwrap().success());
    let operator_worker = Worker::start(&folder.path().join("own"), &["--channels", channels.to_str().unwrap()]);
    assert_eq!(
        operator_worker.get("/demo/mail").await.status(),
        StatusCode::NOT_FOUND,
        "a visitor can read an operator's emails"
    );
    assert_eq!(operator_worker.get("/docs").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn without_a_fallback_an_unknown_host_is_misdirected() {
    let (folder, data) = folder();
    let channels = folder.path().join("channels");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/channels/laurentides");
    std::fs::create_dir(&channels).unwrap();
    let copied = std::process::Command::new("cp").args(["-r", fixtures]).arg(&channels).status().unwrap();
    assert!(copied.success());
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap()]);
    let (status, failure) = of_host(&worker, "elsewhere.example", "/config.json").await;
    assert_eq!((status, &failure["code"]), (StatusCode::MISDIRECTED_REQUEST, &json!("unknown_host")));
    let (status, _) = of_host(&worker, "laurentides.localhost", "/config.json").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(worker.get("/healthz").await.status(), 200, "health checks use the address");
}

#[tokio::test]
async fn every_response_has_a_logged_id_and_security_headers() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--log", "info"]);
    for path in ["/", "/config.json", "/api/nothing", "/media/nothing/x.svg", "/datalake/nothing", "/healthz"] {
        let response = worker.http.get(worker.url(path)).header("x-request-id", "mine").send().await.unwrap();
        let headers = response.headers();
        let id = headers["x-request-id"].to_str().unwrap();
        assert_ne!(id, "mine");
        eventually("the log contains the id", async || worker.log().contains(id).then_some(())).await;
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["cross-origin-opener-policy"], "same-origin", "{path}");
        assert!(headers.contains_key("content-security-policy") && headers.contains_key("referrer-policy"), "{path}");
        assert!(!headers.contains_key("strict-transport-security"), "{path}: it was not served by https");
    }
}

/// `OPS-4`.
#[tokio::test]
async fn no_api_key_password_or_address_reaches_the_log() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--log", "trace"]);
    let key = worker.register_as("log.watcher@viewers.example").await;
    worker.data(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    worker.get(&format!("/api/events/1?api_key={key}&limit=1")).await;
    worker.get("/verify-email?email=log.watcher@viewers.example&signature=5ignature").await;
    let (_, log) = worker.end();
    assert!(log.contains("api_key=…"), "requests are logged: {log}");
    for secret in [key.as_str(), "correct horse", "log.watcher", "5ignature"] {
        assert!(!log.contains(secret), "{secret} in the log:\n{log}");
    }
}

#[tokio::test]
async fn an_address_over_its_call_limit_gets_a_retry_after() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--limits-calls-per-minute", "3"]);
    for _ in 0..3 {
        assert_eq!(worker.get("/api/nothing").await.status(), StatusCode::NOT_FOUND);
    }
    let response = worker.get("/api/nothing").await;
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = response.headers()[RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=20).contains(&seconds), "{seconds}");
    assert_eq!(response.json::<Value>().await.unwrap()["code"], "too_many");
    assert_eq!(worker.get("/config.json").await.status(), 200, "site files were counted");
}

#[tokio::test]
async fn unknown_paths_get_the_error_envelope() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    for path in ["/api/nothing", "/api", "/datalake/nothing", "/media/nothing/x.svg"] {
        let response = worker.get(path).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        let failure: Value = response.json().await.unwrap();
        assert_eq!((&failure["code"], failure["errors"].is_object()), (&json!("not_found"), true), "{path}: {failure}");
    }
    let response = worker.http.post(worker.url("/api/nothing")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let response = worker.http.put(worker.url("/api/events")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
}

/// Shows LIM-7a.
#[tokio::test]
async fn a_client_with_incomplete_headers_is_disconnected() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let mut slow = tokio::net::TcpStream::connect(&worker.address).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(crate::support::SOON, slow.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "the connection stays open");
}

/// `FAST-5`: over HTTP/2, and over HTTP/1.1 for older clients.
#[tokio::test]
async fn with_a_certificate_the_site_is_served_over_https_with_hsts() {
    let (_folder, data) = folder();
    let file = |name: &str| format!("{}/tests/worker/tls/{name}.pem", env!("CARGO_MANIFEST_DIR"));
    let (cert, key) = (file("cert"), file("key"));
    let worker = Worker::start(&data, &["--tls-cert", &cert, "--tls-key", &key]);
    let trusted = reqwest::Certificate::from_pem(&std::fs::read(&cert).unwrap()).unwrap();
    let client = || reqwest::Client::builder().tls_certs_only([trusted.clone()]).no_proxy();
    for (http, version) in [(client(), Version::HTTP_2), (client().http1_only(), Version::HTTP_11)] {
        let http = http.build().unwrap();
        // A page, a call and a file, concurrently on one connection if possible.
        let get = |path: &str| http.get(format!("https://{}{path}", worker.address)).send();
        let answers = tokio::try_join!(get("/healthz"), get("/"), get("/keys/localhost.json")).unwrap();
        for response in [answers.0, answers.1, answers.2] {
            assert_eq!((response.status(), response.version()), (StatusCode::OK, version), "{}", response.url());
            let hsts = response.headers()["strict-transport-security"].to_str().unwrap();
            assert!(hsts.starts_with("max-age=31536000"), "{hsts}");
        }
    }
}

/// `OPS-7`: lines of the log stay short whatever is requested.
#[tokio::test]
async fn log_lines_stay_short_whatever_is_requested() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--log-format", "json"]);
    let long = "x".repeat(30_000);
    worker.get(&format!("/{long}?{long}")).await;
    worker.get("/a/short/one").await;
    let text = &long[..4_000];
    let mut line = json!({ "date": text, "status": 500, "message": "sent by a visitor", "url": text });
    line["request_id"] = json!(text);
    let sent = worker.http.post(worker.url("/api/error-log")).json(&line).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::OK);
    let log =
        eventually("every request is logged", async || Some(worker.log()).filter(|log| log.contains("/api/error-log")))
            .await;
    assert!(log.contains("/a/short/one"));
    for line in log.lines() {
        assert!(line.len() < 2_500, "{}: {}", line.len(), &line[..200]);
        let fields = line.matches("\"message\":").count();
        assert_eq!(fields, 1, "{line}");
    }
    assert!(log.contains("\"said\":\"sent by a visitor\""), "{log}");
}

/// `OPS-8`.
#[tokio::test]
async fn responses_of_calls_are_not_cached() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    for (path, cache_control) in [("profile", "no-store"), ("orders", "no-store"), ("settings", "private, no-cache")] {
        let answer = worker.get(&format!("/api/{path}?api_key={key}")).await;
        assert_eq!(answer.headers()["cache-control"], cache_control, "{path}");
    }
}

/// `FAST-6d`: files of the site, pages, sitemaps, calls and drawings read `Accept-Encoding` and `If-None-Match` alike.
#[tokio::test]
async fn every_kind_of_response_is_negotiated_by_the_same_rules() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let page = worker.get("/").await.text().await.unwrap();
    let script = page.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js")).unwrap();
    let key = worker.key().await;
    let call = format!("/api/events?api_key={key}");
    let drawing = "/media/northfield/slides/ice-weekend.svg";
    for path in [script, "/sw.js", "/", "/schedule", "/sitemaps/1.xml", call.as_str(), drawing] {
        let get = |name, lines: &[&'static str]| {
            lines.iter().fold(worker.http.get(worker.url(path)), |request, line| request.header(&name, *line)).send()
        };
        let encodings: [(&[&str], Option<&str>); 7] = [
            (&["gzip;q=1.0"], Some("gzip")),
            (&["gzip;q=1.0, br;q=0.5"], Some("gzip")),
            (&["deflate", "gzip"], Some("gzip")),
            (&["gzip", "br"], Some("br")),
            (&["*;q=0.1"], Some("br")),
            (&["br;q=0"], None),
            (&["identity"], None),
        ];
        for (lines, encoding) in encodings {
            let response = get(ACCEPT_ENCODING, lines).await.unwrap();
            let used = response.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!((response.status(), used), (StatusCode::OK, encoding), "{path} {lines:?}");
            assert_eq!(response.headers()[VARY], "accept-encoding", "{path}");
        }
        let etag = get(ACCEPT_ENCODING, &["br"]).await.unwrap().headers()[ETAG].to_str().unwrap().to_owned();
        let listed = format!("\"other\", {etag}");
        let (etag, listed): (&'static str, &'static str) = (etag.leak(), listed.leak());
        let conditions: [(&[&'static str], bool); 5] = [
            (&["*"], true),
            (&[etag.trim_start_matches("W/")], true),
            (&[listed], true),
            (&["\"other\"", etag], true),
            (&["\"other\""], false),
        ];
        for (lines, is_unchanged) in conditions {
            let response = get(IF_NONE_MATCH, lines).await.unwrap();
            assert_eq!(response.status() == StatusCode::NOT_MODIFIED, is_unchanged, "{path} {lines:?}");
            assert_eq!(response.headers()[ETAG], etag, "{path}");
        }
    }
}
