//! Every order status × every subscription state × every move, illegal ones included.
//!
//! [`every`] lists the values by matches without a wildcard: a new status, outcome, move or event does not compile until
//! it has its place there, and then fails until it has its row or column in the table.

mod every;

use std::collections::{BTreeMap, BTreeSet};

use touchline_protocol::purchases::AutoRenew;

use super::*;
use every::*;

/// A row is an order status, a subscription status and whether it renews.
///
/// | columns | move |
/// |---|---|
/// | first, next, other | the first payment, the next renewal, any other renewal: Paid, Failed, Asked, Unanswered |
/// | stop | stop renewing: usable with a Later end, or Not |
/// | expire | usable with a Past end, or Not |
/// | refund | refund |
///
/// A cell is what [`after`] spells out: P paid, F failed, A action needed, U tried again, R renewed, E renewal failed,
/// S stopped, X ran out, B refunded, `=` as it was, `.` refused.
const TABLE: &str = "
                            first     next      other    stop  expire refund
                            P F A U   P F A U   P F A U  L N   P N
created  -                | P F A U   . . . .   . . . .  . .   X .   .
created  inactive renews  | P F A U   . . . .   . . . .  . .   X .   .
created  inactive stopped | P F A U   . . . .   . . . .  . .   X .   .
created  active renews    | P F A U   . . . .   . . . .  . .   X .   .
created  active stopped   | P F A U   . . . .   . . . .  . .   X .   .
created  expired renews   | P F A U   . . . .   . . . .  . .   X .   .
created  expired stopped  | P F A U   . . . .   . . . .  . .   X .   .
created  canceled renews  | P F A U   . . . .   . . . .  . .   X .   .
created  canceled stopped | P F A U   . . . .   . . . .  . .   X .   .
failed   -                | . . . .   . . . .   . . . .  . .   X .   .
failed   inactive renews  | . . . .   . . . .   . . . .  . .   X .   .
failed   inactive stopped | . . . .   . . . .   . . . .  . .   X .   .
failed   active renews    | . . . .   . . . .   . . . .  . .   X .   .
failed   active stopped   | . . . .   . . . .   . . . .  . .   X .   .
failed   expired renews   | . . . .   . . . .   . . . .  . .   X .   .
failed   expired stopped  | . . . .   . . . .   . . . .  . .   X .   .
failed   canceled renews  | . . . .   . . . .   . . . .  . .   X .   .
failed   canceled stopped | . . . .   . . . .   . . . .  . .   X .   .
paid     -                | . . . .   . . . .   . . . .  . .   X .   B
paid     inactive renews  | . . . .   . . . .   . . . .  = .   X .   B
paid     inactive stopped | . . . .   . . . .   . . . .  = .   X .   B
paid     active renews    | . . . .   R E A U   . . . .  S S   X .   B
paid     active stopped   | . . . .   . . . .   . . . .  = .   X .   B
paid     expired renews   | . . . .   . . . .   . . . .  = .   X .   B
paid     expired stopped  | . . . .   . . . .   . . . .  = .   X .   B
paid     canceled renews  | . . . .   . . . .   . . . .  = .   X .   B
paid     canceled stopped | . . . .   . . . .   . . . .  = .   X .   B
refunded -                | . . . .   . . . .   . . . .  . .   X .   .
refunded inactive renews  | . . . .   . . . .   . . . .  . .   X .   .
refunded inactive stopped | . . . .   . . . .   . . . .  . .   X .   .
refunded active renews    | . . . .   . . . .   . . . .  . .   X .   .
refunded active stopped   | . . . .   . . . .   . . . .  . .   X .   .
refunded expired renews   | . . . .   . . . .   . . . .  . .   X .   .
refunded expired stopped  | . . . .   . . . .   . . . .  . .   X .   .
refunded canceled renews  | . . . .   . . . .   . . . .  . .   X .   .
refunded canceled stopped | . . . .   . . . .   . . . .  . .   X .   .
";

const AT: i64 = 1_800_000_000_000;
/// What the payment of a subscription buys, and when the running period ends.
const NEXT_END: i64 = AT + 30 * DAY_MS;
const PERIOD_END: i64 = AT + 1000;
const RENEWALS: i64 = 3;

type Attempted = Result<Transition, InvalidTransition>;
type Column = Box<dyn Fn(PlacedOrder) -> Option<Attempted>>;

/// The columns of the table. A column passes over orders (`None`) that another column of the same move is for.
fn columns() -> Vec<Column> {
    let is_usable = |order: &PlacedOrder| order.activity_status == ActivityStatus::Active;
    let ends_later = move |order: &PlacedOrder| is_usable(order) && order.active_until.is_some_and(|end| end > AT);
    let has_ended = move |order: &PlacedOrder| is_usable(order) && order.active_until.is_some_and(|end| end <= AT);
    let settle = |renewal, outcome: Outcome| -> Column {
        Box::new(move |order| Some(order.settle(renewal, outcome.clone(), AT)))
    };
    let mut columns: Vec<Column> = Vec::new();
    for attempt in all(next_attempt) {
        match attempt {
            Attempt::Settle => {
                columns.extend(all(next_outcome).into_iter().map(|outcome| settle(0, outcome)));
                columns.extend(all(next_outcome).into_iter().map(|outcome| settle(RENEWALS + 1, outcome)));
                columns.extend(all(next_outcome).into_iter().map(|outcome| -> Column {
                    Box::new(move |order| {
                        let others = [-1, RENEWALS, RENEWALS + 2];
                        let mut tried = others.map(|renewal| order.clone().settle(renewal, outcome.clone(), AT));
                        tried.sort_by_key(Result::is_err);
                        tried.into_iter().next()
                    })
                }));
            }
            Attempt::StopRenewing => {
                columns.push(Box::new(move |order| ends_later(&order).then(|| order.stop_renewing(AT))));
                columns.push(Box::new(move |order| (!ends_later(&order)).then(|| order.stop_renewing(AT))));
            }
            Attempt::Expire => {
                columns.push(Box::new(move |order| has_ended(&order).then(|| order.expire(AT))));
                columns.push(Box::new(move |order| (!has_ended(&order)).then(|| order.expire(AT))));
            }
            Attempt::Refund => columns.push(Box::new(|order| Some(order.refund()))),
        }
    }
    columns
}

/// What a letter of the table says of an order: every field that the move changes, spelled out.
fn after(letter: char, before: &PlacedOrder) -> Option<Transition> {
    let order = before.clone();
    let version = order.version + 1;
    let subscription = |change: &dyn Fn(BoughtSubscription) -> BoughtSubscription| before.subscription.map(change);
    let ended = |status| subscription(&|was| BoughtSubscription { status, auto_renew: AutoRenew::Cancelled, ..was });
    let paid = |renewals| PlacedOrder {
        status: OrderStatus::Paid,
        activity_status: ActivityStatus::Active,
        failure: None,
        client_secret: None,
        active_until: Some(AT + 2 * DAY_MS),
        due_at: Some(NEXT_END),
        attempts: 0,
        version,
        subscription: subscription(&|was| BoughtSubscription {
            status: SubscriptionStatus::Active,
            current_period_end: NEXT_END,
            renewals,
            ..was
        }),
        ..before.clone()
    };
    let closed = PlacedOrder {
        activity_status: ActivityStatus::Inactive,
        failure: None,
        client_secret: None,
        due_at: None,
        version,
        ..before.clone()
    };
    let (order, event, rights_changed) = match letter {
        '.' => return None,
        '=' => (order, None, false),
        'U' => (PlacedOrder { due_at: Some(AT + 5), attempts: 3, ..order }, None, false),
        'A' => {
            let (client_secret, due_at) = (Some("new".to_owned()), Some(AT + 7));
            let asked = PlacedOrder { client_secret, due_at, attempts: 0, version, ..order };
            (asked, Some(OrderEvent::ActionNeeded), false)
        }
        'P' => (paid(0), Some(OrderEvent::Paid), false),
        'R' => (paid(RENEWALS + 1), Some(OrderEvent::Renewed), false),
        'F' => {
            let failure = Some("declined".to_owned());
            (PlacedOrder { status: OrderStatus::Failed, failure, ..closed }, Some(OrderEvent::Failed), false)
        }
        'E' => {
            let (failure, subscription) = (Some("declined".to_owned()), ended(SubscriptionStatus::Expired));
            let expired = PlacedOrder { status: OrderStatus::Paid, failure, subscription, ..closed };
            (expired, Some(OrderEvent::RenewalFailed), true)
        }
        'S' => {
            let subscription = subscription(&|was| BoughtSubscription { auto_renew: AutoRenew::Cancelled, ..was });
            let stopped = PlacedOrder { active_until: Some(PERIOD_END), due_at: None, version, subscription, ..order };
            (stopped, Some(OrderEvent::RenewingStopped), false)
        }
        'X' => {
            let subscription = ended(SubscriptionStatus::Canceled);
            (PlacedOrder { subscription, ..closed }, Some(OrderEvent::RanOut), true)
        }
        'B' => {
            let subscription = ended(SubscriptionStatus::Canceled);
            let status = OrderStatus::Refunded;
            (PlacedOrder { status, subscription, ..closed }, Some(OrderEvent::Refunded), true)
        }
        other => panic!("{other} is no letter of the table"),
    };
    Some(Transition { order, event, rights_changed })
}

/// The rows of the table by their first words.
fn rows() -> BTreeMap<String, Vec<char>> {
    let mut rows = BTreeMap::new();
    for line in TABLE.lines() {
        let Some((name, cells)) = line.split_once('|') else { continue };
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let letters = cells.chars().filter(|letter| !letter.is_whitespace()).collect();
        assert!(rows.insert(name.clone(), letters).is_none(), "two rows for {name}");
    }
    rows
}

/// Every subscription that an order can have, and none, by the words of the table.
fn subscriptions() -> Vec<(String, Option<BoughtSubscription>)> {
    let mut every = vec![("-".to_owned(), None)];
    for status in all(next_subscription) {
        for auto_renew in all(next_auto_renew) {
            let word = if auto_renew == AutoRenew::Active { "renews" } else { "stopped" };
            let subscription = BoughtSubscription {
                annual: false,
                status,
                auto_renew,
                current_period_end: PERIOD_END,
                trial_end: Some(AT - 9),
                trial_days: 7,
                renewal_price: 1050,
                renewals: RENEWALS,
            };
            every.push((format!("{status:?} {word}").to_lowercase(), Some(subscription)));
        }
    }
    every
}

/// Every order of a row: usable or not, without an end, with one that is over, with one to come.
fn orders(status: OrderStatus, subscription: Option<BoughtSubscription>) -> Vec<PlacedOrder> {
    let ends = [None, Some(AT - 1), Some(AT), Some(AT + 1)];
    let order = |activity_status, active_until| PlacedOrder {
        status,
        activity_status,
        failure: Some("earlier".to_owned()),
        client_secret: Some("old".to_owned()),
        period_days: 2,
        active_until,
        due_at: Some(AT),
        attempts: 2,
        version: 5,
        subscription,
    };
    all(next_activity).into_iter().flat_map(|activity| ends.map(|end| order(activity, end))).collect()
}

#[test]
fn every_status_takes_every_move_as_the_table_says() {
    let (mut rows, columns) = (rows(), columns());
    let mut events = BTreeSet::from([OrderEvent::Created.as_str()]);
    for status in all(next_status) {
        for (words, subscription) in subscriptions() {
            let name = format!("{} {words}", format!("{status:?}").to_lowercase());
            let letters = rows.remove(&name).unwrap_or_else(|| panic!("no row for {name}"));
            assert_eq!(letters.len(), columns.len(), "the cells of {name}");
            for (number, (column, letter)) in columns.iter().zip(letters).enumerate() {
                for before in orders(status, subscription) {
                    let Some(attempted) = column(before.clone()) else { continue };
                    events.extend(attempted.iter().filter_map(|moved| moved.event).map(OrderEvent::as_str));
                    if let Err(refused) = &attempted {
                        assert_eq!(refused.status, status);
                    }
                    let expected = after(letter, &before);
                    assert_eq!(attempted.ok(), expected, "{name}, column {number}, {letter}, from {before:?}");
                }
            }
        }
    }
    assert_eq!(rows.keys().collect::<Vec<_>>(), Vec::<&String>::new(), "rows that no order has");
    assert_eq!(events, all(next_event).into_iter().map(OrderEvent::as_str).collect(), "events of the moves");
}
