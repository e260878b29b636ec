//! The contract over SQLite, and properties of a file: damage, backup, restore.

use std::path::PathBuf;

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Executor, SqlitePool};
use tempfile::TempDir;
use touchline_protocol::ambient::SeededEntropy;
use touchline_store::{Mail, Maintenance, Scope, SqliteStore, Store, StoreError, UserChange, Users, sqlite};

use crate::{AT, Backend, register};

pub(crate) struct Sqlite {
    folder: TempDir,
    store: SqliteStore,
}

impl Sqlite {
    fn path(folder: &TempDir) -> PathBuf {
        folder.path().join("channel.sqlite")
    }
}

#[async_trait]
impl Backend for Sqlite {
    async fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&Self::path(&folder), &*SeededEntropy::new(1)).await.unwrap();
        Self { folder, store }
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }

    async fn reopened(self) -> Self {
        self.store.close().await;
        let store = SqliteStore::open(&Self::path(&self.folder), &*SeededEntropy::new(2)).await.unwrap();
        Self { folder: self.folder, store }
    }

    async fn execute(&self, statement: &'static str) {
        let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(self.store.path())).await.unwrap();
        pool.execute(statement).await.unwrap();
        pool.close().await;
    }
}

crate::contract! { crate::sqlite::Sqlite }

#[tokio::test]
async fn a_bucket_refills_by_the_workers_clock() {
    crate::rate_limits::a_bucket_refills_by_the_workers_clock(Sqlite::empty().await).await;
}

/// Asserts that a file with these bytes is refused as damaged and doesn't change.
async fn refuses(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = Sqlite::path(&folder);
    std::fs::write(&path, bytes).unwrap();
    let error = SqliteStore::open(&path, &*SeededEntropy::new(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.contains("channel.sqlite") && message.contains("touchline restore") && !message.contains('\n'),
        "{message}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[tokio::test]
async fn a_damaged_file_is_refused_and_never_overwritten() {
    refuses(b"").await;
    refuses(b"this is no database, but some text of some length").await;
    let sound = Sqlite::empty().await;
    for number in 0..200 {
        register(sound.store(), &format!("{number}@example.com")).await;
    }
    let path = Sqlite::path(&sound.folder);
    sound.store.close().await;
    let bytes = std::fs::read(&path).unwrap();
    refuses(&bytes[..bytes.len() / 2]).await;
    let mut holed = bytes;
    let middle = holed.len() / 2 / 4096 * 4096;
    holed[middle..middle + 8192].fill(0xa5);
    refuses(&holed).await;
}

#[tokio::test]
async fn a_missing_file_with_a_journal_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("channel.sqlite-wal"), b"journal").unwrap();
    let error = SqliteStore::open(&Sqlite::path(&folder), &*SeededEntropy::new(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(!Sqlite::path(&folder).exists());
}

#[tokio::test]
async fn a_missing_folder_is_reported() {
    let path = PathBuf::from("/nonexistent/folder/channel.sqlite");
    let error = SqliteStore::open(&path, &*SeededEntropy::new(1)).await.unwrap_err();
    assert!(matches!(&error, StoreError::CannotOpen { path: named, .. } if *named == path), "{error}");
}

#[tokio::test]
async fn a_newer_store_is_refused() {
    let backend = Sqlite::empty().await;
    let path = Sqlite::path(&backend.folder);
    backend.store.close().await;
    let pool = SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', TRUE, x'00', 0)")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let error = SqliteStore::open(&path, &*SeededEntropy::new(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
}

#[tokio::test]
async fn a_backup_restores_everything_under_a_new_epoch() {
    let backend = Sqlite::empty().await;
    let stored = register(backend.store(), "kept@example.com").await;
    let backup = backend.folder.path().join("backup.sqlite");
    backend.store().backup(&backup).await.unwrap();
    assert!(backend.store().backup(&backup).await.is_err(), "an existing file is not overwritten");
    let lost = register(backend.store(), "lost@example.com").await;
    let epoch = backend.store().epoch();
    backend.store.close().await;

    let target = Sqlite::path(&backend.folder);
    let aside = sqlite::restore(&backup, &target, &*SeededEntropy::new(3)).await.unwrap().unwrap();
    let backend = backend.reopened().await;
    assert_eq!(backend.store().user(stored.id).await.unwrap().unwrap(), stored);
    assert!(backend.store().user(lost.id).await.unwrap().is_none());
    assert_ne!(backend.store().epoch(), epoch);
    assert_eq!(backend.store().status_head(&Scope::User(stored.id)).await.unwrap(), 0);
    let replaced = SqliteStore::open(&aside, &*SeededEntropy::new(1)).await.unwrap();
    assert_eq!(replaced.user(lost.id).await.unwrap().unwrap(), lost, "the replaced store is still there");
}

#[tokio::test]
async fn a_damaged_backup_replaces_nothing() {
    let backend = Sqlite::empty().await;
    let user = register(backend.store(), "ada@example.com").await;
    backend.store.close().await;
    let target = Sqlite::path(&backend.folder);
    let before = std::fs::read(&target).unwrap();
    let broken = backend.folder.path().join("broken.sqlite");
    std::fs::write(&broken, &before[..before.len() / 2]).unwrap();
    for backup in [&broken, &backend.folder.path().join("none.sqlite")] {
        let error = sqlite::restore(backup, &target, &*SeededEntropy::new(3)).await.unwrap_err();
        assert!(matches!(error, StoreError::Backup { .. }), "{error}");
        assert_eq!(std::fs::read(&target).unwrap(), before);
    }
    assert_eq!(backend.reopened().await.store().user(user.id).await.unwrap().unwrap(), user);
}

/// Whether the store's file or journal contains this text.
fn holds(folder: &TempDir, text: &str) -> bool {
    let bytes = |suffix: &str| std::fs::read(folder.path().join(format!("channel.sqlite{suffix}"))).unwrap_or_default();
    ["", "-wal"].iter().any(|suffix| bytes(suffix).windows(text.len()).any(|part| part == text.as_bytes()))
}

#[tokio::test]
async fn an_erased_user_leaves_nothing_in_the_file_or_its_journal() {
    let backend = Sqlite::empty().await;
    let store = backend.store();
    let mail = |recipient: &str, user_id| Mail {
        user_id,
        sender_name: "Meadow".to_owned(),
        recipient: recipient.to_owned(),
        subject: "Verify your address".to_owned(),
        text: format!("https://meadow.test/verify-email?email={recipient}"),
        ..Mail::default()
    };
    // Enough other users to spread their rows over several pages.
    for number in 0..60 {
        register(store, &format!("other-{number}@example.com")).await;
    }
    let user = register(store, "ada.before@example.com").await;
    store.queue_mail(mail("ada.before@example.com", Some(user.id)), AT, None).await.unwrap();
    let change = UserChange {
        email: Some("ada.after@example.com".to_owned()),
        last_name: Some("Lovelace-King".to_owned()),
        phone: Some("+44 20 7946 0999".to_owned()),
        ..UserChange::default()
    };
    store.change_user(user.id, change, &[]).await.unwrap();
    store.queue_mail(mail("ada.after@example.com", Some(user.id)), AT, None).await.unwrap();
    for number in 60..120 {
        register(store, &format!("other-{number}@example.com")).await;
    }
    let theirs = ["ada.before@example.com", "ada.after@example.com", "Lovelace-King", "7946 0999"];
    assert!(theirs.iter().all(|text| holds(&backend.folder, text)), "the search must be able to find something");

    assert!(store.erase_user(user.id, AT).await.unwrap());
    // The record of the remaining work contains the address until it is complete.
    store.complete_erasure(user.id).await.unwrap();
    let remaining: Vec<_> = theirs.into_iter().filter(|text| holds(&backend.folder, text)).collect();
    assert!(remaining.is_empty(), "while the store is open: {remaining:?}");
    assert!(holds(&backend.folder, "other-7@example.com"));
    let backend = backend.reopened().await;
    assert!(backend.store().user_by_email("meadow", "other-119@example.com").await.unwrap().is_some());
    assert!(!theirs.into_iter().any(|text| holds(&backend.folder, text)));
}
