use touchline_protocol::purchases::{ActivityStatus, ChargeKind, ChargeStatus, OrderStatus, OrderType};
use touchline_store::{
    BillingPeriod, ChargeRecord, NewCharge, NewOrder, NewSavedCard, NewSubscription, Outcome, RefundRequest, Reversal,
    Settlement, Store,
};

use crate::orders::{new_order, placed};
use crate::{AT, Backend, register};

pub(crate) fn charged(provider_id: &str, amount: i64) -> NewCharge {
    NewCharge {
        provider_id: provider_id.to_owned(),
        amount,
        card_brand: Some("visa".to_owned()),
        card_last4: Some("4242".to_owned()),
        failure: None,
        at: None,
    }
}

pub(crate) fn paid(provider_id: &str, amount: i64) -> Settlement {
    let outcome = Outcome::Paid { period_end: None, trial_end: None };
    Settlement { outcome, charge: Some(charged(provider_id, amount)) }
}

/// An order of 950 including a fee of 50, paid with the payment `pi`.
async fn paid_order(store: &dyn Store, user_id: i64) -> i64 {
    let id = placed(store, new_order(user_id, 1)).await.id;
    store.settle_order(id, 0, paid("pi", 950), AT).await.unwrap().unwrap();
    id
}

pub(crate) async fn pending(store: &dyn Store, order: i64, amount: Option<i64>) -> ChargeRecord {
    match store.request_refund(order, amount, AT + 1).await.unwrap() {
        RefundRequest::Pending(charge) => *charge,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn a_payment_is_recorded_once_with_its_card(backend: impl Backend) {
    let user = register(backend.store(), "ada@example.com").await;
    let order = paid_order(backend.store(), user.id).await;
    assert!(backend.store().settle_order(order, 0, paid("pi", 950), AT).await.unwrap().is_none());
    let backend = backend.reopened().await;
    let charges = backend.store().order_charges(order).await.unwrap();
    let expected = ChargeRecord {
        id: charges[0].id,
        order_id: order,
        user_id: user.id,
        kind: ChargeKind::Purchase,
        status: ChargeStatus::Succeeded,
        renewal: 0,
        of_charge: None,
        amount: 950,
        fee: 50,
        currency: "USD".to_owned(),
        card_brand: Some("visa".to_owned()),
        card_last4: Some("4242".to_owned()),
        failure: None,
        provider_id: "pi".to_owned(),
        at: AT,
        accepted: true,
        receipt: 1,
        series: 0,
        seller: 0,
    };
    assert_eq!(charges, [expected]);
    assert_eq!(backend.store().user_charges(user.id, 10, 0).await.unwrap(), (charges, 1));
}

pub(crate) async fn each_renewal_attempt_has_its_row(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let subscription =
        NewSubscription { period: BillingPeriod::Monthly, trial_days: 0, renewal_price: 1050, renewal_fee: 60 };
    let new = NewOrder { kind: OrderType::Subscription, subscription: Some(subscription), ..new_order(user.id, 1) };
    let order = placed(store, new).await.id;
    let until = |end| Outcome::Paid { period_end: Some(end), trial_end: None };
    let first = Settlement { outcome: until(AT + 9), charge: Some(charged("pi", 950)) };
    store.settle_order(order, 0, first, AT).await.unwrap().unwrap();
    let late = Outcome::PastDue { failure: "no".to_owned(), retry_at: AT + 20, access_until: AT + 30 };
    let refusal = NewCharge { failure: Some("no".to_owned()), ..charged("in-1", 1050) };
    let refused = Settlement { outcome: late, charge: Some(refusal) };
    store.settle_order(order, 1, refused, AT + 9).await.unwrap().unwrap();
    assert!(store.request_refund(order, Some(951), AT + 9).await.unwrap() == RefundRequest::Refused);
    assert_eq!(store.due_orders(AT + 20, 9).await.unwrap()[0].record.subscription.unwrap().failed_attempts, 1);
    let again = Settlement { outcome: until(AT + 90), charge: Some(charged("in-2", 1050)) };
    store.settle_order(order, 1, again, AT + 20).await.unwrap().unwrap();
    let rows: Vec<_> = store.order_charges(order).await.unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.kind, row.status, row.renewal, row.amount, row.fee)).collect();
    let (purchase, renewal) = (ChargeKind::Purchase, ChargeKind::Renewal);
    let (succeeded, failed) = (ChargeStatus::Succeeded, ChargeStatus::Failed);
    assert_eq!(
        rows,
        [(purchase, succeeded, 0, 950, 50), (renewal, failed, 1, 1050, 60), (renewal, succeeded, 1, 1050, 60)]
    );
}

pub(crate) async fn a_refund_is_pending_until_completed_and_completed_once(backend: impl Backend) {
    let user = register(backend.store(), "ada@example.com").await;
    let order = paid_order(backend.store(), user.id).await;
    let store = backend.store();
    for wrong in [0, -1, 951] {
        assert_eq!(store.request_refund(order, Some(wrong), AT).await.unwrap(), RefundRequest::Refused, "{wrong}");
    }
    let part = pending(store, order, Some(200)).await;
    assert_eq!((part.kind, part.status, part.amount), (ChargeKind::Refund, ChargeStatus::Pending, 200));
    assert_eq!(store.request_refund(order, None, AT).await.unwrap(), RefundRequest::Refused, "one at a time");
    let backend = backend.reopened().await;
    let store = backend.store();
    assert_eq!(store.pending_refunds(9).await.unwrap(), std::slice::from_ref(&part));
    let refunded = store.finish_refund(part.id, "re", AT + 2).await.unwrap().unwrap();
    assert_eq!((refunded.status, refunded.refunded_minor), (OrderStatus::Paid, 200));
    assert_eq!(store.finish_refund(part.id, "re", AT + 3).await.unwrap().unwrap(), refunded);
    assert!(store.pending_refunds(9).await.unwrap().is_empty());
    let rest = pending(store, order, None).await;
    assert_eq!(rest.amount, 750);
    let refunded = store.finish_refund(rest.id, "re-2", AT + 4).await.unwrap().unwrap();
    assert_eq!((refunded.status, refunded.refunded_minor), (OrderStatus::Refunded, 950));
    assert_eq!(refunded.activity_status, ActivityStatus::Inactive);
    assert_eq!(store.request_refund(order, None, AT + 5).await.unwrap(), RefundRequest::Refused);
    assert!(store.owned(user.id, AT + 5).await.unwrap().is_empty());
}

pub(crate) async fn a_refund_outside_the_provider_is_completed_at_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = paid_order(store, user.id).await;
    for wrong in [0, -1, 951] {
        assert_eq!(store.refund_outside(order, Some(wrong), AT).await.unwrap(), RefundRequest::Refused, "{wrong}");
    }
    let RefundRequest::Done(part) = store.refund_outside(order, Some(200), AT + 2).await.unwrap() else { panic!() };
    assert_eq!((part.status, part.refunded_minor), (OrderStatus::Paid, 200));
    let pending = pending(store, order, Some(50)).await;
    assert_eq!(store.refund_outside(order, None, AT + 3).await.unwrap(), RefundRequest::Refused, "one at a time");
    store.finish_refund(pending.id, "re", AT + 4).await.unwrap().unwrap();
    let RefundRequest::Done(rest) = store.refund_outside(order, None, AT + 5).await.unwrap() else { panic!() };
    assert_eq!((rest.status, rest.refunded_minor), (OrderStatus::Refunded, 950));
    let rows = store.order_charges(order).await.unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.amount, row.is_outside(), row.card_last4.is_some())).collect();
    assert_eq!(rows, [(950, false, true), (200, true, false), (50, false, true), (700, true, false)]);
    assert!(store.pending_refunds(9).await.unwrap().is_empty());
    assert_eq!(store.refund_outside(order, None, AT + 6).await.unwrap(), RefundRequest::Refused);
}

pub(crate) async fn partial_refunds_add_up_to_the_whole_fee(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = paid_order(store, user.id).await;
    let mut fees = Vec::new();
    for (amount, id) in [(Some(30), "re-1"), (Some(30), "re-2"), (Some(30), "re-3"), (None, "re-4")] {
        let part = pending(store, order, amount).await;
        fees.push(part.fee);
        store.finish_refund(part.id, id, AT + 2).await.unwrap().unwrap();
    }
    assert_eq!(fees, [1, 2, 1, 46]);
    assert_eq!(fees.iter().sum::<i64>(), 50);
}

pub(crate) async fn a_refused_refund_leaves_the_order_unchanged(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = paid_order(store, user.id).await;
    let refund = pending(store, order, None).await;
    store.fail_refund(refund.id, "no", AT + 2).await.unwrap();
    let record = store.any_order(order).await.unwrap().unwrap();
    assert_eq!((record.order.status, record.order.refunded_minor), (OrderStatus::Paid, 0));
    assert_eq!(store.order_charges(order).await.unwrap()[1].status, ChargeStatus::Failed);
    assert_eq!(pending(store, order, None).await.amount, 950);
}

pub(crate) async fn a_free_order_is_refunded_without_money_and_an_unpaid_one_never(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = placed(store, new_order(user.id, 1)).await.id;
    assert_eq!(store.request_refund(order, None, AT).await.unwrap(), RefundRequest::Refused);
    let free = Outcome::Paid { period_end: None, trial_end: None };
    store.settle_order(order, 0, free.into(), AT).await.unwrap().unwrap();
    let RefundRequest::Done(refunded) = store.request_refund(order, None, AT).await.unwrap() else { panic!() };
    assert_eq!((refunded.status, refunded.refunded_minor), (OrderStatus::Refunded, 0));
}

pub(crate) async fn a_reversal_by_the_provider_is_recorded_once(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = paid_order(store, user.id).await;
    let reversal = |kind, id: &str, amount| reversal(kind, "pi", id, amount);
    let unknown = Reversal { of_provider_id: "other".to_owned(), ..reversal(ChargeKind::Refund, "re", 100) };
    assert!(store.record_reversal(unknown, AT).await.unwrap().is_none());
    let part = store.record_reversal(reversal(ChargeKind::Refund, "re", 100), AT).await.unwrap().unwrap();
    assert_eq!((part.status, part.refunded_minor), (OrderStatus::Paid, 100));
    assert!(store.record_reversal(reversal(ChargeKind::Refund, "re", 100), AT).await.unwrap().is_none());
    let disputed = store.record_reversal(reversal(ChargeKind::Dispute, "dp", 850), AT).await.unwrap().unwrap();
    assert_eq!((disputed.status, disputed.refunded_minor), (OrderStatus::Refunded, 950));
    let won = store.record_reversal(reversal(ChargeKind::DisputeWon, "dp-won", 850), AT).await.unwrap().unwrap();
    assert_eq!(won.status, OrderStatus::Refunded, "the operator decides whether to restore access");
    let kinds: Vec<_> = store.order_charges(order).await.unwrap().into_iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [ChargeKind::Purchase, ChargeKind::Refund, ChargeKind::Dispute, ChargeKind::DisputeWon]);
}

/// A subscription of 950 including a fee of 50, renewed for 1050 including a fee of 60.
async fn renewed_subscription(store: &dyn Store, user_id: i64) -> i64 {
    let subscription =
        NewSubscription { period: BillingPeriod::Monthly, trial_days: 0, renewal_price: 1050, renewal_fee: 60 };
    let new = NewOrder { kind: OrderType::Subscription, subscription: Some(subscription), ..new_order(user_id, 1) };
    let order = placed(store, new).await.id;
    for (renewal, charge) in [(0, charged("first", 950)), (1, charged("second", 1050))] {
        let outcome = Outcome::Paid { period_end: Some(AT + 9 + 9 * renewal), trial_end: None };
        let settlement = Settlement { outcome, charge: Some(charge) };
        store.settle_order(order, renewal, settlement, AT + 9 * renewal).await.unwrap().unwrap();
    }
    order
}

pub(crate) fn reversal(kind: ChargeKind, of: &str, id: &str, amount: i64) -> Reversal {
    Reversal { kind, of_provider_id: of.to_owned(), provider_id: id.to_owned(), amount, at: None }
}

/// The refunds and disputes in the lake: name, amount and fee, newest last.
async fn refunds_in_lake(store: &dyn Store) -> Vec<(String, i64, i64)> {
    let rows = store.lake_rows(100).await.unwrap();
    let bodies = rows.iter().filter(|row| row.lake_table == "order_event");
    let bodies = bodies.map(|row| serde_json::from_str::<serde_json::Value>(&row.body).unwrap());
    let name = |body: &serde_json::Value| body["event"].as_str().unwrap().to_owned();
    let rows = bodies.map(|body| (name(&body), body["net"].as_i64().unwrap(), body["fee"].as_i64().unwrap()));
    rows.filter(|(_, net, _)| *net < 0).collect()
}

pub(crate) async fn a_refund_of_an_earlier_payment_uses_that_payments_amount_and_fee(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = renewed_subscription(store, user.id).await;
    let part = store.record_reversal(reversal(ChargeKind::Refund, "first", "re", 95), AT + 20).await.unwrap().unwrap();
    assert_eq!((part.status, part.refunded_minor), (OrderStatus::Paid, 95));
    assert_eq!(part.activity_status, ActivityStatus::Active);
    let refunds =
        store.record_reversal(reversal(ChargeKind::Dispute, "first", "dp", 855), AT + 21).await.unwrap().unwrap();
    assert_eq!((refunds.status, refunds.refunded_minor), (OrderStatus::Refunded, 950));
    // A viewer who disputes one payment often disputes the others too.
    let both = store.record_reversal(reversal(ChargeKind::Dispute, "second", "dp-2", 1050), AT + 22).await.unwrap();
    assert_eq!(both.map(|order| (order.status, order.refunded_minor)), Some((OrderStatus::Refunded, 2000)));
    let disputed = |net, fee| ("disputed".to_owned(), net, fee);
    let part = ("partly_refunded".to_owned(), -95, -5);
    assert_eq!(refunds_in_lake(store).await, [part, disputed(-855, -45), disputed(-1050, -60)]);
    assert_eq!(store.disagreements(AT + 600_000, 9).await.unwrap(), []);
    assert_eq!(store.any_order(order).await.unwrap().unwrap().order.refunded_minor, 2000);
}

pub(crate) async fn an_unaccepted_payment_is_recorded_and_refunded(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = renewed_subscription(store, user.id).await;
    store.stop_renewing(user.id, 1, AT + 10, None, None).await.unwrap().unwrap();
    let late = Settlement {
        outcome: Outcome::Paid { period_end: Some(AT + 99), trial_end: None },
        charge: Some(charged("third", 1050)),
    };
    for _ in 0..2 {
        assert!(store.settle_order(order, 2, late.clone(), AT + 11).await.unwrap().is_none());
    }
    let rows = store.order_charges(order).await.unwrap();
    let [.., payment, refund] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((rows.len(), payment.accepted, payment.status), (4, false, ChargeStatus::Succeeded));
    assert_eq!((refund.of_charge, refund.status, refund.amount), (Some(payment.id), ChargeStatus::Pending, 1050));
    let broken = store.disagreements(AT + 600_000, 9).await.unwrap();
    assert!(broken.iter().any(|one| one.rule == "not_taken"), "{broken:?}");
    let after = store.finish_refund(refund.id, "re", AT + 12).await.unwrap().unwrap();
    assert_eq!((after.status, after.refunded_minor), (OrderStatus::Paid, 0), "the order is unchanged");
    assert_eq!(after.activity_status, ActivityStatus::Active);
    let notices: Vec<_> = store.order_notices(9).await.unwrap();
    let last = notices.last().unwrap();
    assert_eq!((last.what.as_str(), last.charge.as_ref().map(|row| row.id)), ("returned", Some(refund.id)));
    assert_eq!(refunds_in_lake(store).await, [("returned".to_owned(), -1050, -60)]);
    assert!(!store.disagreements(AT + 600_000, 9).await.unwrap().iter().any(|one| one.rule == "not_taken"));
    assert_eq!(pending(store, order, None).await.of_charge, Some(rows[1].id), "the last accepted payment");
}

pub(crate) async fn a_failed_refund_makes_the_order_paid_again(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    let order = paid_order(store, user.id).await;
    let whole = store.record_reversal(reversal(ChargeKind::Refund, "pi", "re", 950), AT + 1).await.unwrap().unwrap();
    assert_eq!(whole.status, OrderStatus::Refunded);
    let failed = reversal(ChargeKind::RefundFailed, "re", "re-failed", 950);
    let again = store.record_reversal(failed.clone(), AT + 2).await.unwrap().unwrap();
    assert_eq!((again.status, again.activity_status), (OrderStatus::Paid, ActivityStatus::Active));
    assert_eq!(again.refunded_minor, 0);
    assert!(store.record_reversal(failed, AT + 3).await.unwrap().is_none());
    let rows = store.order_charges(order).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.fee).collect::<Vec<_>>(), [50, 50, 50]);
    assert_eq!(store.disagreements(AT + 600_000, 9).await.unwrap(), []);
    // After a bank's dispute, access doesn't come back by itself.
    store.record_reversal(reversal(ChargeKind::Refund, "pi", "re-2", 100), AT + 4).await.unwrap().unwrap();
    store.record_reversal(reversal(ChargeKind::Dispute, "pi", "dp", 850), AT + 5).await.unwrap().unwrap();
    let failed = reversal(ChargeKind::RefundFailed, "re-2", "re-2-failed", 100);
    let stays = store.record_reversal(failed, AT + 6).await.unwrap().unwrap();
    assert_eq!((stays.status, stays.refunded_minor), (OrderStatus::Refunded, 850));
}

pub(crate) async fn an_unsaved_card_is_detached_when_its_purchase_ends(backend: impl Backend) {
    let store = backend.store();
    let user = register(store, "ada@example.com").await;
    paid_order(store, user.id).await;
    let card = new_order(user.id, 1).payment_method_id;
    assert_eq!(store.cards_to_detach(9).await.unwrap(), [(user.id, card.clone())]);
    store.mark_card_detached(user.id, &card).await.unwrap();
    assert!(store.cards_to_detach(9).await.unwrap().is_empty());
    let payment_method_id = card.clone();
    let saved = NewSavedCard { user_id: user.id, payment_method_id, at: AT, added: false, is_default: false };
    store.save_card(saved).await.unwrap();
    let id = placed(store, new_order(user.id, 2)).await.id;
    store.settle_order(id, 0, paid("pi-2", 950), AT).await.unwrap().unwrap();
    assert!(store.cards_to_detach(9).await.unwrap().is_empty());
}
