//! Page metadata of a site in front of a channel API elsewhere (`UP-11`).

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::header::{COOKIE, HOST};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::found::{Page, all_between, page, page_from, title_of};
use crate::support::{Worker, eventually, folder};
use crate::upstream::start_proxy;
use crate::upstream_plain::Plain;

const HOST_NAME: &str = "127.0.0.1:8080";

/// Waits until pages show the upstream's channel.
async fn wait_for_pages(front: &Worker, host: &str) {
    eventually("the pages describe the upstream's channel", async || {
        page(front, host, "/").await.canonical().map(drop)
    })
    .await;
}

/// Title, tags, canonical address and structured objects.
fn metadata(page: &Page) -> (StatusCode, String, Vec<String>, Option<String>, Vec<Value>) {
    let tags = all_between(&page.html, "<meta ", ">");
    let links = all_between(&page.html, "<link rel=\"alternate\"", ">");
    (page.status, page.title(), [tags, links].concat(), page.canonical(), page.structured())
}

/// Shows UP-11a, UP-11b, UP-11d, FOUND-1a, FOUND-2, FOUND-3, FOUND-4b, FOUND-4c: pages have the same metadata as the
/// upstream's own site, also once the upstream is down.
#[tokio::test]
async fn in_front_of_another_touchline_pages_have_the_same_metadata() {
    let ((_a, back_data), (_b, front_data)) = (folder(), folder());
    let back = Worker::start(&back_data, &[]);
    let front = start_proxy(&front_data, &format!("http://{}", back.address), &[]);
    wait_for_pages(&front, HOST_NAME).await;
    let of = async |worker: &Worker, path: &str| page(worker, HOST_NAME, path).await;

    assert_eq!(of(&front, "/robots.txt").await.html, of(&back, "/robots.txt").await.html);
    assert_eq!(of(&front, "/sitemap.xml").await.html, of(&back, "/sitemap.xml").await.html);
    let map = of(&front, "/sitemaps/1.xml").await.html;
    assert_eq!(map, of(&back, "/sitemaps/1.xml").await.html);
    let mut paths = all_between(&map, "<url><loc>http://127.0.0.1:8080", "</loc>");
    assert!(paths.len() > 60, "{paths:?}");
    paths.extend(["/login", "/profile", "/watch_embed/1", "/schedule?lang=fr", "/watch/1?lang=fr"].map(str::to_owned));
    let lost =
        ["/nowhere", "/watch/999999", "/vod_library/999", "/select-package/999", "/?team=nobody", "/share/1/none"];
    for path in paths.iter().map(String::as_str).chain(lost) {
        let found = of(&front, path).await;
        assert_eq!(metadata(&found), metadata(&of(&back, path).await), "{path}");
        assert_eq!(found.status == StatusCode::NOT_FOUND, lost.contains(&path), "{path}");
    }

    // A page contains nothing about the requesting viewer, and a shared clip has a preview.
    let key = front.demo("demo").await;
    let request = front.http.get(front.url("/watch/1")).header(HOST, HOST_NAME).header(COOKIE, "touchline-device-1=x");
    let html = request.header("authorization", format!("Bearer {key}")).send().await.unwrap().text().await.unwrap();
    assert_eq!(html, of(&front, "/watch/1").await.html);
    let clip = json!({ "api_key": key, "event_id": 25, "name": "A <goal>", "start_time": 1.0, "duration": 4.0,
        "tags": ["goal"], "event_media_id": 253 });
    let clip = front.data(Method::POST, "clip", &clip).await;
    let shared = format!("/share/{}/{}", clip["id"], clip["uuid"].as_str().unwrap());
    let card = of(&front, &shared).await;
    assert_eq!((card.status, card.meta("og:title").as_deref()), (StatusCode::OK, Some("A <goal>")));
    assert_eq!(
        (metadata(&card), card.meta("robots").as_deref()),
        (metadata(&of(&back, &shared).await), Some("noindex"))
    );

    let before = metadata(&of(&front, "/watch/4").await);
    back.kill();
    assert_eq!(metadata(&of(&front, "/watch/4").await), before);
    assert_eq!(of(&front, "/sitemaps/1.xml").await.html, map);
    // Whether other pages exist is unknown, so none is missing because the upstream is down.
    for path in ["/watch/999999", &shared] {
        let unknown = of(&front, path).await;
        assert_eq!((unknown.status, unknown.meta("robots").as_deref()), (StatusCode::OK, Some("noindex")), "{path}");
    }
}

/// Shows UP-11a, UP-11b, UP-11c, UP-11d, FOUND-1a, FOUND-3, FOUND-4b: a plain API, compared with its own answers. It
/// starts and stops while the site is up.
#[tokio::test]
async fn in_front_of_a_plain_api_pages_match_its_answers() {
    let (_folder, data) = folder();
    let mut plain = Plain::start(&data.with_extension("plain"), 500).await;
    plain.kill();
    let front = start_proxy(&data, &plain.origin, &[]);
    let bare = page(&front, HOST_NAME, "/watch/1").await;
    assert_eq!((bare.status, bare.canonical(), bare.meta("robots")), (StatusCode::OK, None, None));
    let robots = page(&front, HOST_NAME, "/robots.txt").await;
    assert!(robots.html.contains("Sitemap: http://127.0.0.1:8080/sitemap.xml"), "{}", robots.html);
    for map in ["/sitemap.xml", "/sitemaps/1.xml"] {
        let found = front.http.get(front.url(map)).header(HOST, HOST_NAME).send().await.unwrap();
        assert_eq!(found.status(), StatusCode::SERVICE_UNAVAILABLE, "{map}");
        assert!(found.headers().contains_key("retry-after"), "{map}");
    }

    plain.restart();
    wait_for_pages(&front, HOST_NAME).await;
    let site = format!("http://{HOST_NAME}");
    let key = front.key().await;
    let of = async |call: &str| front.data(Method::GET, &format!("{call}api_key={key}"), &Value::Null).await;
    let name = of("settings?").await["name"].as_str().unwrap().to_owned();
    let map = page(&front, HOST_NAME, "/sitemaps/1.xml").await.html;
    let listed: BTreeSet<_> = all_between(&map, "<url><loc>", "</loc>").into_iter().collect();
    for event in of("events?no_limit=1&").await.as_array().unwrap() {
        let path = format!("/watch/{}", event["id"]);
        let found = page(&front, HOST_NAME, &path).await;
        assert_eq!(found.status, StatusCode::OK);
        assert!(found.title().starts_with(&title_of(event)) && found.title().ends_with(&name), "{}", found.title());
        let address = format!("{site}{path}");
        assert_eq!((found.canonical(), found.meta("og:url")), (Some(address.clone()), Some(address.clone())));
        let object = found.of_type("SportsEvent");
        let at = |field: &str| object[field].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
        let from = event["event_utc_ts"].as_i64().unwrap();
        assert_eq!((&object["name"], at("startDate")), (&event["name"], from), "{path}");
        assert_eq!(at("endDate"), from + event["duration_s"].as_i64().unwrap(), "{path}");
        assert!(!found.meta("description").unwrap().is_empty());
        let picture = found.meta("og:image").unwrap();
        assert!(picture.starts_with(&site), "{picture}");
        assert!(listed.contains(&address), "{path} is not listed");
    }
    for video in of("vod-media-items?no_limit=1&").await.as_array().unwrap() {
        let path = format!("/vod_library/{}", video["id"]);
        let found = page(&front, HOST_NAME, &path).await;
        assert_eq!(found.title(), format!("{} · {name}", video["title"].as_str().unwrap()));
        assert_eq!(found.of_type("VideoObject")["contentUrl"].is_string(), video["access_type"] == "free", "{path}");
        assert!(listed.contains(&format!("{site}{path}")), "{path} is not listed");
    }
    for package in of("packages?").await.as_array().unwrap() {
        let path = format!("/select-package/{}", package["id"]);
        let offer = page(&front, HOST_NAME, &path).await.of_type("Product")["offers"].clone();
        let minor = offer["price"].as_str().unwrap().parse::<f64>().unwrap() * 100.0;
        assert_eq!(minor.round(), package["price"].as_f64().unwrap(), "{path}");
        assert!(listed.contains(&format!("{site}{path}")), "{path} is not listed");
    }
    for path in ["/", "/upcoming", "/vod_library", "/packages", "/faq"] {
        let found = page(&front, HOST_NAME, path).await;
        assert_eq!(found.canonical(), Some(format!("{site}{path}")));
        assert!(found.html.contains(&format!("hreflang=\"fr\" href=\"{site}{path}?lang=fr\"")), "{path}");
    }
    for (path, call) in [
        ("/watch/999999", "GET events/{id}"),
        ("/vod_library/999", "GET vod-media-items/{id}"),
        ("/select-package/999", "GET packages/{id}"),
        ("/share/1/none", "GET shared-clip/{id}"),
    ] {
        let (found, request) = (page(&front, HOST_NAME, path).await, plain.count(call).await);
        assert_eq!((found.status, request), (StatusCode::NOT_FOUND, 1), "{path}");
    }
    // Trying every id calls the upstream 120 times a minute at most.
    let before = plain.count("GET events/{id}").await;
    let started = Instant::now();
    for id in 1_000..1_200 {
        let found = page(&front, HOST_NAME, &format!("/watch/{id}")).await;
        assert!([StatusCode::NOT_FOUND, StatusCode::OK].contains(&found.status));
        assert_eq!(found.meta("robots").as_deref(), Some("noindex"));
    }
    let lookups = plain.count("GET events/{id}").await - before;
    let allowed = 121 + started.elapsed().as_secs() * 2;
    assert!(lookups <= allowed, "{lookups} of {allowed}");

    let before = metadata(&page(&front, HOST_NAME, "/watch/1").await);
    for mode in ["500", "html", "half", "close", "large", "429"] {
        plain.fail(json!([{ "mode": mode }])).await;
        assert_eq!(metadata(&page(&front, HOST_NAME, "/watch/1").await), before, "{mode}");
    }
    plain.kill();
    assert_eq!(metadata(&page(&front, HOST_NAME, "/watch/1").await), before);
    assert!(!front.log().contains("panicked"), "{}", front.log());
}

/// A copy of the channel `meadow` below `root`, shown on every host.
fn meadow(root: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channel/tests/channels/meadow");
    std::fs::create_dir_all(root).unwrap();
    assert!(std::process::Command::new("cp").arg("-r").arg(from).arg(root).status().unwrap().success());
    change(&root.join("meadow/channel.json"), |channel| channel["fallback"] = json!(true));
}

fn change(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    change(&mut value);
    std::fs::write(file, value.to_string()).unwrap();
}

/// Shows UP-11b, FOUND-4a, FOUND-4b: events that the upstream blocks in a country are not in its pages, and changes are
/// picked up.
#[tokio::test]
async fn events_blocked_in_a_country_are_in_none_of_its_pages() {
    let ((back_folder, back_data), (front_folder, front_data)) = (folder(), folder());
    let (back_channels, front_channels) = (back_folder.path().join("channels"), front_folder.path().join("channels"));
    meadow(&back_channels);
    meadow(&front_channels);
    change(&front_channels.join("meadow/events.json"), |events| {
        events.as_array_mut().unwrap().iter_mut().for_each(|event| event["name"] = json!("Of the folder alone"));
    });
    let geo = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");
    let line = ["--geo-mmdb", geo, "--trusted-proxies", "127.0.0.0/8", "--channels"];
    let back = Worker::start(&back_data, &[&line[..], &[back_channels.to_str().unwrap()]].concat());
    let origin = format!("http://{}", back.address);
    let front = start_proxy(&front_data, &origin, &[&line[..], &[front_channels.to_str().unwrap()]].concat());
    let host = "meadow.test";
    // Event 3 is blocked in Canada, the whole channel in North Korea.
    for (address, is_listed) in [("203.0.113.7", true), ("192.0.2.7", false), ("198.51.100.7", false)] {
        eventually("pages match the visitor's country", async || {
            page_from(&front, host, "/", address).await.canonical().map(drop)
        })
        .await;
        let map = page_from(&front, host, "/sitemaps/1.xml", address).await.html;
        assert_eq!(map, page_from(&back, host, "/sitemaps/1.xml", address).await.html, "{address}");
        assert_eq!(map.contains("/watch/3</loc>"), is_listed, "{address}");
        assert!(!map.contains("Of the folder alone"), "{map}");
        let found = page_from(&front, host, "/watch/3", address).await;
        assert_eq!(metadata(&found), metadata(&page_from(&back, host, "/watch/3", address).await), "{address}");
        assert_eq!(found.html.contains("Open practice"), is_listed, "{address}");
    }

    change(&back_channels.join("meadow/events.json"), |events| {
        let events = events.as_array_mut().unwrap();
        events.retain(|event| event["id"] != 2);
        let practice = events.iter_mut().find(|event| event["id"] == 3).unwrap();
        practice["name"] = json!("Closed practice");
    });
    let from = "203.0.113.7";
    eventually("the changes appear", async || {
        let [removed, other] = [2, 3].map(|id| format!("/watch/{id}"));
        let removed = page_from(&front, host, &removed, from).await;
        let other = page_from(&front, host, &other, from).await;
        (removed.status == StatusCode::GONE && other.html.contains("Closed practice")).then_some(())
    })
    .await;
    assert!(!page_from(&front, host, "/sitemaps/1.xml", from).await.html.contains("/watch/2</loc>"));
}
