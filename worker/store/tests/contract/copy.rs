//! Migration of a store from a file to PostgreSQL.

use std::ops::ControlFlow;

use touchline_protocol::ambient::SeededEntropy;
use touchline_store::{
    IdempotencyClaim, Keys, Maintenance, MasterSecret, NewUser, OrderFilter, Orders, PostgresStore, RegisterResult,
    Responses, SqliteStore, StoreError, Users, copy, no_mail,
};

use crate::orders::{new_order, placed};
use crate::postgres::database;
use crate::{AT, new_key, new_user, register};

#[tokio::test]
async fn an_interrupted_copy_copies_everything_once_and_ids_continue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("channel.sqlite");
    let store = SqliteStore::open(&path, &*SeededEntropy::new(1)).await.unwrap();
    let entropy: touchline_protocol::ambient::SharedEntropy = SeededEntropy::new(3);
    let secret = MasterSecret::of(&store, &entropy).await.unwrap().derive("test", "");
    let mut people = Vec::new();
    for number in 0..25 {
        let user = register(&store, &format!("ada{number}@example.com")).await;
        store.issue_key(new_key(&format!("hash{number}"), Some(user.id)), None).await.unwrap();
        let claim = IdempotencyClaim { user_id: user.id, call: "buy".into(), key: "k".into(), fingerprint: "f".into() };
        store.create_order(new_order(user.id, 1), Some(claim)).await.unwrap();
        people.push(user);
    }
    // Characters that JSON or SQL escape.
    let odd = NewUser { first_name: "'\"\\ \u{1f3c0} {}\n".to_owned(), ..new_user("odd@example.com") };
    let RegisterResult::New(odd, _) = store.register_user(odd, None, None, &no_mail).await.unwrap() else {
        panic!("taken")
    };
    store.close().await;

    let address = database().await;
    let mut stops = 0;
    let copied = loop {
        let mut parts = 0;
        let stopped = copy::copy(&path, &address, 7, |_, _| {
            parts += 1;
            if parts > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match stopped.await {
            Ok(copied) => break copied,
            Err(StoreError::Copy(why)) => assert!(why.contains("run the same command again"), "{why}"),
            Err(error) => panic!("{error}"),
        }
        stops += 1;
        assert!(stops < 50, "the copy never completes");
    };
    assert!(stops > 5, "{stops}");
    let rows = |name: &str| copied.iter().find(|table| table.name == name).unwrap().rows;
    assert_eq!((rows("users"), rows("orders"), rows("api_keys"), rows("answers")), (26, 25, 25, 25));

    let moved = PostgresStore::open(&address, &2.to_string(), &*SeededEntropy::new(2)).await.unwrap();
    assert_eq!(MasterSecret::of(&moved, &entropy).await.unwrap().derive("test", ""), secret);
    assert_eq!(moved.user(odd.id).await.unwrap().unwrap(), *odd);
    for (number, user) in people.iter().enumerate() {
        assert_eq!(moved.user(user.id).await.unwrap().as_ref(), Some(user));
        assert_eq!(moved.key(&format!("hash{number}")).await.unwrap().unwrap().user_id, Some(user.id));
        assert_eq!(moved.orders(user.id, OrderFilter::default()).await.unwrap().1, 1);
        assert!(moved.stored_response(user.id, "buy", "k", AT).await.unwrap().is_some());
    }
    let order = placed(&moved, new_order(people[0].id, 9)).await;
    assert_eq!(order.id, 26);
    moved.close().await;

    let refused = copy::copy(&path, &address, 7, |_, _| ControlFlow::Continue(())).await.unwrap_err();
    assert!(refused.to_string().contains("already contains records"), "{refused}");
}
