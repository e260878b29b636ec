use serde_json::json;

use crate::app::{App, ChannelFolder};

/// The ids found of each kind: events, teams, schools, videos, pages.
async fn found(app: &App, query: &str) -> [Vec<i64>; 5] {
    let key = app.visitor().await;
    let data = app.get(&key, &format!("search?q={query}")).await.data();
    ["events", "participants", "participant_groups", "vod_media_items", "pages"].map(|kind| {
        let list = &data[kind];
        let ids: Vec<_> = list["data"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect();
        assert_eq!(list["meta"]["total"], ids.len(), "{kind}");
        ids
    })
}

/// `SEARCH-1`, `SEARCH-2`.
#[tokio::test]
async fn every_kind_is_found_by_prefixes_without_accents_and_with_typos() {
    let app = App::new().await;
    let [events, teams, schools, videos, pages] = found(&app, "meadow").await;
    assert_eq!((events[0], teams, schools), (1, vec![101, 103], vec![1]), "the live event first");
    assert_eq!((videos, pages), (vec![], vec![]));
    assert_eq!(found(&app, "lar%20hock").await[1], [103], "all words must match");
    assert_eq!(found(&app, "Winter's").await[3], [3], "an apostrophe of any kind");
    assert_eq!(found(&app, "C%C3%B6verage").await[3], [2]);
    assert_eq!(found(&app, "covreage").await[3], [2]);
    assert_eq!(found(&app, "seson%20gide").await[4], [2]);
    assert_eq!(found(&app, "rivarly").await[0], [2]);
    for nothing in ["", "%20-%20", "zzzzzz", "meadow%20zzzzzz"] {
        assert_eq!(found(&app, nothing).await, [const { Vec::<i64>::new() }; 5], "{nothing}");
    }
}

#[tokio::test]
async fn results_are_limited_per_kind_with_full_counts_and_without_page_content() {
    let app = App::new().await;
    let key = app.visitor().await;
    let teams = app.get(&key, "search?q=meadow&limit=1").await.data()["participants"].clone();
    assert_eq!(teams["meta"], json!({ "total": 2, "limit": 1, "offset": 0 }));
    assert_eq!(teams["data"].as_array().unwrap().len(), 1);
    let page = app.get(&key, "search?q=season").await.data()["pages"]["data"][0].clone();
    assert_eq!(page, json!({ "id": 2, "url": "/season-guide", "alt_name": "season-guide", "name": "Season guide" }));
}

#[tokio::test]
async fn an_empty_search_finds_nothing_and_an_oversized_one_is_rejected() {
    let app = App::new().await;
    let key = app.visitor().await;
    assert_eq!(app.get(&key, "search").await.data()["events"]["meta"]["total"], 0);
    for limit in ["0", "51"] {
        app.get(&key, &format!("search?q=a&limit={limit}")).await.fails(400, "malformed");
    }
    app.get(&key, &format!("search?q={}", "a".repeat(201))).await.fails(400, "invalid");
    app.get(&key, &format!("search?q={}", "a".repeat(200))).await.data();
}

/// `SEARCH-1`.
#[tokio::test]
async fn the_search_covers_changes_respects_the_archive_and_reports_blocked_regions() {
    let folder = ChannelFolder::copied();
    let app = App::of(&folder).await;
    assert_eq!(found(&app, "rivalry").await[0], [2]);
    folder.replace("events.json", "Rivalry night", "Jamboree");
    app.reload();
    assert_eq!((found(&app, "rivalry").await[0].clone(), found(&app, "jamboree").await[0].clone()), (vec![], vec![2]));

    let key = app.visitor().await;
    let blocked = |country| {
        let (app, key) = (&app, &key);
        async move {
            let found = app.get_from(Some(country), key, "search?q=practice").await.data();
            found["events"]["data"][0]["is_geo_blocked"].clone()
        }
    };
    assert_eq!((blocked("CA").await, blocked("US").await), (json!(true), json!(false)));

    folder.replace("events.json", r#""starts_in_s": -90000"#, r#""event_utc_ts": 1600000000"#);
    app.reload();
    assert_eq!(found(&app, "practice").await[0], [] as [i64; 0]);
}
