//! Files of other applications, dangling links, and permissions of a backup.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use touchline_protocol::ambient::SeededEntropy;
use touchline_store::{Maintenance, SqliteStore, StoreError, sqlite};

async fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, &*SeededEntropy::new(1)).await
}

/// Another application's database.
async fn foreign(path: PathBuf) -> PathBuf {
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}?mode=rwc", path.display())).await.unwrap();
    sqlx::query("CREATE TABLE notes (text TEXT)").execute(&pool).await.unwrap();
    pool.close().await;
    path
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn another_applications_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = foreign(folder.path().join("channel.sqlite")).await;
    let bytes = std::fs::read(&path).unwrap();
    let message = open(&path).await.unwrap_err().to_string();
    assert!(message.contains("channel.sqlite is not a channel store") && !message.contains('\n'), "{message}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(names(folder.path()), [path]);
}

#[tokio::test]
async fn only_a_channel_store_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("channel.sqlite");
    open(&target).await.unwrap().close().await;
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let foreign = foreign(folder.path().join("foreign")).await;
    let (before, there) = (std::fs::read(&target).unwrap(), names(folder.path()));
    for backup in [&empty, &foreign] {
        let error = sqlite::restore(backup, &target, &*SeededEntropy::new(3)).await.unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, StoreError::Backup { .. }), "{message}");
        assert!(message.contains(backup.to_str().unwrap()) && message.contains("is not a channel store"), "{message}");
        assert!(!message.contains(".restored"), "{message}");
        assert_eq!(std::fs::read(&target).unwrap(), before);
        assert_eq!(names(folder.path()), there, "no file is added or moved");
    }
}

#[tokio::test]
async fn a_dangling_link_is_not_replaced_by_a_new_store() {
    let folder = tempfile::tempdir().unwrap();
    let (path, disk) = (folder.path().join("channel.sqlite"), folder.path().join("disk"));
    symlink(disk.join("channel.sqlite"), &path).unwrap();
    let error = open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }) && error.to_string().contains("a link to"), "{error}");
    assert!(path.is_symlink());
    assert_eq!(names(folder.path()), std::slice::from_ref(&path));

    // Once the disk is mounted, a store is created there and found again, and a restore moves the link aside.
    std::fs::create_dir(&disk).unwrap();
    open(&disk.join("channel.sqlite")).await.unwrap().close().await;
    let store = open(&path).await.unwrap();
    let backup = folder.path().join("backup");
    store.backup(&backup).await.unwrap();
    store.close().await;
    std::fs::remove_dir_all(&disk).unwrap();
    let aside = sqlite::restore(&backup, &path, &*SeededEntropy::new(3)).await.unwrap().unwrap();
    assert!(aside.is_symlink() && !path.is_symlink());
    open(&path).await.unwrap().close().await;
}

#[tokio::test]
async fn a_backup_is_private_and_overwrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("channel.sqlite")).await.unwrap();
    let backup = folder.path().join("backup");
    store.backup(&backup).await.unwrap();
    assert_eq!(std::fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    assert!(store.backup(&empty).await.unwrap_err().to_string().contains("already exists"));
    assert!(store.backup(&folder.path().join("none/backup")).await.is_err());
    store.close().await;
    let restored = folder.path().join("restored.sqlite");
    sqlite::restore(&backup, &restored, &*SeededEntropy::new(3)).await.unwrap();
    assert_eq!(std::fs::metadata(&restored).unwrap().permissions().mode() & 0o777, 0o600);
}
