//! The contract over PostgreSQL, and faults that only a store with several writers can have.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use tokio::time::Instant;
use touchline_protocol::ambient::SeededEntropy;
use touchline_protocol::sync::StatusKind;
use touchline_store::{
    Change, CreateOrderResult, Keys, Maintenance, NewStatus, Orders, PostgresAddress, PostgresStore, RegisterResult,
    Scope, Statuses, Store, StoreError, Tokens, Users, no_mail, postgres,
};

use crate::cluster::{fresh, migrated};
use crate::orders::new_order;
use crate::{AT, Backend, new_key, new_user, register};

/// A new, empty database.
pub(crate) async fn database() -> PostgresAddress {
    fresh("").await
}

pub(crate) struct Postgres {
    address: PostgresAddress,
    store: PostgresStore,
}

#[async_trait]
impl Backend for Postgres {
    async fn empty() -> Self {
        let address = migrated().await;
        let store = PostgresStore::open(&address, &1.to_string(), &*SeededEntropy::new(1)).await.unwrap();
        Self { address, store }
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }

    async fn reopened(self) -> Self {
        self.store.close().await;
        let store = PostgresStore::open(&self.address, &2.to_string(), &*SeededEntropy::new(2)).await.unwrap();
        Self { address: self.address, store }
    }

    async fn execute(&self, statement: &'static str) {
        PgPool::connect_with(self.address.options()).await.unwrap().execute(statement).await.unwrap();
    }
}

crate::contract! { crate::postgres::Postgres }

#[tokio::test]
async fn a_worker_with_a_fast_clock_locks_out_no_viewer_of_others() {
    crate::rate_limits::a_worker_with_a_fast_clock_locks_out_no_viewer_of_others(Postgres::empty().await).await;
}

/// `OPS-53`: a standby may lack ids that were issued.
#[tokio::test]
async fn a_promoted_standby_issues_no_id_before_some_are_skipped() {
    let backend = Postgres::empty().await;
    register(&backend.store, "ada@example.com").await;
    let pool = PgPool::connect_with(backend.address.options()).await.unwrap();
    let other_timeline =
        "UPDATE remembered SET value = SPLIT_PART(value, '/', 1) || '/00000000/' || SPLIT_PART(value, '/', 3)
         WHERE name = 'place'";
    pool.execute(other_timeline).await.unwrap();
    let user = loop {
        match backend.store.register_user(new_user("bob@example.com"), None, None, &no_mail).await {
            Ok(RegisterResult::New(user, _)) => break user,
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert!(error.is_server_unavailable(), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(user.id > 1_000_000, "{}", user.id);
}

/// The string literals of a source file, each with the preceding text.
fn literals(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find(['"', '\'']) {
        let before = rest[..start].to_owned();
        if rest[start..].starts_with('\'') {
            // A character, or a lifetime.
            let skip = if rest[start + 1..].starts_with('\\') { 4 } else { 1 };
            rest = &rest[start + skip..];
            continue;
        }
        let mut text = String::new();
        let mut chars = rest[start + 1..].char_indices();
        let mut end = rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    end = start + 1 + at + 1;
                    break;
                }
                '\\' => text.extend(chars.next().map(|(_, escaped)| escaped)),
                c => text.push(c),
            }
        }
        found.push((before, text));
        rest = &rest[end..];
    }
    found
}

/// The statements of a source file, with their parts joined.
fn statements(source: &str, orders: &str) -> Vec<String> {
    let source: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect();
    let mut statements: Vec<String> = Vec::new();
    for (before, text) in literals(&source) {
        let before = before.trim_end();
        let is_piece = before == "," || before.starts_with(')') && !before.contains(['{', ';']);
        let last = statements.len().saturating_sub(1);
        if before.ends_with("texts_of!(") || before.ends_with("numbers_of!(") {
            let value = if before.ends_with("texts_of!(") { "value" } else { "CAST(value AS BIGINT)" };
            let list = format!("(SELECT {value} FROM json_array_elements_text(CAST({text} AS JSON)))");
            statements[last].push_str(&list);
        } else if before.ends_with("unclaimed!(") {
            statements[last].push_str(&format!("NOT EXISTS (SELECT 1 FROM claims WHERE job = {text} AND node <> "));
        } else if before == "," && text.starts_with('$') {
            statements[last].push_str(&format!("{text})"));
        } else if before.ends_with("skip_locked!(") {
            statements[last].push_str(&format!(" FOR UPDATE OF {text} SKIP LOCKED"));
        } else if before.ends_with("orders_where!(") {
            statements.push(format!("{orders}{text}"));
        } else if ["SELECT ", "INSERT ", "UPDATE ", "DELETE "].iter().any(|verb| text.starts_with(verb)) {
            statements.push(text);
        } else if is_piece && !statements.is_empty() && text.starts_with([' ', ')']) {
            statements[last].push_str(&text);
        }
    }
    statements
}

/// Every statement in the folder is tried against the second dialect, whether or not a rule calls it.
#[tokio::test]
async fn postgresql_accepts_every_statement() {
    let backend = Postgres::empty().await;
    let pool = PgPool::connect_with(backend.address.options()).await.unwrap();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sql");
    let orders = std::fs::read_to_string(format!("{folder}/order_rows.rs")).unwrap();
    let orders = literals(&orders).into_iter().find(|(_, text)| text.starts_with("SELECT o.id")).unwrap().1;
    let (mut tried, mut refused) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        for statement in statements(&std::fs::read_to_string(&path).unwrap(), &orders) {
            if statement == orders {
                continue;
            }
            tried += 1;
            let prepared = pool.prepare(AssertSqlSafe(statement.clone()).into_sql_str()).await;
            // PostgreSQL can't infer the type of a bare parameter, which comes with the bound value.
            let is_untyped = |error: &sqlx::Error| {
                error
                    .as_database_error()
                    .and_then(|it| it.code())
                    .is_some_and(|it| ["42P08", "42P18", "42725"].contains(&&*it))
            };
            if let Err(error) = prepared
                && !is_untyped(&error)
            {
                refused.push(format!("{}: {error}: {statement}", path.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
    assert!(tried > 200, "only {tried} statements were found");
}

#[tokio::test]
async fn databases_with_missing_old_new_or_foreign_tables_are_reported_in_one_line() {
    let open =
        async |address: &PostgresAddress| PostgresStore::open(address, &1.to_string(), &*SeededEntropy::new(1)).await;
    let address = database().await;
    let message = open(&address).await.unwrap_err().to_string();
    assert!(message.contains("has no tables yet; run `touchline migrate`") && !message.contains('\n'), "{message}");

    let pool = PgPool::connect_with(address.options()).await.unwrap();
    pool.execute("CREATE TABLE notes (text TEXT)").await.unwrap();
    let message = postgres::migrate(&address).await.unwrap_err().to_string();
    assert!(message.contains("has tables from another application") && !message.contains('\n'), "{message}");
    pool.execute("DROP TABLE notes").await.unwrap();

    postgres::migrate(&address).await.unwrap();
    open(&address).await.unwrap().close().await;
    // Repeating it changes nothing.
    postgres::migrate(&address).await.unwrap();
    pool.execute("DELETE FROM _sqlx_migrations WHERE version = 9001").await.unwrap();
    let message = open(&address).await.unwrap_err().to_string();
    assert!(message.contains("has an older version; run `touchline migrate`") && !message.contains('\n'), "{message}");
    pool.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', TRUE, ''::bytea, 0)",
    )
    .await
    .unwrap();
    let error = open(&address).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
}

#[tokio::test]
async fn an_address_is_displayed_without_its_password_and_a_missing_server_reported() {
    let address: PostgresAddress = "postgres://ada:secret@127.0.0.1:1/channel".parse().unwrap();
    assert_eq!(address.to_string(), "postgres://127.0.0.1:1/channel");
    assert!(!format!("{address:?}").contains("secret"));
    let message = PostgresStore::open(&address, &1.to_string(), &*SeededEntropy::new(1)).await.unwrap_err().to_string();
    assert!(
        message.contains("postgres://127.0.0.1:1/channel cannot be opened") && !message.contains('\n'),
        "{message}"
    );
    assert!("mysql://host/db".parse::<PostgresAddress>().is_err());
}

/// `OPS-30`: many workers share a database.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_follow_their_use_up_to_the_limit_of_the_worker() {
    let address = database().await.with_connections(9);
    postgres::migrate(&address).await.unwrap();
    let observer = PgPool::connect_with(address.options().application_name("observer")).await.unwrap();
    let open = async || {
        let count =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND application_name = 'touchline'";
        sqlx::query_scalar::<_, i64>(count).fetch_one(&observer).await.unwrap()
    };
    let store = PostgresStore::open(&address, "one", &*SeededEntropy::new(1)).await.unwrap();
    let user = register(&store, "ada@example.com").await;
    let mut burst = tokio::task::JoinSet::new();
    // More would wait for a connection longer than allowed on a busy machine: a person's keys are written in turn.
    for task in 0..16 {
        let store = store.clone();
        burst.spawn(async move {
            for index in 0..25 {
                store.issue_key(new_key(&format!("hash {task} {index}"), Some(user.id)), None).await.unwrap();
                store.user_keys(user.id).await.unwrap();
            }
        });
    }
    let mut peak = 0;
    while !burst.is_empty() {
        peak = peak.max(open().await);
        while let Some(ended) = burst.try_join_next() {
            ended.unwrap();
        }
    }
    assert!((5..=9).contains(&peak), "{peak} connections during a burst");
    let deadline = Instant::now() + Duration::from_secs(60);
    while open().await > 3 {
        assert!(Instant::now() < deadline, "{} connections without use", open().await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(store.user_keys(user.id).await.unwrap().len(), 400);
    store.close().await;
}

/// Two workers on one database.
async fn two() -> (PostgresStore, PostgresStore, PostgresAddress) {
    let address = database().await;
    postgres::migrate(&address).await.unwrap();
    let open =
        async |seed: u64| PostgresStore::open(&address, &seed.to_string(), &*SeededEntropy::new(seed)).await.unwrap();
    (open(1).await, open(2).await, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_purchases_at_two_workers_create_one_order_and_use_a_code_once() {
    let (one, other, _) = two().await;
    for round in 0..10 {
        let user = register(&one, &format!("ada{round}@example.com")).await;
        let create = |store: &PostgresStore, product, code: &str| {
            let (store, mut new) = (store.clone(), new_order(user.id, product));
            new.promo_code = Some(code.to_owned());
            new.promo_limit = Some(1);
            async move { store.create_order(new, None).await.unwrap() }
        };
        let codes = [format!("A{round}"), format!("B{round}"), format!("C{round}")];
        let same = tokio::join!(create(&one, 1, &codes[0]), create(&other, 1, &codes[1]));
        assert!(
            matches!(
                same,
                (CreateOrderResult::Order(_), CreateOrderResult::AlreadyBought)
                    | (CreateOrderResult::AlreadyBought, CreateOrderResult::Order(_))
            ),
            "{same:?}"
        );
        let last = tokio::join!(create(&one, 2, &codes[2]), create(&other, 3, &codes[2]));
        assert!(
            matches!(
                last,
                (CreateOrderResult::Order(_), CreateOrderResult::PromoUsedUp)
                    | (CreateOrderResult::PromoUsedUp, CreateOrderResult::Order(_))
            ),
            "{last:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn single_use_tokens_work_at_one_of_two_workers() {
    let (one, other, _) = two().await;
    for round in 0..20 {
        let hash = format!("hash{round}");
        one.store_token(&hash, "subject", AT + 10).await.unwrap();
        let used = tokio::join!(one.use_token(&hash, "subject", AT), other.use_token(&hash, "subject", AT));
        assert_ne!(used.0.unwrap(), used.1.unwrap());
        let first = format!("first{round}");
        let once = tokio::join!(one.use_once(&first, AT + 10), other.use_once(&first, AT + 10));
        assert_ne!(once.0.unwrap(), once.1.unwrap());
    }
}

/// The positions that a subscriber receives per scope, until nothing more arrives.
async fn received(mut changes: tokio::sync::broadcast::Receiver<Change>, lines: usize) -> HashMap<String, Vec<u64>> {
    let mut received: HashMap<String, Vec<u64>> = HashMap::new();
    for _ in 0..lines {
        let change = changes.recv().await.unwrap();
        let Change::Status(line) = change else { panic!("{change:?}") };
        received.entry(line.scope.to_string()).or_default().push(line.status.seq);
    }
    received
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn subscribers_of_every_worker_receive_all_lines_in_order_per_scope() {
    const WRITES: i64 = 60;
    let (one, other, _) = two().await;
    let (scopes, lines) = (["meadow", "moor", "marsh"], 3 * 2 * WRITES as usize);
    let hearing = [one.changes(), other.changes()].map(|changes| tokio::spawn(received(changes, lines)));
    let mut writes = tokio::task::JoinSet::new();
    for (store, first) in [(&one, 0), (&other, WRITES)] {
        for channel in scopes {
            let store = store.clone();
            writes.spawn(async move {
                for id in first..first + WRITES {
                    let line = NewStatus {
                        scope: Scope::Channel(channel.to_owned()),
                        kind: StatusKind::Event,
                        id,
                        version: 1,
                        state: serde_json::json!({ "id": id }),
                        at: AT,
                    };
                    store.record_statuses(vec![line]).await.unwrap();
                }
            });
        }
    }
    while let Some(done) = writes.join_next().await {
        done.unwrap();
    }
    for hearing in hearing {
        let received = hearing.await.unwrap();
        for channel in scopes {
            let expected: Vec<u64> = (1..=2 * WRITES as u64).collect();
            assert_eq!(received[&format!("channel:{channel}")], expected, "{channel}");
        }
    }
}

/// A rolled-back change uses up an id. Later changes are delivered nevertheless, and changes in progress are delivered
/// when they appear.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_change_is_delivered_after_later_ones() {
    let (one, other, address) = two().await;
    let mut changes = one.changes();
    let line = |channel: &str, id| NewStatus {
        scope: Scope::Channel(channel.to_owned()),
        kind: StatusKind::Event,
        id,
        version: 1,
        state: serde_json::json!({}),
        at: AT,
    };
    let pool = PgPool::connect_with(address.options()).await.unwrap();
    let mut slow = pool.begin().await.unwrap();
    slow.execute(
        "INSERT INTO status_log (scope, seq, at, kind, id, version, state) VALUES ('channel:slow', 1, 0, 'event', 1, 1, '{}')",
    )
    .await
    .unwrap();
    slow.execute("INSERT INTO changes (kind, scope, seq, ids) VALUES ('status', 'channel:slow', 1, '[]')")
        .await
        .unwrap();
    let mut deleted = pool.begin().await.unwrap();
    deleted.execute("INSERT INTO changes (kind, scope, seq, ids) VALUES ('rights', '', 0, '[7]')").await.unwrap();
    deleted.rollback().await.unwrap();
    for id in 0..5 {
        other.record_statuses(vec![line("quick", id)]).await.unwrap();
    }
    let mut next = async || match changes.recv().await.unwrap() {
        Change::Status(line) => line.scope.to_string(),
        other => panic!("{other:?}"),
    };
    for _ in 0..5 {
        assert_eq!(next().await, "channel:quick");
    }
    slow.commit().await.unwrap();
    assert_eq!(next().await, "channel:slow");
    other.record_statuses(vec![line("quick", 9)]).await.unwrap();
    assert_eq!(next().await, "channel:quick");
}

/// The transaction in progress may be the newest. PostgreSQL's snapshot then ends before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_newest_change_in_progress_is_delivered_after_later_ones() {
    let (one, _other, address) = two().await;
    let mut changes = one.changes();
    let pool = PgPool::connect_with(address.options()).await.unwrap();
    // A transaction gets its number with its first write, and a row its id when it is inserted.
    let mut older = pool.begin().await.unwrap();
    older.execute("INSERT INTO remembered (name, value) VALUES ('older', '')").await.unwrap();
    let mut newest = pool.begin().await.unwrap();
    newest.execute("INSERT INTO changes (kind, scope, seq, ids) VALUES ('rights', '', 0, '[1]')").await.unwrap();
    older.execute("INSERT INTO changes (kind, scope, seq, ids) VALUES ('rights', '', 0, '[2]')").await.unwrap();
    // Both are read at once, before another transaction ends.
    older.execute("SELECT pg_notify('touchline_changes', 'test')").await.unwrap();
    older.commit().await.unwrap();
    let mut next = async || match changes.recv().await.unwrap() {
        Change::RightsChanged(user_id) => user_id,
        other => panic!("{other:?}"),
    };
    assert_eq!(next().await, 2);
    // More than two polls.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    newest.commit().await.unwrap();
    assert_eq!(tokio::time::timeout(Duration::from_secs(30), next()).await, Ok(1));
}

/// A standby that took over has a different identity, and may lack delivered changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn moved_tables_restart_the_positions_for_all_workers() {
    let (one, other, address) = two().await;
    let before = one.epoch();
    assert_eq!(before, other.epoch());
    let mut changes = [one.changes(), other.changes()];
    let pool = PgPool::connect_with(address.options()).await.unwrap();
    pool.execute("UPDATE remembered SET value = 'elsewhere' WHERE name = 'place'").await.unwrap();
    for changes in &mut changes {
        let change = changes.recv().await.unwrap();
        assert!(matches!(change, Change::Missed), "{change:?}");
    }
    assert_ne!(one.epoch(), before);
    assert_eq!(one.epoch(), other.epoch());
}
