//! Receipt numbers (`ORDER-6`).

use std::collections::BTreeMap;

use futures_util::future::join_all;
use sqlx::Executor;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use touchline_protocol::ambient::SeededEntropy;
use touchline_protocol::purchases::ChargeKind;
use touchline_store::{
    ChargeRecord, Maintenance, NewCharge, NewUser, Outcome, PostgresStore, RegisterResult, Settlement, SqliteStore,
    Store, no_mail, postgres, sqlite,
};

use crate::charges::{charged, paid, pending, reversal};
use crate::orders::{new_order, placed};
use crate::postgres::database;
use crate::{AT, Backend, new_user};

/// Series, channel and number of a receipt.
type Number = (i64, i64, i64);

/// An unpaid order of a new person, its id.
async fn order(store: &dyn Store, channel: &str, name: &str) -> i64 {
    let new = NewUser { channel_key: channel.to_owned(), ..new_user(&format!("{name}@example.com")) };
    let RegisterResult::New(user, _) = store.register_user(new, None, None, &no_mail).await.unwrap() else {
        panic!("{name}")
    };
    let mut new = new_order(user.id, 1);
    new.channel_key = channel.to_owned();
    new.promo_code = None;
    placed(store, new).await.id
}

/// Sells something in a channel, and returns its order and its receipt.
async fn sale(store: &dyn Store, channel: &str, name: &str) -> (i64, Number) {
    let id = order(store, channel, name).await;
    store.settle_order(id, 0, paid(&format!("pi {name}"), 950), AT).await.unwrap().unwrap();
    (id, numbers(store, id).await[0])
}

/// The receipts of an order, oldest charge first.
async fn numbers(store: &dyn Store, order: i64) -> Vec<Number> {
    let charges = store.order_charges(order).await.unwrap();
    charges.iter().filter(|charge| charge.has_receipt()).map(number).collect()
}

fn number(charge: &ChargeRecord) -> Number {
    (charge.series, charge.seller, charge.receipt)
}

/// The rules that the books violate, with their details.
async fn disagreements(store: &dyn Store) -> Vec<String> {
    store.disagreements(AT + 600_000, 99).await.unwrap().into_iter().map(|one| one.detail).collect()
}

pub(crate) async fn each_channel_numbers_its_receipts_from_one(backend: impl Backend) {
    let store = backend.store();
    let (first, number) = sale(store, "meadow", "ada").await;
    assert_eq!(number, (0, 0, 1));
    let declined = order(store, "meadow", "bob").await;
    let refusal = NewCharge { failure: Some("no".to_owned()), ..charged("pi declined", 950) };
    let refused = Settlement { outcome: Outcome::Failed("no".to_owned()), charge: Some(refusal) };
    store.settle_order(declined, 0, refused, AT).await.unwrap().unwrap();
    let (other, number) = sale(store, "valley", "cleo").await;
    assert_eq!(number, (0, 1, 1), "a channel has a series of its own");
    assert_eq!(sale(store, "meadow", "dan").await.1, (0, 0, 2), "a declined payment has no receipt");

    // Refunds are numbered once they are made, apart from payments.
    let refused = pending(store, first, Some(10)).await;
    store.fail_refund(refused.id, "no", AT).await.unwrap();
    let refund = pending(store, first, Some(20)).await;
    let dispute = reversal(ChargeKind::Dispute, "pi cleo", "dp", 950);
    store.record_reversal(dispute, AT).await.unwrap().unwrap();
    store.finish_refund(refund.id, "re", AT).await.unwrap().unwrap();
    let failed = reversal(ChargeKind::RefundFailed, "re", "re failed", 20);
    store.record_reversal(failed, AT).await.unwrap().unwrap();
    store.refund_outside(first, Some(30), AT).await.unwrap();
    assert_eq!(numbers(store, first).await, [(0, 0, 1), (0, 0, 1), (0, 0, 2)]);
    assert_eq!(numbers(store, other).await, [(0, 1, 1), (0, 1, 1)]);

    let backend = backend.reopened().await;
    assert_eq!(sale(backend.store(), "valley", "eve").await.1, (0, 1, 2));
    assert_eq!(sale(backend.store(), "hill", "finn").await.1, (0, 2, 1));
    assert_eq!(disagreements(backend.store()).await, [""; 0]);
}

/// Payments of a card that the database refuses are rolled back after they have drawn a number.
pub(crate) async fn concurrent_sales_and_rollbacks_leave_no_gap(backend: impl Backend) {
    const SALES: usize = 24;
    backend.execute("CREATE UNIQUE INDEX one_payment ON charges (card_brand) WHERE card_brand = 'refused'").await;
    let store = backend.store();
    let of_card = |brand: &str, id: &str| {
        let charge = NewCharge { card_brand: Some(brand.to_owned()), ..charged(id, 950) };
        Settlement { charge: Some(charge), ..paid(id, 950) }
    };
    let occupied = order(store, "hill", "zoe").await;
    store.settle_order(occupied, 0, of_card("refused", "pi zoe"), AT).await.unwrap().unwrap();
    let mut orders = Vec::new();
    for index in 0..SALES {
        for channel in ["meadow", "valley"] {
            orders.push((channel, order(store, channel, &format!("{channel}{index}")).await));
        }
    }
    let settled = join_all(orders.iter().enumerate().map(async |(index, (channel, id))| {
        let brand = if index / 2 % 3 == 1 { "refused" } else { "visa" };
        let settled = store.settle_order(*id, 0, of_card(brand, &format!("pi {id}")), AT).await;
        assert_eq!(settled.is_err(), brand == "refused", "{settled:?}");
        (*channel, numbers(store, *id).await)
    }))
    .await;

    let mut by_series: BTreeMap<(&str, i64, i64), Vec<i64>> = BTreeMap::new();
    for (channel, numbers) in settled {
        for (series, seller, receipt) in numbers {
            by_series.entry((channel, series, seller)).or_default().push(receipt);
        }
    }
    let series: Vec<_> = by_series.keys().copied().collect();
    let [("meadow", 0, meadow), ("valley", 0, valley)] = series[..] else { panic!("{series:?}") };
    assert_eq!((meadow + valley, meadow * valley), (3, 2), "{series:?}");
    for (series, mut receipts) in by_series {
        receipts.sort_unstable();
        let all: Vec<i64> = (1..).take(SALES / 3 * 2).collect();
        assert_eq!(receipts, all, "{series:?}");
    }
    assert_eq!(disagreements(store).await, [""; 0]);
}

/// Also shows `OPS-19`.
pub(crate) async fn gaps_and_repeated_numbers_are_reported(backend: impl Backend) {
    let store = backend.store();
    let mut orders = Vec::new();
    for index in 0..5 {
        orders.push(sale(store, "meadow", &format!("ada{index}")).await.0);
    }
    sale(store, "valley", "bob").await;
    for order in &orders[..3] {
        store.refund_outside(*order, Some(10), AT).await.unwrap();
    }
    backend.execute("DROP INDEX charges_by_receipt").await;
    backend.execute("UPDATE charges SET receipt = 1 WHERE receipt = 2 AND kind = 'purchase'").await;
    backend.execute("UPDATE receipt_series SET refunds = 4, payments = 5 WHERE channel_key = 'meadow'").await;
    backend.execute("UPDATE charges SET receipt = 2 WHERE kind = 'purchase' AND seller = 1").await;
    let found = store.disagreements(AT + 600_000, 99).await.unwrap();
    let mut found: Vec<_> = found
        .iter()
        .map(|one| (one.rule.as_str(), one.channel_key.as_deref().unwrap(), one.order_id.is_some(), &*one.detail))
        .collect();
    found.sort_unstable_by_key(|(.., detail)| *detail);
    assert_eq!(
        found,
        [
            ("receipts", "meadow", true, "receipt 000001 of meadow follows number 1"),
            ("receipts", "meadow", false, "receipt 000003 of meadow follows number 1"),
            ("receipts", "valley", false, "receipt A2-000002 of valley follows number 0"),
            ("receipts", "valley", false, "receipt A2-000002 of valley follows number 2"),
            ("receipts", "meadow", false, "refund receipt 000005 of meadow follows number 3"),
        ]
        .as_slice()
    );
}

/// Receipts of a release whose channels shared a series: two before a restore, one after it, and a requested refund.
const SHARED_SERIES: &str = "
    INSERT INTO users (id, channel_key, email, email_verified, first_name, last_name, phone, temporary_password,
        trial_period_used, blocked, capabilities, clips, downloads, created_at)
    VALUES (1, 'meadow', 'zoe@example.com', TRUE, '', '', '', FALSE, FALSE, FALSE, '[]', 0, 0, 0);
    INSERT INTO orders (id, channel_key, user_id, kind, product_id, product_name, event_categories, base_price, discount,
        service_fee, currency, payment_method_id, period_days, status, activity_status, attempts, version, created_at)
    VALUES (1, 'meadow', 1, 'event', 1, 'A game', '[]', 950, 0, 0, 'USD', 'pm', 2, 'paid', 'active', 0, 1, 0);
    INSERT INTO charges (id, order_id, user_id, kind, status, renewal, of_charge, amount, fee, currency, provider_id, at,
        receipt, series)
    VALUES (1, 1, 1, 'purchase', 'succeeded', 0, NULL, 950, 0, 'USD', 'pi', 0, NULL, 0),
           (2, 1, 1, 'refund', 'succeeded', 0, 1, 10, 0, 'USD', 're', 0, 2, 0),
           (1003, 1, 1, 'refund', 'succeeded', 0, 1, 10, 0, 'USD', 're-2', 0, 1, 1),
           (1004, 1, 1, 'refund', 'pending', 0, 1, 10, 0, 'USD', 're-3', 0, 2, 1);
    UPDATE orders SET refunded_minor = 20;
    INSERT INTO remembered (name, value) VALUES ('receipt_series', '1'), ('receipt_base', '1002');";

/// The migrations of that release.
async fn shared_series_migrations(folders: &[&str]) -> Migrator {
    let folder = tempfile::tempdir().unwrap();
    for from in folders {
        for file in std::fs::read_dir(format!("{}/{from}", env!("CARGO_MANIFEST_DIR"))).unwrap() {
            let (path, name) = file.map(|file| (file.path(), file.file_name().into_string().unwrap())).unwrap();
            if name[..4].parse::<u32>().is_ok_and(|version| !(150..9000).contains(&version)) {
                std::fs::copy(path, folder.path().join(name)).unwrap();
            }
        }
    }
    Migrator::new(folder.path()).await.unwrap()
}

async fn continues_in_new_series(store: &dyn Store) {
    let before = [(0, 0, 1), (0, 0, 2), (1, 0, 1)];
    assert_eq!(numbers(store, 1).await, before);
    assert_eq!(sale(store, "valley", "ada").await.1, (2, 0, 1));
    assert_eq!(sale(store, "meadow", "bob").await.1, (2, 1, 1));
    store.finish_refund(1004, "re-4", AT).await.unwrap().unwrap();
    assert_eq!(numbers(store, 1).await, [before.as_slice(), &[(2, 1, 1)]].concat());
    let found = store.disagreements(AT, 99).await.unwrap();
    assert!(found.iter().all(|one| one.rule != "receipts"), "{found:?}");
}

#[tokio::test]
async fn a_file_with_a_shared_series_continues_in_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("channel.sqlite");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    shared_series_migrations(&["migrations"]).await.run(&pool).await.unwrap();
    pool.execute(SHARED_SERIES).await.unwrap();
    pool.execute("INSERT INTO counters (name, last) VALUES ('users', 1), ('orders', 1), ('charges', 1004)")
        .await
        .unwrap();
    pool.close().await;
    continues_in_new_series(&SqliteStore::open(&path, &*SeededEntropy::new(1)).await.unwrap()).await;
}

#[tokio::test]
async fn a_database_with_a_shared_series_continues_in_new_ones() {
    let address = database().await;
    let pool = PgPool::connect_with(address.options()).await.unwrap();
    shared_series_migrations(&["migrations", "migrations/postgres"]).await.run(&pool).await.unwrap();
    pool.execute(SHARED_SERIES).await.unwrap();
    pool.execute("SELECT setval('ids_users', 1), setval('ids_orders', 1), setval('ids_charges', 1004)").await.unwrap();
    postgres::migrate(&address).await.unwrap();
    continues_in_new_series(&PostgresStore::open(&address, "one", &*SeededEntropy::new(1)).await.unwrap()).await;
}

/// Workers of the previous release may sell in such a database, although nothing was sold yet.
#[tokio::test]
async fn a_used_database_without_sales_leaves_the_first_series_to_older_workers() {
    let address = database().await;
    let pool = PgPool::connect_with(address.options()).await.unwrap();
    shared_series_migrations(&["migrations", "migrations/postgres"]).await.run(&pool).await.unwrap();
    pool.execute("INSERT INTO remembered (name, value) VALUES ('place', 'another')").await.unwrap();
    postgres::migrate(&address).await.unwrap();
    let letter = sqlx::query_scalar("SELECT value FROM remembered WHERE name = 'receipt_letter'");
    let letter: Option<String> = letter.fetch_optional(&pool).await.unwrap();
    assert_eq!(letter.as_deref(), Some("1"));
}

/// Also shows `OPS-53`.
#[tokio::test]
async fn channels_continue_in_new_series_after_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let [target, backup] = ["channel.sqlite", "backup.sqlite"].map(|name| folder.path().join(name));
    let open = async || SqliteStore::open(&target, &*SeededEntropy::new(1)).await.unwrap();
    let store = open().await;
    let mut sold = vec![sale(&store, "meadow", "ada").await.1, sale(&store, "valley", "bob").await.1];
    store.backup(&backup).await.unwrap();
    sold.extend([sale(&store, "valley", "cleo").await.1, sale(&store, "hill", "dan").await.1]);
    store.close().await;
    for _ in 0..2 {
        sqlite::restore(&backup, &target, &*SeededEntropy::new(2)).await.unwrap();
        let store = open().await;
        sold.push(sale(&store, "lake", "eve").await.1);
        sold.extend([sale(&store, "valley", "fred").await.1, sale(&store, "meadow", "gus").await.1]);
        assert_eq!(disagreements(&store).await, [""; 0]);
        store.close().await;
    }
    let first = [(0, 0, 1), (0, 1, 1), (0, 1, 2), (0, 2, 1)];
    let restored = [(1, 2, 1), (1, 1, 1), (1, 0, 1), (2, 2, 1), (2, 1, 1), (2, 0, 1)];
    assert_eq!(sold, [first.as_slice(), &restored].concat());
}
