use serde_json::{Value, json};
use touchline_protocol::purchases::OrderType;

use crate::app::{App, ChannelFolder, NOW};

/// The event's `has_access` and the address of its video (`type` 2, 3 or 4), if any.
async fn watches(app: &App, key: &str, id: i64, country: Option<&str>) -> (bool, Option<String>) {
    let event = app.get_from(country, key, &format!("events/{id}")).await.data();
    let is_video = |medium: &&Value| [2, 3, 4].contains(&medium["type"].as_i64().unwrap());
    let is_on = |medium: &&Value| medium["url"].is_string() || medium["is_protected"] == true;
    let mut media = event["media"].as_array().unwrap().iter().filter(is_video);
    assert!(media.clone().all(|medium| medium["url"].as_str().is_none_or(|url| url.contains("/open/"))), "{event}");
    let has_access = event["has_access"].as_bool().unwrap();
    let Some(medium) = media.find(is_on) else { return (has_access, None) };
    let playback = app.get_from(country, key, &format!("events/{id}/playback/{}", medium["id"])).await;
    assert_eq!(playback.header(axum::http::header::CACHE_CONTROL), "private, no-store");
    (has_access, playback.data()["playback_url"].as_str().map(str::to_owned))
}

/// `EVENT-1`, `EVENT-3`.
#[tokio::test]
async fn an_event_has_all_its_fields() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let event = app.get(&viewer, "events/1").await.data();
    let expected = json!({
        "id": 1, "name": "Lakeside at Meadow", "type": "paid", "access_type": "paid", "has_access": false,
        "is_geo_blocked": false, "event_utc_ts": NOW - 600, "time_zone": "America/Chicago", "duration_s": 7200, "event_category_id": 11,
        "location_id": 1, "home_team_id": 101, "stream_status": "live", "base_price": 799, "service_fee": 60,
        "currency": "USD", "single_event_package_id": 1001, "description": "", "version": NOW - 600
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(event[field], *value, "{field}");
    }
    let teams: Vec<_> = event["participants"].as_array().unwrap().iter().map(|team| team["id"].clone()).collect();
    assert_eq!(teams, [102, 101], "away first");
    assert_eq!(
        event["media"],
        json!([
            { "id": 11, "type": 1, "url": "/media/meadow/posters/court.svg", "duration_s": 0.0 },
            { "id": 12, "type": 2, "duration_s": 0.0 },
            { "id": 13, "type": 3, "duration_s": 12.0 },
            { "id": 16, "type": 6, "url": "/media/meadow/s/e16/open/index.m3u8", "duration_s": 4.0 },
        ])
    );
    app.get(&viewer, "events/99").await.fails(404, "not_found");
    app.get(&viewer, "events/1.5").await.fails(404, "not_found");
    app.get(&viewer, "events/99999999999999999999").await.fails(404, "not_found");
}

/// `EVENT-1`: the demo starts on 15 January 2027, 08:00 UTC; Chicago's clocks skip 02:00 to 03:00 on 14 March.
#[tokio::test]
async fn a_kick_off_keeps_its_local_time_across_clock_changes() {
    let folder = ChannelFolder::copied();
    let app = App::of(&folder).await;
    let viewer = app.visitor().await;
    folder.set("events.json", "/3/starts_in_s", Value::Null);
    for (day, time, zone, at) in [
        (0, "19:30", "America/Chicago", "2027-01-16T01:30:00Z"),
        (-1, "00:00", "America/Chicago", "2027-01-14T06:00:00Z"),
        (58, "02:30", "America/Chicago", "2027-03-14T08:30:00Z"),
        (60, "19:30", "America/Chicago", "2027-03-17T00:30:00Z"),
        (0, "19:30", "Pacific/Honolulu", "2027-01-15T05:30:00Z"),
        (1, "13:00", "Asia/Tokyo", "2027-01-16T04:00:00Z"),
    ] {
        folder.set("events.json", "/3/starts_on", json!({ "day": day, "time": time }));
        folder.set("events.json", "/3/time_zone", json!(zone));
        app.reload();
        let starts = app.get(&viewer, "events/4").await.data()["event_utc_ts"].as_i64().unwrap();
        assert_eq!(jiff::Timestamp::from_second(starts).unwrap().to_string(), at, "{day} {time} {zone}");
    }
}

/// `EVENT-4`, `EVENT-8`.
#[tokio::test]
async fn free_events_are_for_everyone_and_register_events_for_registered_people() {
    let app = App::new().await;
    let (visitor, person) = (app.visitor().await, app.person_with_rights("ann", &["watch"]).await);
    let open = watches(&app, &visitor, 4, None).await;
    assert!(open.0 && open.1.is_some_and(|url| url.ends_with("/master.m3u8")));
    assert_eq!(watches(&app, &visitor, 3, None).await, (false, None));
    let registered = watches(&app, &person.key, 3, None).await;
    assert!(registered.0 && registered.1.is_some_and(|url| url.starts_with("/media/meadow/s/e33/")));
    assert_eq!(watches(&app, &person.key, 1, None).await, (false, None));
    assert_eq!(watches(&app, &app.temporary("tom").await.key, 3, None).await, (false, None));
}

#[tokio::test]
async fn each_kind_of_purchase_gives_access_only_to_its_owner() {
    let app = App::new().await;
    let ways = [
        ("single", OrderType::Event, 1, vec![], None),
        ("package", OrderType::Package, 1, vec![10], None),
        ("team", OrderType::Package, 2, vec![], Some(101)),
        ("subscription", OrderType::Subscription, 1, vec![], None),
    ];
    for (name, kind, id, covers, team) in ways {
        let viewer = app.person_with_rights(name, &["watch"]).await;
        assert_eq!(watches(&app, &viewer.key, 1, None).await, (false, None), "{name} before");
        app.owns(&viewer, kind, id, &covers, team).await;
        let (has_access, url) = watches(&app, &viewer.key, 1, None).await;
        assert!(has_access && url.is_some_and(|url| url.starts_with("/media/meadow/s/l12/")), "{name}");
    }
    let other = app.person_with_rights("other", &["watch"]).await;
    assert_eq!(watches(&app, &other.key, 1, None).await, (false, None));
    let restricted = app.person_with_rights("powerless", &[]).await;
    app.owns(&restricted, OrderType::Event, 1, &[], None).await;
    assert_eq!(watches(&app, &restricted.key, 1, None).await, (false, None), "no right to watch");
}

#[tokio::test]
async fn pay_per_view_is_for_its_buyer_and_has_no_address_before_the_start() {
    let app = App::new().await;
    let (buyer, subscriber) =
        (app.person_with_rights("buyer", &["watch"]).await, app.person_with_rights("subscriber", &["watch"]).await);
    app.owns(&buyer, OrderType::Event, 2, &[], None).await;
    app.owns(&subscriber, OrderType::Subscription, 1, &[], None).await;
    app.owns(&subscriber, OrderType::Package, 1, &[20], None).await;
    assert_eq!(watches(&app, &buyer.key, 2, None).await, (true, None), "not available yet");
    app.clock.advance_ms(3_600_000);
    let (has_access, url) = watches(&app, &buyer.key, 2, None).await;
    assert!(has_access && url.is_some_and(|url| url.starts_with("/media/meadow/s/l22/")));
    assert_eq!(watches(&app, &subscriber.key, 2, None).await, (false, None));
    app.clock.advance_ms(7_200_000);
    let (_, recording) = watches(&app, &buyer.key, 2, None).await;
    assert!(recording.is_some_and(|url| url.starts_with("/media/meadow/s/e22/")), "the stream is its own recording");
}

#[tokio::test]
async fn a_blocked_region_gets_no_video_and_events_can_have_separate_rules() {
    let app = App::new().await;
    let viewer = app.person_with_rights("ann", &["watch"]).await;
    app.owns(&viewer, OrderType::Subscription, 1, &[], None).await;
    assert!(watches(&app, &viewer.key, 5, Some("US")).await.0);
    assert!(!watches(&app, &viewer.key, 5, Some("CA")).await.0);
    assert!(!watches(&app, &viewer.key, 5, None).await.0, "this event denies unknown countries");
    assert!(watches(&app, &viewer.key, 1, Some("CA")).await.0);
    for id in [1, 3, 4, 5] {
        assert_eq!(watches(&app, &viewer.key, id, Some("KP")).await, (false, None), "{id}");
    }
}

/// `LIST-1`, `LIST-3`, `CALL-5`.
#[tokio::test]
async fn events_are_filtered_sorted_and_paged() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let list = async |query: &str| app.get(&viewer, &format!("events?{query}")).await.ids();
    assert_eq!(list("").await, [5, 3, 4, 1, 2]);
    assert_eq!(list("stream_status=live,upcoming").await, [4, 1, 2]);
    assert_eq!(list("stream_status=finished").await, [3, 5], "newest first");
    assert_eq!(list("stream_status=finished&sort_direction=asc").await, [5, 3]);
    assert_eq!(list("stream_status=finished&start_date=2022-01-01").await, [3, 5, 6]);
    assert_eq!(list("end_date=2022-07-02&start_date=2022-07-01T00:00:00Z").await, [6]);
    assert_eq!(list("gender=female").await, [1]);
    assert_eq!(list("sport=hockey&state=WI&city=Lakeside").await, [5, 2]);
    assert_eq!(list("school=meadow").await, list("group=1").await);
    assert_eq!(list("team=101").await, list("participant=meadow-womens-basketball").await);
    assert_eq!(list("event_category_id=10").await, [3, 4, 1]);
    assert_eq!(list("category=basketball").await, [3, 4, 1]);
    assert_eq!(list("package=1").await, [1], "only the paid event of its category");
    assert_eq!(list("package=9").await, [0; 0]);
    assert_eq!(list("location=2").await, [5, 2]);
    assert_eq!(list("ids=2,1").await, [1, 2]);
    assert_eq!(list("text=rivalry").await, [2]);
    assert_eq!(list("sort_field=name").await, [5, 1, 3, 2, 4]);
    assert_eq!(list("sort_field=base_price&sort_direction=desc&limit=1").await, [2]);
    let part = app.get(&viewer, "events?limit=2&offset=1").await;
    assert_eq!((part.ids(), part.json()["meta"].clone()), (vec![3, 4], json!({ "total": 5, "limit": 2, "offset": 1 })));
    assert_eq!(list("limit=1&no_limit=1").await.len(), 5);
}

#[tokio::test]
async fn an_invalid_query_is_rejected_with_its_field() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    for (query, field) in [
        ("stream_status=over", "stream_status"),
        ("gender=F", "gender"),
        ("location=hall", "location"),
        ("ids=1,x", "ids"),
        ("start_date=soon", "start_date"),
        ("end_date=later", "end_date"),
        ("sort_field=id", "sort_field"),
        ("sort_direction=up", "sort_direction"),
        ("limit=0", "limit"),
        ("limit=ten", "query"),
    ] {
        app.get(&viewer, &format!("events?{query}")).await.blames(field);
    }
    let long = app.get(&viewer, &format!("events?text={}", "a".repeat(201))).await;
    long.fails(400, "invalid");
    assert_eq!(long.blames("text"), "Field length must be less than 201.");
    app.get(&viewer, &format!("events?sport={}", "a,".repeat(101))).await.fails(400, "malformed");
    assert_eq!(app.get(&viewer, "events?text=%FF%FE").await.ids(), [0; 0], "non-text matches nothing");
}

#[tokio::test]
async fn the_category_tree_and_the_locations_are_lists() {
    let app = App::new().await;
    let viewer = app.visitor().await;
    let tree = app.get(&viewer, "events-categories").await.data();
    assert_eq!(
        tree[0]["children"][1],
        json!({
            "id": 12, "name": "Men’s", "alias": "mens-basketball", "sport": "basketball", "children": []
        })
    );
    assert_eq!(app.get(&viewer, "events-locations").await.data()[1]["city"], "Lakeside");
}
