use touchline_protocol::favorites::FavoritableType;

use crate::app::{App, Viewer};

#[tokio::test]
async fn the_home_page_has_a_rail_for_each_status_and_each_sport() {
    let app = App::new().await;
    let rails = app.call(&app.visitor().await, "events-for-homepage").await.data();
    let rails: Vec<_> = rails
        .as_array()
        .unwrap()
        .iter()
        .map(|rail| {
            let events = rail["events"].as_array().unwrap().iter().map(|event| event["id"].as_i64().unwrap());
            (rail["id"].as_str().unwrap().to_owned(), rail["total"].as_u64().unwrap(), events.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        rails,
        [
            ("live".to_owned(), 2, vec![4, 1]),
            ("upcoming".to_owned(), 1, vec![2]),
            ("finished".to_owned(), 2, vec![3, 5]),
            ("basketball".to_owned(), 3, vec![4, 1, 3]),
            ("hockey".to_owned(), 2, vec![2, 5]),
        ]
    );
    app.clock.advance_ms(7 * 86_400_000);
    let later = app.call(&Viewer { key: "visitor".to_owned(), user_id: None }, "events-for-homepage").await.data();
    assert_eq!(later[0]["id"], "finished", "a rail without events is left out");
}

/// `CALL-5`, `LIST-4`.
#[tokio::test]
async fn favourite_events_are_those_of_ones_own_teams_schools_and_sports() {
    let app = App::new().await;
    let list = async |viewer: &Viewer, query: &str| app.call(viewer, &format!("events/favorite?{query}")).await;
    for (name, kind, id, expected) in [
        ("team", FavoritableType::Participant, 101, vec![1]),
        ("school", FavoritableType::Group, 2, vec![5, 1, 2]),
        ("sport", FavoritableType::Category, 20, vec![5, 2]),
    ] {
        let viewer = app.person(name, &["watch"]).await;
        assert_eq!(list(&viewer, "").await.ids(), [0; 0], "{name}");
        app.marks(&viewer, kind, id).await;
        assert_eq!(list(&viewer, "").await.ids(), expected, "{name}");
    }
    let sport = Viewer { key: "sport".to_owned(), user_id: None };
    let filtered =
        "stream_status=upcoming&start_date=2026-01-01&limit=1&offset=0&sort_field=event_utc_ts&sort_direction=desc";
    assert_eq!(list(&sport, filtered).await.ids(), [2]);
    list(&sport, "stream_status=over").await.fails(400, "invalid");
    list(&app.visitor().await, "").await.fails(401, "unauthenticated");
    list(&app.temporary("tom").await, "").await.fails(403, "temporary_password");
}

#[tokio::test]
async fn events_with_clips_are_for_people() {
    let app = App::new().await;
    app.call(&app.visitor().await, "events/with_clip").await.fails(401, "unauthenticated");
    assert_eq!(app.call(&app.person("ann", &["watch"]).await, "events/with_clip").await.ids(), [0; 0]);
}
