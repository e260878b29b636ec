use serde_json::{Value, json};
use touchline_store::{
    AnalyticsBrowser, ChangeContext, Dimension, IdempotencyClaim, NewFavorite, NewKey, RegisterResult, SignIn, Store,
    no_mail,
};

use crate::{AT, Backend, new_favorite, new_key, new_user};

fn game(id: i64, name: &str) -> Dimension {
    let body = json!({ "id": id.to_string(), "name": name, "is_removed": false });
    Dimension { lake_table: "event_dim", id, body: body.to_string() }
}

/// Name and mark of the queued rows, oldest first.
async fn rows(store: &dyn Store) -> Vec<(String, bool)> {
    let rows = store.lake_rows(100).await.unwrap();
    let bodies = rows.iter().map(|row| serde_json::from_str::<Value>(&row.body).unwrap());
    bodies.map(|body| (body["name"].as_str().unwrap().to_owned(), body["is_removed"] == true)).collect()
}

pub(crate) async fn a_removed_item_of_a_channel_is_marked_once_in_the_lake(backend: impl Backend) {
    let store = backend.store();
    let queue = async |games: &[Dimension], at| store.queue_dimensions("meadow", games, at).await.unwrap();
    assert_eq!(queue(&[game(1, "Final"), game(2, "Derby")], AT).await, 2);
    assert_eq!(store.queue_dimensions("moor", &[], AT).await.unwrap(), 0, "another channel has none");
    assert_eq!(queue(&[game(1, "Final")], AT + 1).await, 1);
    assert_eq!(queue(&[game(1, "Final")], AT + 2).await, 0);
    assert_eq!(queue(&[game(1, "Final"), game(2, "Derby")], AT + 3).await, 1, "it is back");
    let expected = [("Final", false), ("Derby", false), ("Derby", true), ("Derby", false)];
    assert_eq!(rows(store).await, expected.map(|(name, mark)| (name.to_owned(), mark)));
}

/// Start of the day of [`AT`].
const DAY: i64 = AT - AT % 86_400_000;

fn context(n: u128, allows_analytics: bool) -> ChangeContext {
    let browser = AnalyticsBrowser { profile: "p-1".to_owned(), session: "s-1".to_owned() };
    ChangeContext {
        id: format!("{n:032x}"),
        channel_key: "meadow".to_owned(),
        analytics_key: "meadow".to_owned(),
        country: Some("CA".to_owned()),
        browser: allows_analytics.then_some(browser),
        at: AT,
    }
}

fn signing_in(hash: &str, user_id: Option<i64>, context: ChangeContext) -> NewKey {
    NewKey { sign_in: Some(SignIn { method: "password".to_owned(), context }), ..new_key(hash, user_id) }
}

/// `ANA-14`
pub(crate) async fn a_change_is_recorded_or_counted_with_its_transaction(backend: impl Backend) {
    let store = backend.store();
    let key = signing_in("first", None, context(1, true));
    let registered = store.register_user(new_user("ada@example.com"), Some(key), None, &no_mail).await.unwrap();
    let RegisterResult::New(ada, Some(first)) = registered else { panic!("{registered:?}") };
    // A refused registration and a log-in without a valid key write nothing.
    let key = signing_in("none", None, context(2, true));
    store.register_user(new_user("ada@example.com"), Some(key), None, &no_mail).await.unwrap();
    store.issue_key(signing_in("second", Some(ada.id), context(3, false)), Some(first.id)).await.unwrap().unwrap();
    assert!(
        store.issue_key(signing_in("third", Some(ada.id), context(4, true)), Some(first.id)).await.unwrap().is_none()
    );
    let claim = IdempotencyClaim {
        user_id: ada.id,
        call: "favorite".to_owned(),
        key: "k".to_owned(),
        fingerprint: "f".to_owned(),
    };
    let favorite = |n| NewFavorite { context: Some(context(n, true)), ..new_favorite(ada.id, 7) };
    store.add_favorite(favorite(5), 1, Some(claim.clone())).await.unwrap();
    store.add_favorite(favorite(6), 1, None).await.unwrap();
    store.add_favorite(favorite(7), 1, Some(claim)).await.unwrap_err();
    let id = store.favorites(ada.id).await.unwrap()[0].id;
    assert!(!store.remove_favorite(ada.id + 1, id, Some(context(8, true))).await.unwrap(), "another person's");
    assert!(store.remove_favorite(ada.id, id, Some(context(9, false))).await.unwrap());
    assert!(!store.remove_favorite(ada.id, id, Some(context(10, true))).await.unwrap(), "already removed");

    let rows = store.lake_rows(100).await.unwrap();
    let event = |event: &str, extras: Value| {
        json!({ "event": event, "profile": "p-1", "session_uuid": "s-1", "extras": extras, "channel": "meadow",
            "analytics_key": "meadow", "country": "CA" })
    };
    let count = |event: &str| json!({ "event": event, "channel": "meadow" });
    let found: Vec<_> = rows
        .iter()
        .map(|row| (&*row.lake_table, row.user_id, row.at, serde_json::from_str::<Value>(&row.body).unwrap()))
        .collect();
    let favorite = json!({ "favoritable_type": "group", "favoritable_id": "7" });
    assert_eq!(
        found,
        [
            ("event", Some(ada.id), AT, event("registered", json!({ "method": "password" }))),
            ("event_count", None, DAY, count("logged_in")),
            ("event", Some(ada.id), AT, event("favorite_added", favorite)),
            ("event_count", None, DAY, count("favorite_removed")),
        ]
    );
    assert_eq!(store.oldest_pending_lake_row().await.unwrap(), Some(AT));
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    store.accept_lake_rows(&ids, AT).await.unwrap();
    store.requeue_lake_rows(&ids).await.unwrap();
    assert_eq!(store.lake_rows(100).await.unwrap(), [], "the lake's queue has them");
}
