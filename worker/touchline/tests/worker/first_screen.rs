//! The first screen of a page, before any script has run (`FAST-1`).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::demo_channel::{demo_channel, edit};
use crate::found::{all_between, page, page_from};
use crate::support::{Worker, folder};

const HOST: &str = "127.0.0.1:8080";
const NAMES: (&str, &str) = ("class=\"fixture-row__name\" href=\"/watch/", "\"");
const CARDS: (&str, &str) = ("class=\"event-card__link\" href=\"/watch/", "\"");

/// A copy of a demo channel with a modified file.
fn channel(root: &Path, file: &str, change: impl Fn(&mut Value)) -> PathBuf {
    let copy = root.join("channels");
    if !copy.exists() {
        demo_channel(&copy);
    }
    edit(&copy.join("northfield").join(file), change);
    copy
}

/// The first screen of a page, and the part before it.
fn parts(html: &str) -> (&str, &str) {
    let (head, rest) = html.split_once("<div id=\"first\">").unwrap();
    (rest.split_once("<div id=\"root\">").unwrap().0, head)
}

fn ids(html: &str, (from, to): (&str, &str)) -> Vec<String> {
    all_between(parts(html).0, from, to)
}

fn event(events: &mut Value, id: i64) -> &mut Value {
    events.as_array_mut().unwrap().iter_mut().find(|event| event["id"] == id).unwrap()
}

const HEBREW: &str = "מכבי תל אביב";

/// The characters of a text that could change the direction of others: those outside of isolates, `<bdi>` and drawings.
fn unisolated(text: &str) -> String {
    let drawn = text.split("<svg").enumerate().map(|(at, part)| match part.split_once("</svg>") {
        Some((_, rest)) if at > 0 => rest,
        _ => part,
    });
    let text = drawn.collect::<String>().replace("<bdi>", "\u{2068}").replace("</bdi>", "\u{2069}");
    let (mut depth, mut outside) = (0, String::new());
    for letter in text.chars() {
        match letter {
            '\u{2068}' => depth += 1,
            '\u{2069}' => depth -= 1,
            _ if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    outside
}

/// `EVENT-9`: metadata, first screen and calendar.
#[tokio::test]
async fn hebrew_names_are_isolated_from_the_text_around_them() {
    let (folder, data) = folder();
    let rename = |names: &'static [&'static str]| {
        move |list: &mut Value| {
            for entry in list.as_array_mut().unwrap() {
                for name in names {
                    entry[name] = json!(HEBREW);
                }
            }
        }
    };
    channel(folder.path(), "participants.json", rename(&["name", "short_name"]));
    channel(folder.path(), "locations.json", rename(&["name", "city"]));
    let root = channel(folder.path(), "events.json", |events| {
        rename(&["name"])(events);
        for event in events.as_array_mut().unwrap() {
            event["description"] = json!("");
        }
    });
    let worker = Worker::start(&data, &["--channels", root.to_str().unwrap()]);
    let is_isolated = |what: &str, text: &str| {
        let outside = unisolated(text);
        assert!(!outside.chars().any(|letter| HEBREW.contains(letter) && !letter.is_whitespace()), "{what}: {outside}");
    };
    for path in ["/", "/upcoming", "/watch/1", "/?participant=101"] {
        let found = page(&worker, HOST, path).await;
        // A narrowed home page has no first screen.
        if !path.contains('?') {
            is_isolated(path, parts(&found.html).0);
        }
        is_isolated(path, &found.title());
        for key in ["og:title", "description", "og:description"] {
            is_isolated(path, &found.meta(key).unwrap());
        }
    }
    let (first, title) =
        (page(&worker, HOST, "/watch/1").await, format!("\u{2068}{HEBREW}\u{2069} @ \u{2068}{HEBREW}"));
    assert!(first.title().contains(&title), "{}", first.title());
    let calendar =
        worker.http.get(worker.url("/api/calendar/teams/101.ics")).send().await.unwrap().text().await.unwrap();
    let calendar = calendar.replace("\r\n ", "");
    assert!(calendar.contains(&format!("SUMMARY:{title}")), "{calendar}");
    for line in calendar.lines().filter(|line| line.starts_with("SUMMARY") || line.starts_with("LOCATION")) {
        is_isolated("calendar", line);
    }
}

/// `FAST-1a`, `FAST-1b`, `FAST-1c`, `SCORE-2a`, `FOUND-4a`: the first rail has events without scores, and none that are
/// blocked in the country.
#[tokio::test]
async fn the_home_page_shows_its_first_rail_without_blocked_events() {
    let (folder, data) = folder();
    let root = channel(folder.path(), "events.json", |events| {
        event(events, 3)["geo"] = json!({ "deny": ["CA"] });
        // A game that ended less than a day ago: whether it was today depends on the viewer's clock.
        let finished = event(events, 24).as_object_mut().unwrap();
        finished.remove("starts_on");
        finished.insert("starts_in_s".to_owned(), json!(-72_000));
    });
    let geo = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");
    let line = ["--channels", root.to_str().unwrap(), "--geo-mmdb", geo, "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &line);
    let home = page(&worker, HOST, "/").await.html;
    assert_eq!(ids(&home, CARDS), ["2", "1", "3"]);
    let (first, _) = parts(&home);
    assert!(first.contains("<h2 class=\"type-section\">Live now</h2>"), "{first}");
    assert_eq!(first.matches("class=\"score\"").count(), 3);
    assert!(!first.contains("score__points") && !first.contains("Quarter"), "{first}");
    let french = page(&worker, HOST, "/?lang=fr").await.html;
    assert!(parts(&french).0.contains("SE CONNECTER POUR REGARDER"));
    let closed = page_from(&worker, HOST, "/", "192.0.2.7").await.html;
    assert_eq!(ids(&closed, CARDS), ["2", "1"]);
    for (address, total) in [("203.0.113.7", 3), ("192.0.2.7", 2)] {
        let rows = page_from(&worker, HOST, "/schedule", address).await.html;
        assert_eq!(ids(&rows, NAMES)[..], ["2", "1", "3"][..total], "{address}");
    }
    worker.end();
}

/// `FAST-1c`, `FAST-2`, `FAST-6c`: the first photograph of the library is preloaded, the others are lazy.
#[tokio::test]
async fn the_librarys_first_photograph_is_preloaded() {
    let (folder, data) = folder();
    let root = channel(folder.path(), "vod.json", |vod| {
        for item in vod["items"].as_array_mut().unwrap() {
            item["figure"] = json!("");
            item["assets"].as_array_mut().unwrap().push(json!({ "type": "image", "path": "posters/ice.jpg" }));
        }
    });
    let worker = Worker::start(&data, &["--channels", root.to_str().unwrap()]);
    let library = page(&worker, HOST, "/vod_library").await.html;
    let (first, head) = parts(&library);
    let address = "/media/northfield/posters/ice.jpg";
    assert_eq!(head.matches("as=\"image\"").count(), 1, "{head}");
    assert!(
        head.contains(&format!("fetchpriority=\"high\" imagesizes=\"320px\" imagesrcset=\"{address}?width=320 320w"))
    );
    let card = first.split("<li class=\"rail__item\">").nth(1).unwrap();
    assert!(card.contains(&format!("src=\"{address}\" alt=\"\" fetchpriority=\"high\">")), "{card}");
    let [leading, waiting] = ["fetchpriority=\"high\"", "loading=\"lazy\""].map(|how| first.matches(how).count());
    assert!(leading == 1 && waiting > 3, "{leading} {waiting}");
    let narrowed = page(&worker, HOST, "/vod_library?category_id=2").await.html;
    assert!(!narrowed.contains("as=\"image\"") && !parts(&narrowed).0.contains("event-card"), "{narrowed}");
    worker.end();
}

/// `FAST-1a`, `FAST-1b`, `EVENT-4b`: the schedule shows live events, and the first day if it is the same in every time
/// zone.
#[tokio::test]
async fn the_schedule_shows_only_rows_common_to_all_time_zones() {
    for (ended_s_ago, shows_upcoming) in [(3 * 86_400, true), (3_600, false)] {
        let (folder, data) = folder();
        let root = channel(folder.path(), "events.json", |events| {
            events.as_array_mut().unwrap().retain(|event| event["starts_in_s"].is_number());
            let mut finished = event(events, 4).clone();
            finished["id"] = json!(900);
            finished["single_event_package_id"] = json!(1900);
            finished["starts_in_s"] = json!(-ended_s_ago - 7_200);
            finished["duration_s"] = json!(7_200);
            finished["media"] = json!([]);
            events.as_array_mut().unwrap().push(finished);
        });
        channel(folder.path(), "slides.json", |slides| {
            let is_available = |slide: &Value| slide["event_id"].as_i64().is_none_or(|id| id < 7);
            slides.as_array_mut().unwrap().retain(is_available);
        });
        let worker = Worker::start(&data, &["--channels", root.to_str().unwrap()]);
        let schedule = page(&worker, HOST, "/schedule").await.html;
        let rows = ids(&schedule, NAMES);
        assert_eq!(rows[..3], ["2", "1", "3"], "{rows:?}");
        assert_eq!(rows.get(3).is_some_and(|id| id == "4"), shows_upcoming, "{rows:?}");
        assert_eq!(ids(&page(&worker, HOST, "/upcoming").await.html, NAMES)[0], "4");
        assert_eq!(ids(&page(&worker, HOST, "/vod").await.html, NAMES), ["900"]);
        let (first, _) = parts(&schedule);
        assert!(first.contains("LOGIN TO WATCH") && !first.contains("datetime"), "{first}");
        worker.end();
    }
}
