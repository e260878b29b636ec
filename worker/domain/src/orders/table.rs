//! Every order status × every subscription state × every transition, including the invalid ones.
//!
//! [`every`] lists the values with matches that have no wildcard. A new status, outcome, transition or event does not
//! compile until it is listed there, and fails until the table has its row or column.

mod every;

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::periods::BillingPeriod;
use every::*;

/// Each row is an order status and the lifecycle of its subscription.
///
/// | columns | transition |
/// |---|---|
/// | first, next, other | the first payment, the next renewal, any other renewal: Paid, Failed, past Due, Action
/// needed, Waiting past due, Unanswered |
/// | stop, resume | stop and resume renewing: usable with a Later end, or Not |
/// | card | use another card |
/// | expire | usable with a Past end, or Not |
/// | refund | refund the Whole remainder, a Part, More; an Earlier payment; Dispute; a failed refund that had ended
/// Some other order or This; Return |
///
/// A cell is a letter of [`after`]: P paid, F failed, D past due, A action needed, W renewal needs action, U retried, R
/// renewed, E ended unpaid, S stopped, Q stopped while past due, K stopped at once, M resumed, C due at once, X
/// expired, Z closed while past due, B refunded, H partly refunded, G earlier payment refunded, T disputed, N refund
/// failed, O paid again after a failed refund, V returned, `=` unchanged, `.` refused.
/// that, V returned, `=` as it was, `.` refused.
const TABLE: &str = "
                      first         next          other         stop resume card expire refund
                      P F D A W U   P F D A W U   P F D A W U   L N  L N  any  P N    W P M E D  S T R
created -           | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created unpaid      | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created trialing    | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created active      | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created pastdue     | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created cancelling  | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
created ended       | P F . A . U   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed -            | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed unpaid       | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed trialing     | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed active       | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed pastdue      | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed cancelling   | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
failed ended        | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . . .  . . V
paid -              | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    B H . G T  N N V
paid unpaid         | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    B H . G T  N N V
paid trialing       | . . . . . .   R E D . W U   . . . . . .   S S  = =  =    X .    B H . G T  N N V
paid active         | . . . . . .   R E D . W U   . . . . . .   S S  = =  =    X .    B H . G T  N N V
paid pastdue        | . . . . . .   R E D . W U   . . . . . .   Q K  = =  C    Z .    B H . G T  N N V
paid cancelling     | . . . . . .   . . . . . .   . . . . . .   = .  M .  .    X .    B H . G T  N N V
paid ended          | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    B H . G T  N N V
refunded -          | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded unpaid     | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded trialing   | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded active     | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded pastdue    | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded cancelling | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
refunded ended      | . . . . . .   . . . . . .   . . . . . .   . .  . .  .    X .    . . . G T  N O V
";

const AT: i64 = 1_800_000_000_000;
/// End of the period bought by a subscription payment.
const NEXT_END: i64 = AT + 30 * DAY_MS;
const PERIOD_END: i64 = AT + 1000;
const RENEWALS: i64 = 3;
/// Refundable remainder of the last payment.
const REMAINDER: i64 = 900;
/// Amount refunded earlier.
const REFUNDED: i64 = 70;

type Attempted = Result<Transition, InvalidTransition>;
type Column = Box<dyn Fn(PlacedOrder) -> Option<Attempted>>;

/// Columns of the table. A column returns `None` for orders covered by another column of the same transition.
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
            Attempt::ResumeRenewing => {
                columns.push(Box::new(move |order| ends_later(&order).then(|| order.resume_renewing(AT))));
                columns.push(Box::new(move |order| (!ends_later(&order)).then(|| order.resume_renewing(AT))));
            }
            Attempt::UseCard => columns.push(Box::new(|order| Some(order.use_card(AT)))),
            Attempt::Refund => {
                for amount in [None, Some(REMAINDER - 1), Some(REMAINDER + 1)] {
                    columns.push(Box::new(move |order| Some(order.refund(amount))));
                }
            }
            Attempt::RefundEarlier => columns.push(Box::new(|order| Some(order.refund_earlier(REMAINDER)))),
            Attempt::Dispute => columns.push(Box::new(|order| Some(order.dispute(REMAINDER)))),
            Attempt::RefundFailed => {
                for ended_it in [false, true] {
                    columns.push(Box::new(move |order| Some(order.refund_failed(REFUNDED, ended_it, AT))));
                }
            }
        }
    }
    columns.push(Box::new(|order| Some(Ok(order.returned()))));
    columns
}

/// Expected order after a transition, by letter of the table, with every changed field written out.
fn after(letter: char, before: &PlacedOrder) -> Option<Transition> {
    let order = before.clone();
    let version = order.version + 1;
    let subscription = |change: &dyn Fn(BoughtSubscription) -> BoughtSubscription| before.subscription.map(change);
    let with_lifecycle = |lifecycle| subscription(&|was| BoughtSubscription { lifecycle, ..was });
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
            lifecycle: Lifecycle::Active,
            anchor: if renewals == 0 { AT } else { was.anchor },
            current_period_end: NEXT_END,
            renewals,
            failed_attempts: 0,
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
            let waiting = PlacedOrder { client_secret, due_at, attempts: 0, version, ..order };
            (waiting, Some(OrderEvent::ActionNeeded), false)
        }
        'W' => {
            let (client_secret, due_at) = (Some("new".to_owned()), Some(AT + 13));
            let (active_until, subscription) = (Some(AT + 4), with_lifecycle(Lifecycle::PastDue));
            let order = PlacedOrder { failure: None, active_until, subscription, ..order };
            let waiting = PlacedOrder { client_secret, due_at, attempts: 0, version, ..order };
            (waiting, Some(OrderEvent::ActionNeeded), false)
        }
        'P' => (paid(0), Some(OrderEvent::Paid), false),
        'R' => (paid(RENEWALS + 1), Some(OrderEvent::Renewed), false),
        'F' => {
            let failure = Some("declined".to_owned());
            (PlacedOrder { status: OrderStatus::Failed, failure, ..closed }, Some(OrderEvent::Failed), false)
        }
        'D' => {
            let subscription = subscription(&|was| BoughtSubscription {
                lifecycle: Lifecycle::PastDue,
                failed_attempts: was.failed_attempts + 1,
                ..was
            });
            let (failure, active_until, due_at) = (Some("declined".to_owned()), Some(AT + 3), Some(AT + 11));
            let order = PlacedOrder { client_secret: None, ..order };
            let late = PlacedOrder { failure, active_until, due_at, attempts: 0, version, subscription, ..order };
            (late, Some(OrderEvent::RenewalFailed), false)
        }
        'E' => {
            let (failure, subscription) = (Some("declined".to_owned()), with_lifecycle(Lifecycle::Ended));
            let ended = PlacedOrder { status: OrderStatus::Paid, failure, subscription, ..closed };
            (ended, Some(OrderEvent::Ended), true)
        }
        'S' => {
            let (active_until, subscription) = (Some(PERIOD_END), with_lifecycle(Lifecycle::Cancelling));
            let stopped = PlacedOrder { active_until, due_at: None, version, subscription, ..order };
            (stopped, Some(OrderEvent::RenewingStopped), false)
        }
        'Q' => {
            let subscription = with_lifecycle(Lifecycle::Cancelling);
            let order = PlacedOrder { failure: None, client_secret: None, ..order };
            let stopped = PlacedOrder { due_at: None, version, subscription, ..order };
            (stopped, Some(OrderEvent::RenewingStopped), false)
        }
        'K' => {
            let subscription = with_lifecycle(Lifecycle::Ended);
            (PlacedOrder { subscription, ..closed }, Some(OrderEvent::RenewingStopped), true)
        }
        'M' => {
            let (due_at, subscription) = (Some(PERIOD_END), with_lifecycle(Lifecycle::Active));
            let resumed = PlacedOrder { active_until: None, due_at, attempts: 0, version, subscription, ..order };
            (resumed, Some(OrderEvent::RenewingResumed), false)
        }
        'C' => (PlacedOrder { due_at: Some(AT), ..order }, None, false),
        'X' => {
            (PlacedOrder { subscription: with_lifecycle(Lifecycle::Ended), ..closed }, Some(OrderEvent::RanOut), true)
        }
        'Z' => {
            let activity_status = ActivityStatus::Inactive;
            (PlacedOrder { activity_status, version, ..order }, Some(OrderEvent::RanOut), true)
        }
        'H' => {
            let (refundable, refunded_minor) = (1, order.refunded_minor + REMAINDER - 1);
            let refunded = PlacedOrder { refundable, refunded_minor, version, ..order };
            (refunded, Some(OrderEvent::PartlyRefunded), false)
        }
        'G' => {
            let refunded_minor = order.refunded_minor + REMAINDER;
            (PlacedOrder { refunded_minor, version, ..order }, Some(OrderEvent::PartlyRefunded), false)
        }
        'B' | 'T' => {
            let (status, subscription) = (OrderStatus::Refunded, with_lifecycle(Lifecycle::Ended));
            let (refundable, refunded_minor) = (0, before.refunded_minor + REMAINDER);
            let event = if letter == 'B' { OrderEvent::Refunded } else { OrderEvent::Disputed };
            (PlacedOrder { status, subscription, refundable, refunded_minor, ..closed }, Some(event), true)
        }
        'N' => (PlacedOrder { refunded_minor: 0, version, ..order }, Some(OrderEvent::RefundFailed), false),
        'O' => {
            let active_until = before.subscription.map_or(order.active_until, |_| Some(PERIOD_END));
            let is_over = active_until.is_some_and(|until| until <= AT);
            let activity_status = if is_over { ActivityStatus::Inactive } else { ActivityStatus::Active };
            let (status, subscription) = (OrderStatus::Paid, with_lifecycle(Lifecycle::Ended));
            let paid = PlacedOrder { status, activity_status, active_until, due_at: None, version, ..order };
            (PlacedOrder { refunded_minor: 0, subscription, ..paid }, Some(OrderEvent::RefundFailed), false)
        }
        'V' => (PlacedOrder { version, ..order }, Some(OrderEvent::Returned), false),
        other => panic!("unknown letter in the table: {other}"),
    };
    Some(Transition { order, event, rights_changed })
}

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

/// Every subscription an order can have, and none, by the names in the table.
fn subscriptions() -> Vec<(String, Option<BoughtSubscription>)> {
    let mut every = vec![("-".to_owned(), None)];
    for lifecycle in all(next_lifecycle) {
        let subscription = BoughtSubscription {
            period: BillingPeriod::Monthly,
            lifecycle,
            anchor: AT - 9,
            current_period_end: PERIOD_END,
            trial_end: Some(AT - 9),
            trial_days: 7,
            renewal_price: 1050,
            renewal_fee: 50,
            renewals: RENEWALS,
            failed_attempts: 2,
        };
        every.push((format!("{lifecycle:?}").to_lowercase(), Some(subscription)));
    }
    every
}

/// Every order of a row: usable or not, with no end, a past end or a future end.
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
        refundable: REMAINDER,
        refunded_minor: REFUNDED,
        subscription,
    };
    all(next_activity).into_iter().flat_map(|activity| ends.map(|end| order(activity, end))).collect()
}

#[test]
fn every_transition_of_every_state_matches_the_table() {
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
    assert_eq!(rows.keys().collect::<Vec<_>>(), Vec::<&String>::new(), "rows without an order");
    assert_eq!(events, all(next_event).into_iter().map(OrderEvent::as_str).collect(), "events of the transitions");
}
