//! Metadata of pages for search engines and link previews (`FOUND`), compared with the API.

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::header::HOST;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{SOON, Worker, eventually, folder};

/// A page as a search engine sees it.
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) html: String,
}

impl Page {
    /// The text between two markers, unescaped.
    fn between(&self, from: &str, to: &str) -> Option<String> {
        let rest = self.html.split_once(from)?.1;
        Some(read(rest.split_once(to)?.0))
    }

    pub(crate) fn title(&self) -> String {
        self.between("<title>", "</title>").unwrap()
    }

    pub(crate) fn meta(&self, key: &str) -> Option<String> {
        self.between(&format!("=\"{key}\" content=\""), "\">")
    }

    pub(crate) fn canonical(&self) -> Option<String> {
        self.between("<link rel=\"canonical\" href=\"", "\">")
    }

    /// The schema.org objects.
    pub(crate) fn structured(&self) -> Vec<Value> {
        let scripts = self.html.split("<script type=\"application/ld+json\">").skip(1);
        scripts.map(|script| serde_json::from_str(script.split_once("</script>").unwrap().0).unwrap()).collect()
    }

    pub(crate) fn of_type(&self, kind: &str) -> Value {
        let found = self.structured().into_iter().find(|object| object["@type"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}: {}", self.html))
    }
}

fn read(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

pub(crate) async fn page(worker: &Worker, host: &str, path: &str) -> Page {
    page_from(worker, host, path, "127.0.0.1").await
}

pub(crate) async fn page_from(worker: &Worker, host: &str, path: &str, address: &str) -> Page {
    let request = worker.http.get(worker.url(path)).header(HOST, host).header("x-forwarded-for", address);
    let response = request.send().await.unwrap();
    Page { status: response.status(), html: response.text().await.unwrap() }
}

pub(crate) async fn get(worker: &Worker, host: &str, path: &str) -> Value {
    let response = worker.http.get(worker.url(path)).header(HOST, host).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    response.json().await.unwrap()
}

/// Every text between two markers, unescaped.
pub(crate) fn all_between(text: &str, from: &str, to: &str) -> Vec<String> {
    text.split(from).skip(1).map(|rest| read(rest.split_once(to).unwrap().0)).collect()
}

pub(crate) async fn key_of(worker: &Worker, host: &str, channel: &str) -> String {
    let body = json!({ "channel_key": channel });
    let post = worker.http.post(worker.url("/api/get_api_key")).header(HOST, host).json(&body);
    let answer: Value = post.send().await.unwrap().json().await.unwrap();
    answer["data"]["api_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The title of an event as on the site (`EVENT-2`).
pub(crate) fn title_of(event: &Value) -> String {
    match event["participants"].as_array().unwrap().as_slice() {
        [first, second] => {
            let (away, home) = if first["id"] == event["home_team_id"] { (second, first) } else { (first, second) };
            format!("{} @ {}", away["short_name"].as_str().unwrap(), home["short_name"].as_str().unwrap())
        }
        _ => event["name"].as_str().unwrap().to_owned(),
    }
}

/// `FOUND-1a`, `FOUND-1b`, `NAV-8d`: each filter of the home page has a title, a description and a canonical address.
#[tokio::test]
async fn teams_schools_sports_and_divisions_each_have_a_page() {
    const TEAM: &str = "Northfield Kestrels · Women’s basketball";
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let host = "127.0.0.1:8080";
    for (path, title, canonical) in [
        ("/?participant=101", TEAM, "/?participant=northfield-womens-basketball"),
        ("/?team=northfield-womens-basketball", TEAM, "/?participant=northfield-womens-basketball"),
        ("/?group=northfield&sport=hockey", "Northfield Kestrels", "/?group=northfield"),
        ("/?sport=hockey", "Hockey", "/?sport=hockey"),
        ("/?sport=hockey&division=womens-hockey", "Hockey · Women’s", "/?division=womens-hockey"),
    ] {
        let found = page(&worker, host, path).await;
        assert_eq!(found.status, StatusCode::OK, "{path}");
        assert_eq!(found.title(), format!("{title} · Northfield Sports Network"), "{path}");
        assert_eq!(
            (found.meta("og:title"), found.meta("description") == found.meta("og:description")),
            (Some(title.to_owned()), true)
        );
        let named = if title == TEAM { "Women’s basketball, Northfield Kestrels" } else { title };
        assert!(found.meta("description").unwrap().starts_with(&format!("{named}:")), "{path}");
        assert_eq!(found.canonical(), Some(format!("http://{host}{canonical}")), "{path}");
        assert!(found.html.contains(&format!("href=\"http://{host}{canonical}&amp;lang=fr\"")), "{path}");
        assert!(!found.html.contains("class=\"hero\""), "the page has the channel's first slide: {path}");
    }
    for path in ["/?participant=nobody", "/?group=nobody", "/?sport=nothing", "/?division=nothing"] {
        let lost = page(&worker, host, path).await;
        assert_eq!((lost.status, lost.canonical()), (StatusCode::NOT_FOUND, None), "{path}");
        assert!(lost.title().starts_with("Page not found"), "{path}");
    }
    assert_eq!(page(&worker, host, "/?sport=&trk=a").await.canonical(), Some(format!("http://{host}/")));
}

/// `FOUND-1a`, `FOUND-1b`, `FOUND-2`, `FOUND-4a`, `FOUND-4b`: each kind of page, in both channels.
#[tokio::test]
async fn each_pages_metadata_matches_the_api() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    for (host, channel, other) in
        [("127.0.0.1:8080", "northfield", "fr"), ("laurentides.localhost:8080", "laurentides", "en")]
    {
        let site = format!("http://{host}");
        let key = key_of(&worker, host, channel).await;
        let of = async |call: &str| {
            get(&worker, host, &format!("/api/{call}{}api_key={key}", if call.contains('?') { '&' } else { '?' })).await
                ["data"]
                .clone()
        };
        let settings = of("settings").await;
        let name = settings["name"].as_str().unwrap();

        let home = page(&worker, host, "/").await;
        assert_eq!((home.title(), home.canonical()), (name.to_owned(), Some(format!("{site}/"))));
        assert!(home.meta("description").unwrap().contains(name));
        assert_eq!(home.of_type("Organization")["name"], name);
        assert_eq!(home.of_type("WebSite")["url"], format!("{site}/"));
        assert!(home.html.contains(&format!("hreflang=\"{other}\" href=\"{site}/?lang={other}\"")), "{}", home.html);
        let elsewhere = page(&worker, host, &format!("/upcoming?lang={other}")).await;
        assert!(elsewhere.html.contains(&format!("<html lang=\"{other}\"")));
        assert_eq!(elsewhere.canonical(), Some(format!("{site}/upcoming?lang={other}")));
        assert_ne!(elsewhere.title(), page(&worker, host, "/schedule").await.title());

        let locations = of("events-locations").await;
        let packages = of("packages").await;
        for event in of("events?no_limit=1&start_date=0").await.as_array().unwrap() {
            let path = format!("/watch/{}", event["id"]);
            let found = page(&worker, host, &path).await;
            assert_eq!(found.status, StatusCode::OK, "{path}");
            assert_eq!(found.title(), format!("{} · {name}", found.meta("og:title").unwrap()));
            assert_eq!(
                (found.canonical(), found.meta("og:url")),
                (Some(format!("{site}{path}")), Some(format!("{site}{path}")))
            );
            let title = found.meta("og:title").unwrap();
            let zone = jiff::tz::TimeZone::get(event["time_zone"].as_str().unwrap()).unwrap();
            let from = event["event_utc_ts"].as_i64().unwrap();
            // Two games of the same teams on one day differ by their time.
            let starts = jiff::Timestamp::from_second(from).unwrap().to_zoned(zone);
            let time = starts.strftime(if channel == "laurentides" { "%Y · %-H:%M" } else { "%Y · %-I:%M %p" });
            assert!(title.starts_with(&title_of(event)) && title.ends_with(&format!(" {time}")), "{title}");
            let described = found.meta("description").unwrap();
            assert!(!described.is_empty() && Some(described.clone()) == found.meta("og:description"));
            let object = found.of_type("SportsEvent");
            assert_eq!((&object["name"], &object["url"]), (&event["name"], &json!(format!("{site}{path}"))));
            let at = |field: &str| object[field].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
            assert_eq!(
                (at("startDate"), at("endDate")),
                (from, from + event["duration_s"].as_i64().unwrap()),
                "{path}"
            );
            let location =
                locations.as_array().unwrap().iter().find(|location| location["id"] == event["location_id"]).unwrap();
            assert_eq!(object["location"][0]["name"], location["name"]);
            assert_eq!(object["location"][0]["address"]["addressLocality"], location["city"]);
            assert_eq!(
                object["competitor"].as_array().map_or(0, Vec::len),
                event["participants"].as_array().unwrap().len()
            );
            assert_eq!(object["eventStatus"], "https://schema.org/EventScheduled");
            for offer in object["offers"].as_array().unwrap() {
                let minor = (offer["price"].as_str().unwrap().parse::<f64>().unwrap() * 100.0).round();
                let single = event["base_price"].as_f64().unwrap() + event["service_fee"].as_f64().unwrap();
                let of_package = packages.as_array().unwrap().iter().find(|package| package["name"] == offer["name"]);
                assert_eq!(minor, of_package.map_or(single, |package| package["price"].as_f64().unwrap()), "{offer}");
                assert_eq!(offer["priceCurrency"], event["currency"]);
            }
            let is_free = event["access_type"] == "free";
            let video = &object["subjectOf"];
            assert_eq!(video["isAccessibleForFree"], is_free);
            assert_eq!(video["publication"][0]["isLiveBroadcast"], event["stream_status"] != "finished");
            assert!(["name", "uploadDate", "embedUrl"].iter().all(|field| video[*field].is_string()), "{video}");
            assert_eq!(found.of_type("BreadcrumbList")["itemListElement"].as_array().unwrap().len(), 3);
            let picture = found.meta("og:image").unwrap();
            let media = worker.http.get(worker.url(picture.strip_prefix(&site).unwrap())).header(HOST, host);
            let media = media.send().await.unwrap();
            assert!(media.status().is_success(), "{picture}");
            assert!(media.headers()["content-type"].to_str().unwrap().starts_with("image/"), "{picture}");
            let embedded = page(&worker, host, &format!("/watch_embed/{}", event["id"])).await;
            assert_eq!(embedded.canonical(), found.canonical());
        }
        for rail in of("vod-media-rails").await.as_array().unwrap() {
            for video in rail["vod_media_items"].as_array().unwrap() {
                let path = format!("/vod_library/{}", video["id"]);
                let found = page(&worker, host, &path).await;
                assert_eq!(found.title(), format!("{} · {name}", video["title"].as_str().unwrap()));
                let object = found.of_type("VideoObject");
                assert_eq!((&object["name"], &object["uploadDate"]), (&video["title"], &video["date"]));
                assert!(
                    object["thumbnailUrl"][0].is_string() && object["duration"].as_str().unwrap().starts_with("PT")
                );
                assert_eq!(object["contentUrl"].is_string(), video["access_type"] == "free", "{object}");
            }
        }
        for package in packages.as_array().unwrap() {
            let found = page(&worker, host, &format!("/select-package/{}", package["id"])).await;
            let offer = found.of_type("Product")["offers"].clone();
            let minor = offer["price"].as_str().unwrap().parse::<f64>().unwrap() * 100.0;
            assert_eq!(
                (found.title(), minor.round()),
                (format!("{} · {name}", package["name"].as_str().unwrap()), package["price"].as_f64().unwrap())
            );
        }
        for one in of("pages").await.as_array().unwrap() {
            let found = page(&worker, host, one["url"].as_str().unwrap()).await;
            assert_eq!(found.title(), format!("{} · {name}", one["name"].as_str().unwrap()));
        }
        let titles: BTreeSet<_> = futures_util::future::join_all(
            [
                "/",
                "/upcoming",
                "/vod_library",
                "/packages",
                "/passes",
                "/faq",
                "/login",
                "/registration",
                "/profile",
                "/nowhere",
            ]
            .map(async |path| page(&worker, host, path).await.title()),
        )
        .await
        .into_iter()
        .collect();
        assert_eq!(titles.len(), 10, "{titles:?}");
        for path in ["/login", "/profile", "/buy", "/verify-email", "/simulate"] {
            let found = page(&worker, host, path).await;
            assert_eq!((found.meta("robots").as_deref(), found.canonical()), (Some("noindex"), None), "{path}");
        }
        for (path, status) in
            [("/nowhere", 404), ("/watch/999999", 404), ("/vod_library/999", 404), ("/share/1/none", 404)]
        {
            let found = page(&worker, host, path).await;
            assert_eq!((found.status.as_u16(), found.meta("robots").as_deref()), (status, Some("noindex")), "{path}");
        }
    }
}

/// `FOUND-1b`, `FOUND-3`: the sitemap lists every public page, and nothing else.
#[tokio::test]
async fn the_sitemap_lists_every_public_page_with_its_videos() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    for (host, channel) in [("127.0.0.1:8080", "northfield"), ("laurentides.localhost:8080", "laurentides")] {
        let (site, key) = (format!("http://{host}"), key_of(&worker, host, channel).await);
        let robots = page(&worker, host, "/robots.txt").await.html;
        assert!(robots.contains(&format!("Sitemap: {site}/sitemap.xml")) && robots.contains("Disallow: /profile"));
        let index = page(&worker, host, "/sitemap.xml").await.html;
        assert_eq!(all_between(&index, "<loc>", "</loc>"), [format!("{site}/sitemaps/1.xml")]);
        let map = page(&worker, host, "/sitemaps/1.xml").await.html;
        let listed: Vec<_> = all_between(&map, "<url><loc>", "</loc>");
        let paths: BTreeSet<_> = listed.iter().map(|url| url.strip_prefix(&site).unwrap().to_owned()).collect();
        assert_eq!(paths.len(), listed.len(), "a page is listed twice");
        let call = async |call: &str| {
            get(&worker, host, &format!("/api/{call}{}api_key={key}", if call.contains('?') { '&' } else { '?' })).await
                ["data"]
                .clone()
        };
        let ids = |list: &Value, prefix: &str| {
            list.as_array().unwrap().iter().map(|one| format!("{prefix}{}", one["id"])).collect::<Vec<_>>()
        };
        let mut expected: BTreeSet<String> =
            ["/", "/upcoming", "/vod_library", "/packages", "/faq"].map(str::to_owned).into();
        let packages = call("packages").await;
        if packages
            .as_array()
            .unwrap()
            .iter()
            .any(|package| package["type"] == "pass" || package["is_team_pass"] == true)
        {
            expected.insert("/passes".into());
        }
        expected.extend(ids(&packages, "/select-package/"));
        expected.extend(ids(&call("events?no_limit=1&start_date=0").await, "/watch/"));
        expected.extend(ids(&call("vod-media-items?no_limit=1").await, "/vod_library/"));
        expected.extend(
            call("pages").await.as_array().unwrap().iter().map(|page| page["url"].as_str().unwrap().to_owned()),
        );
        let narrowed = |list: &Value, key: &str| {
            let alias = |one: &Value| format!("/?{key}={}", one["alias"].as_str().unwrap());
            list.as_array().unwrap().iter().map(alias).collect::<Vec<_>>()
        };
        expected.extend(narrowed(&call("participant-groups").await, "group"));
        expected.extend(narrowed(&call("participants?no_limit=1").await, "participant"));
        let sports = call("events-categories").await;
        expected.extend(narrowed(&sports, "sport"));
        expected.extend(sports.as_array().unwrap().iter().flat_map(|sport| narrowed(&sport["children"], "division")));
        assert_eq!(paths, expected);
        let addresses =
            [all_between(&map, "<video:player_loc>", "<"), all_between(&map, "<video:content_loc>", "<")].concat();
        assert!(addresses.len() > 3 && addresses.iter().all(|url| url.starts_with(&site)), "{addresses:?}");
        assert_eq!(addresses.len(), map.matches("<video:thumbnail_loc>").count());
        let mut titles = BTreeSet::new();
        for url in &listed {
            let found = page(&worker, host, url.strip_prefix(&site).unwrap()).await;
            assert!(titles.insert(found.title()), "two pages have the title {}", found.title());
            assert_eq!((found.status, found.canonical().as_deref()), (StatusCode::OK, Some(url.as_str())));
        }
        assert_eq!(page(&worker, host, "/sitemaps/2.xml").await.status, StatusCode::NOT_FOUND);
    }
}

/// A channel of `count` events; event 3 is blocked in Canada.
fn big(root: &Path, count: usize) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channel/tests/channels/meadow");
    std::fs::create_dir_all(root).unwrap();
    assert!(std::process::Command::new("cp").arg("-r").arg(from).arg(root).status().unwrap().success());
    let file = root.join("meadow/events.json");
    let mut events: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let (last, pattern) = (events.len(), events[1].clone());
    for number in last..count {
        let mut event = pattern.clone();
        event["id"] = json!(1000 + number);
        event["name"] = json!(format!("Fixture {number}"));
        event["starts_in_s"] = json!(600 * i64::try_from(number).unwrap());
        event["access_type"] = json!("free");
        event["media"] = json!([]);
        for sold in ["single_event_package_id", "base_price", "service_fee"] {
            event.as_object_mut().unwrap().remove(sold);
        }
        events.push(event);
    }
    std::fs::write(file, serde_json::to_vec(&events).unwrap()).unwrap();
}

/// `FOUND-3`, `FOUND-4a`, `FOUND-4b`: ten thousand events are listed quickly in parts; blocked and removed events
/// appear nowhere.
#[tokio::test]
async fn a_big_channel_is_listed_in_parts_without_blocked_and_removed_events() {
    let (folder, data) = folder();
    let root = folder.path().join("channels");
    big(&root, 10_050);
    let geo = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");
    let line = ["--channels", root.to_str().unwrap(), "--geo-mmdb", geo, "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &line);
    let host = "meadow.test";
    let mut slowest = std::time::Duration::ZERO;
    let mut timed = async |path: &str, address: &str| {
        let started = Instant::now();
        let found = page_from(&worker, host, path, address).await;
        slowest = slowest.max(started.elapsed());
        found
    };
    let index = timed("/sitemap.xml", "203.0.113.7").await.html;
    assert_eq!(
        all_between(&index, "<loc>", "</loc>"),
        [1, 2].map(|part| format!("https://meadow.test/sitemaps/{part}.xml"))
    );
    let [first, second] =
        [timed("/sitemaps/1.xml", "203.0.113.7").await.html, timed("/sitemaps/2.xml", "203.0.113.7").await.html];
    assert_eq!(first.matches("<url>").count(), 10_000);
    assert!(second.contains("https://meadow.test/watch/11049</loc>"), "{second}");
    for path in ["/", "/upcoming", "/watch/11049", "/vod_library"] {
        let found = timed(path, "203.0.113.7").await;
        assert_eq!(found.status, StatusCode::OK);
        assert!(found.html.len() < 400_000, "{path}: {}", found.html.len());
    }
    // Event 3 is blocked in Canada, the whole channel in North Korea.
    for (address, is_listed) in [("203.0.113.7", true), ("192.0.2.7", false), ("198.51.100.7", false)] {
        let map = timed("/sitemaps/1.xml", address).await.html;
        assert_eq!(map.contains("/watch/3</loc>"), is_listed, "{address}");
        let found = timed("/watch/3", address).await;
        assert_eq!(found.html.contains("Open practice"), is_listed, "{address}");
        assert_eq!((found.meta("robots").is_none(), found.structured().is_empty()), (is_listed, !is_listed));
        let list = timed("/upcoming", address).await;
        assert!(!list.html.contains("\"https://meadow.test/watch/3\""));
        assert_eq!(list.structured().len() > 1, address != "198.51.100.7", "{address}");
    }
    assert!(slowest < SOON / 4, "{slowest:?}");

    // The event's status is recorded before the event is removed.
    let key = key_of(&worker, host, "meadow").await;
    let file = root.join("meadow/events.json");
    let mut events: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    events.retain(|event| event["id"] != 2 && event["id"] != 11_049);
    eventually("the event is served", async || {
        let response = worker.http.get(worker.url(&format!("/api/events/2?api_key={key}"))).header(HOST, host);
        response.send().await.unwrap().status().is_success().then_some(())
    })
    .await;
    std::fs::write(&file, serde_json::to_vec(&events).unwrap()).unwrap();
    eventually("the page is not found", async || {
        (page(&worker, host, "/watch/2").await.status == StatusCode::GONE).then_some(())
    })
    .await;
    let removed_page = page(&worker, host, "/watch/2").await;
    assert!(!removed_page.html.contains("Rivalry") && removed_page.meta("robots").as_deref() == Some("noindex"));
    assert_eq!(page(&worker, host, "/watch/777777").await.status, StatusCode::NOT_FOUND);
    assert!(!page(&worker, host, "/sitemaps/1.xml").await.html.contains("/watch/2</loc>"));
}

/// `FOUND-4a`, `FOUND-4c`: a shared clip has a preview and is listed nowhere; a page reveals nothing about the viewer.
#[tokio::test]
async fn a_shared_clip_has_a_preview_and_no_page_reveals_a_viewer() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.demo("demo").await;
    let event = worker.data(Method::GET, &format!("events/4?api_key={key}"), &Value::Null).await;
    let free = worker
        .data(Method::GET, &format!("events?no_limit=1&stream_status=finished&api_key={key}"), &Value::Null)
        .await;
    let event = free.as_array().unwrap().iter().find(|event| event["has_access"] == true).unwrap_or(&event).clone();
    let medium = event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == 3).unwrap();
    let clip = json!({
        "api_key": key, "event_id": event["id"], "event_media_id": medium["id"], "name": "The <last> minute & after",
        "start_time": 1.0, "duration": 5.0, "tags": ["goal"],
    });
    let clip = worker.data(Method::POST, "clip", &clip).await;
    let path = format!("/share/{}/{}", clip["id"], clip["uuid"].as_str().unwrap());
    let found = page(&worker, "127.0.0.1", &path).await;
    assert_eq!(found.meta("og:title").as_deref(), Some("The <last> minute & after"));
    assert!(found.meta("og:description").unwrap().contains(event["name"].as_str().unwrap()));
    assert_eq!((found.meta("robots").as_deref(), found.canonical()), (Some("noindex"), None));
    let map = page(&worker, "127.0.0.1", "/sitemaps/1.xml").await.html;
    assert!(!map.contains("/share/") && !map.contains("/watch_library/"));

    // The owner's page exists as long as the clip; the address without an id is not a page.
    let html = format!("/watch_library/{}", clip["id"]);
    let found = page(&worker, "127.0.0.1", &html).await;
    assert_eq!((found.status, found.meta("robots").as_deref()), (StatusCode::OK, Some("noindex")));
    assert!(!found.html.contains("minute &amp; after"));
    for lost in ["/watch_library/999999", "/watch_library", "/share/999999/none"] {
        let found = page(&worker, "127.0.0.1", lost).await;
        assert_eq!((found.status, found.canonical()), (StatusCode::NOT_FOUND, None), "{lost}");
        assert!(found.title().starts_with("Page not found"), "{lost}");
    }
    let call = format!("clip/{}?api_key={key}", clip["id"]);
    worker.data(Method::DELETE, &call, &Value::Null).await;
    assert_eq!(page(&worker, "127.0.0.1", &html).await.status, StatusCode::NOT_FOUND, "a deleted clip");

    // A viewer's access shows in no page, whoever requests it.
    let request =
        worker.http.get(worker.url("/watch/1")).header(HOST, "127.0.0.1").header("cookie", "touchline-device-1=x");
    let html = request.header("authorization", format!("Bearer {key}")).send().await.unwrap().text().await.unwrap();
    assert_eq!(html, page(&worker, "127.0.0.1", "/watch/1").await.html);
    assert!(!html.contains("demo@northfield.example") && !html.contains(&key));
}
