use serde_json::{Value, json};
use touchline_store::{Dimension, Store};

use crate::{AT, Backend};

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
