use touchline_protocol::favorites::FavoritableType;
use touchline_protocol::purchases::OrderType;
use touchline_store::NewFavorite;

use crate::app::{App, NOW};

#[tokio::test]
async fn the_home_page_has_a_rail_for_each_status_and_each_sport() {
    let app = App::new().await;
    let visitor = app.visitor().await;
    let rails = app.get(&visitor, "events-for-homepage").await.data();
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
    let later = app.get(&visitor, "events-for-homepage").await.data();
    assert_eq!(later[0]["id"], "finished", "empty rails are omitted");
}

/// `CALL-5`, `LIST-4`.
#[tokio::test]
async fn favourite_events_match_the_viewers_teams_schools_and_sports() {
    let app = App::new().await;
    let list = async |key: &str, query: &str| app.get(key, &format!("events/favorite?{query}")).await;
    let team = app.person_with_rights("team", &["watch"]).await;
    let school = app.person_with_rights("school", &["watch"]).await;
    let sport = app.person_with_rights("sport", &["watch"]).await;
    for (viewer, kind, id, expected) in [
        (&team, FavoritableType::Participant, 101, vec![1]),
        (&school, FavoritableType::Group, 2, vec![5, 1, 2]),
        (&sport, FavoritableType::Category, 20, vec![5, 2]),
    ] {
        assert_eq!(list(&viewer.key, "").await.ids(), [0; 0], "{viewer:?}");
        let new = NewFavorite { user_id: viewer.id, kind, favoritable_id: id, context: None, at: NOW * 1000 };
        app.state.store.add_favorite(new, 100, None).await.unwrap();
        assert_eq!(list(&viewer.key, "").await.ids(), expected, "{viewer:?}");
    }
    let filtered =
        "stream_status=upcoming&start_date=2026-01-01&limit=1&offset=0&sort_field=event_utc_ts&sort_direction=desc";
    assert_eq!(list(&sport.key, filtered).await.ids(), [2]);
    list(&sport.key, "stream_status=over").await.fails(400, "invalid");
    list(&app.visitor().await, "").await.fails(401, "unauthenticated");
    list(&app.temporary("tom").await.key, "").await.fails(403, "temporary_password");
}

/// `LIST-4`.
#[tokio::test]
async fn owned_events_are_those_included_in_a_purchase_or_pass() {
    let app = App::new().await;
    let buyer = app.person_with_rights("buyer", &["watch"]).await;
    let list = async |key: &str, query: &str| app.get(key, &format!("events?{query}")).await;
    assert_eq!(list(&buyer.key, "owned=1").await.ids(), [0; 0]);
    let all = list(&buyer.key, "owned=0").await.ids();
    assert_eq!(list(&buyer.key, "").await.ids(), all);
    app.owns(&buyer, OrderType::Event, 1, &[], None).await;
    assert_eq!(list(&buyer.key, "owned=1").await.ids(), [1]);
    let page = list(&buyer.key, "owned=1&stream_status=upcoming").await;
    assert_eq!(page.ids(), [0; 0], "the other filters apply too");
    assert_eq!(list(&app.visitor().await, "owned=1").await.ids(), [0; 0]);
    list(&buyer.key, "owned=2").await.fails(400, "invalid");
}

#[tokio::test]
async fn events_without_clips_are_not_listed() {
    let app = App::new().await;
    assert_eq!(app.get(&app.visitor().await, "events/with_clip").await.ids(), [0; 0]);
    assert_eq!(app.get(&app.person_with_rights("ann", &["watch"]).await.key, "events/with_clip").await.ids(), [0; 0]);
}
