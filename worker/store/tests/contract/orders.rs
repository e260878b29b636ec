use touchline_protocol::purchases::{ActivityStatus, Order, OrderStatus, OrderType};
use touchline_store::{
    BillingPeriod, CreateOrderResult, IdempotencyClaim, NewOrder, NewSubscription, NewUser, OrderFilter, Outcome,
    RecordedOrderEvent, RegisterResult, Scope, Store, no_mail,
};

use crate::{AT, Backend, new_user, register};

pub(crate) fn new_order(user_id: i64, product_id: i64) -> NewOrder {
    NewOrder {
        channel_key: "meadow".to_owned(),
        user_id,
        kind: OrderType::Event,
        product_id,
        product_name: "A game".to_owned(),
        event_category_id: Some(11),
        participant_id: None,
        event_categories: vec![10, 20],
        base_price: 1000,
        discount: 100,
        service_fee: 50,
        currency: "USD".to_owned(),
        promo_code: Some("TEN".to_owned()),
        promo_limit: None,
        payment_method_id: "pm".to_owned(),
        card_fingerprint: None,
        period_days: 2,
        subscription: None,
        at: AT,
        charge_at: AT + 5,
    }
}

pub(crate) async fn placed(store: &dyn Store, new: NewOrder) -> Order {
    match store.create_order(new, None).await.unwrap() {
        CreateOrderResult::Order(order) => *order,
        other => panic!("{other:?}"),
    }
}

fn paid() -> Outcome {
    Outcome::Paid { period_end: None, trial_end: None }
}

pub(crate) async fn an_order_its_response_and_its_status_are_stored_together(backend: impl Backend) {
    let user = register(backend.store(), "ada@example.com").await;
    let claim =
        IdempotencyClaim { user_id: user.id, call: "buy".to_owned(), key: "k".to_owned(), fingerprint: "f".to_owned() };
    let order = match backend.store().create_order(new_order(user.id, 1), Some(claim.clone())).await.unwrap() {
        CreateOrderResult::Order(order) => *order,
        other => panic!("{other:?}"),
    };
    // A concurrent request on another worker: neither its order nor its response is written.
    assert!(backend.store().create_order(new_order(user.id, 2), Some(claim)).await.is_err());
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(order.total, 950);
    let record = store.order(user.id, order.id).await.unwrap().unwrap();
    assert_eq!(record.order, order);
    assert_eq!(record.event_categories, [10, 20]);
    let answer = store.stored_response(user.id, "buy", "k", AT).await.unwrap().unwrap();
    assert_eq!(answer.body, serde_json::json!({ "data": order }).to_string());
    assert!(store.stored_response(user.id, "buy", "k", AT + 1).await.unwrap().is_none(), "the response has expired");
    assert!(store.stored_response(user.id, "other", "k", AT).await.unwrap().is_none());
    let (seq, items) = store.status_snapshot(&Scope::User(user.id)).await.unwrap();
    assert_eq!((seq, items.len(), &items[0].state), (1, 1, &serde_json::to_value(&order).unwrap()));
    assert_eq!(store.orders(user.id, OrderFilter::default()).await.unwrap().1, 1);
}

pub(crate) async fn an_order_is_due_from_its_time_until_settled(backend: impl Backend) {
    let user = register(backend.store(), "ada@example.com").await;
    let order = placed(backend.store(), new_order(user.id, 1)).await;
    let backend = backend.reopened().await;
    let store = backend.store();
    assert!(store.due_orders(AT + 4, 10).await.unwrap().is_empty());
    assert_eq!(store.next_due().await.unwrap(), Some(AT + 5));
    let due = store.due_orders(AT + 5, 10).await.unwrap();
    assert_eq!((due[0].record.order.id, due[0].renewal, due[0].attempts), (order.id, 0, 0));
    store.settle_order(order.id, 0, Outcome::Unanswered { retry_at: AT + 9 }.into(), AT + 5).await.unwrap();
    assert!(store.due_orders(AT + 8, 10).await.unwrap().is_empty());
    assert_eq!(store.due_orders(AT + 9, 10).await.unwrap()[0].attempts, 1);
    store.settle_order(order.id, 0, paid().into(), AT + 9).await.unwrap().unwrap();
    assert!(store.due_orders(i64::MAX, 10).await.unwrap().is_empty());
}

pub(crate) async fn an_order_is_settled_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await;
    let first = store.settle_order(order.id, 0, paid().into(), AT).await.unwrap().unwrap();
    assert_eq!((first.status, first.activity_status, first.version), (OrderStatus::Paid, ActivityStatus::Active, 2));
    assert!(store.settle_order(order.id, 0, Outcome::Failed("no".to_owned()).into(), AT).await.unwrap().is_none());
    assert!(store.settle_order(order.id, 0, paid().into(), AT).await.unwrap().is_none());
    assert!(store.settle_order(order.id, 1, paid().into(), AT).await.unwrap().is_none(), "the order does not renew");
    assert!(store.settle_order(999, 0, paid().into(), AT).await.unwrap().is_none());
    assert_eq!(store.order(user.id, order.id).await.unwrap().unwrap().order, first);
    assert_eq!(store.status_head(&Scope::User(user.id)).await.unwrap(), 2);
}

pub(crate) async fn a_product_owned_or_pending_cannot_be_ordered_again(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let other = register(store, "bob@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await;
    let again = || store.create_order(new_order(user.id, 1), None);
    assert_eq!(again().await.unwrap(), CreateOrderResult::AlreadyBought);
    store.settle_order(order.id, 0, paid().into(), AT).await.unwrap();
    assert_eq!(again().await.unwrap(), CreateOrderResult::AlreadyBought);
    placed(store, new_order(other.id, 1)).await;
    placed(store, NewOrder { participant_id: Some(7), ..new_order(user.id, 1) }).await;
    placed(store, NewOrder { at: AT + 2 * 86_400_000, ..new_order(user.id, 1) }).await;
}

pub(crate) async fn an_order_belongs_to_its_user(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let other = register(store, "bob@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await;
    store.settle_order(order.id, 0, paid().into(), AT).await.unwrap();
    assert!(store.order(other.id, order.id).await.unwrap().is_none());
    assert_eq!(store.owned(user.id, AT).await.unwrap().len(), 1);
    assert!(store.owned(other.id, AT).await.unwrap().is_empty());
    assert_eq!(store.orders(other.id, OrderFilter::default()).await.unwrap().1, 0);
}

pub(crate) async fn expired_orders_become_inactive_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await;
    store.settle_order(order.id, 0, paid().into(), AT).await.unwrap();
    let end = AT + 2 * 86_400_000;
    assert_eq!(store.next_due().await.unwrap(), Some(end));
    assert_eq!(store.expire_orders(end - 1).await.unwrap(), 0);
    assert_eq!(store.owned(user.id, end - 1).await.unwrap().len(), 1);
    assert!(store.owned(user.id, end).await.unwrap().is_empty());
    assert_eq!(store.expire_orders(end).await.unwrap(), 1);
    assert_eq!(store.expire_orders(end).await.unwrap(), 0);
    let ended = store.order(user.id, order.id).await.unwrap().unwrap().order;
    assert_eq!((ended.status, ended.activity_status, ended.version), (OrderStatus::Paid, ActivityStatus::Inactive, 3));
}

pub(crate) async fn renewals_are_settled_in_sequence(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let new = NewOrder {
        kind: OrderType::Subscription,
        period_days: 0,
        subscription: Some(NewSubscription {
            period: BillingPeriod::Monthly,
            trial_days: 0,
            renewal_price: 1050,
            renewal_fee: 50,
        }),
        ..new_order(user.id, 1)
    };
    let order = placed(store, new).await;
    let until = |end| Outcome::Paid { period_end: Some(end), trial_end: None };
    store.settle_order(order.id, 0, until(AT + 100).into(), AT).await.unwrap().unwrap();
    assert_eq!(store.next_due().await.unwrap(), Some(AT + 100));
    assert_eq!(store.due_orders(AT + 100, 10).await.unwrap()[0].renewal, 1);
    assert!(
        store.settle_order(order.id, 2, until(AT + 300).into(), AT).await.unwrap().is_none(),
        "the first renewal comes first"
    );
    store.settle_order(order.id, 1, until(AT + 200).into(), AT + 100).await.unwrap().unwrap();
    assert!(store.settle_order(order.id, 1, until(AT + 200).into(), AT + 100).await.unwrap().is_none());
    assert_eq!(store.due_orders(AT + 200, 10).await.unwrap()[0].renewal, 2);
    let stopped = store.stop_renewing(user.id, 1, AT + 150, None, None).await.unwrap().unwrap();
    assert_eq!(stopped.version, 4);
    assert!(store.due_orders(i64::MAX, 10).await.unwrap().is_empty());
    assert!(
        store.settle_order(order.id, 2, until(AT + 300).into(), AT + 200).await.unwrap().is_none(),
        "auto-renew is off"
    );
    assert_eq!(store.expire_orders(AT + 200).await.unwrap(), 1);
}

pub(crate) async fn a_trial_is_used_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let trial = |product_id| NewOrder {
        kind: OrderType::Subscription,
        subscription: Some(NewSubscription {
            period: BillingPeriod::Monthly,
            trial_days: 7,
            renewal_price: 1050,
            renewal_fee: 50,
        }),
        ..new_order(user.id, product_id)
    };
    placed(store, trial(1)).await;
    assert!(store.user(user.id).await.unwrap().unwrap().trial_period_used);
    assert_eq!(store.create_order(trial(2), None).await.unwrap(), CreateOrderResult::TrialUsed);
}

pub(crate) async fn a_card_or_untagged_address_starts_one_trial(backend: impl Backend) {
    let store = backend.store();
    let trial = |user_id, card: &str| NewOrder {
        kind: OrderType::Subscription,
        subscription: Some(NewSubscription {
            period: BillingPeriod::Monthly,
            trial_days: 7,
            renewal_price: 1299,
            renewal_fee: 100,
        }),
        card_fingerprint: Some(card.to_owned()),
        ..new_order(user_id, 1)
    };
    let (ada, bob) = (register(store, "ada@example.com").await, register(store, "bob@example.com").await);
    let (one, two) =
        tokio::join!(store.create_order(trial(ada.id, "one"), None), store.create_order(trial(bob.id, "one"), None));
    let (one, two) = (one.unwrap(), two.unwrap());
    let is_used = |result: &CreateOrderResult| *result == CreateOrderResult::TrialUsed;
    assert!(is_used(&one) != is_used(&two), "{one:?} {two:?}");
    let refused = if is_used(&one) { &ada } else { &bob };
    assert!(!store.user(refused.id).await.unwrap().unwrap().trial_period_used, "a refused person still has a trial");
    placed(store, trial(refused.id, "two")).await;

    let eve = register(store, "Eve+1@example.com").await;
    let again = register(store, "eve@example.com").await;
    placed(store, trial(eve.id, "three")).await;
    let refused = store.create_order(trial(again.id, "four"), None).await.unwrap();
    assert_eq!(refused, CreateOrderResult::TrialUsed);
    let later = register(store, "eve+2@example.com").await;
    assert!(later.trial_period_used, "a new account of the same mailbox has had its trial");
    placed(store, trial(register(store, "eve_@example.com").await.id, "four")).await;

    // Another channel gives its own trial.
    let elsewhere = NewUser { channel_key: "harbour".to_owned(), ..new_user("eve@example.com") };
    let registered = store.register_user(elsewhere, None, None, &no_mail).await.unwrap();
    let RegisterResult::New(elsewhere, _) = registered else { panic!("{registered:?}") };
    placed(store, NewOrder { channel_key: "harbour".to_owned(), ..trial(elsewhere.id, "one") }).await;

    // The hash of a card is forgotten like that of an address.
    store.delete_used_trials(AT + 1).await.unwrap();
    placed(store, trial(register(store, "new@example.com").await.id, "one")).await;
}

pub(crate) async fn order_events_are_listed_oldest_first(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await;
    placed(store, new_order(user.id, 2)).await;
    store.settle_order(order.id, 0, paid().into(), AT + 7).await.unwrap();
    store.request_refund(order.id, None, AT + 9).await.unwrap();
    let booked = |at, what: &str| RecordedOrderEvent { order_id: order.id, at, what: what.to_owned() };
    let expected = [booked(AT, "created"), booked(AT + 7, "paid"), booked(AT + 9, "refunded")];
    assert_eq!(store.order_events(order.id).await.unwrap(), expected);
    assert!(store.order_events(order.id + 100).await.unwrap().is_empty());
}
