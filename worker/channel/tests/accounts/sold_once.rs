//! A person cannot buy a product that they have, or whose content they have.

use serde_json::json;

use crate::app::{App, ChannelFolder, VALID_CARD};

/// The check comes before the card's, since there is nothing to sell.
#[tokio::test]
async fn an_existing_purchase_is_reported_before_any_fault_of_the_card() {
    let app = App::new().await;
    let person = app.person("ada").await;
    let mut event = json!({ "type": "event", "id": 1, "single_event_package_id": 1001 });
    app.bought(&person, VALID_CARD, event.clone()).await;
    event["payment_method_id"] = json!("pm_of_nobody");
    let again = app.buy(&person, "again", event).await;
    assert_eq!(again.fails(400, "already_bought"), "You already bought this event.");
}

#[tokio::test]
async fn content_of_other_packages_is_not_sold_again() {
    let folder = ChannelFolder::copied();
    folder.edit("meadow/packages.json", |packages| {
        let packages = packages.as_array_mut().unwrap();
        for (id, like) in [(3, 0), (4, 1)] {
            let mut package = packages[like].clone();
            package["id"] = json!(id);
            packages.push(package);
        }
        packages[3]["event_categories"] = json!([11]);
    });
    let app = App::of(&folder).await;
    let person = app.person("ada").await;
    let card = app.card(&person, VALID_CARD).await;

    app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 2, "participant_id": 101 })).await;
    let pass = |team: i64| json!({ "type": "package", "id": 3, "participant_id": team, "payment_method_id": card });
    app.buy(&person, "team", pass(101)).await.fails(400, "already_bought");
    app.buy(&person, "other", pass(102)).await.data();

    app.bought(&person, VALID_CARD, json!({ "type": "package", "id": 1 })).await;
    let part = json!({ "type": "package", "id": 4, "payment_method_id": card });
    app.buy(&person, "part", part).await.fails(400, "already_bought");
}
