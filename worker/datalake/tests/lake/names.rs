//! Minor damage beside the queue neither prevents a start nor duplicates rows (OPS-52).

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{Workspace, ids, lake_ids, outcomes, send, until, until_shipped, visit};
use touchline_datalake::{Datalake, DatalakeOptions, OpenError, Table};
use touchline_protocol::ambient::SeededEntropy;

/// A worker that generates its own name.
async fn open(home: &Workspace, seed: u64) -> Result<Datalake, OpenError> {
    Datalake::open(DatalakeOptions {
        folder: home.queue(),
        node: None,
        sinks: home.sinks.clone(),
        sink_secret: None,
        limits: home.limits.clone(),
        clock: Arc::clone(&home.clock),
        entropy: SeededEntropy::new(seed),
    })
    .await
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Shows OPS-52.
#[tokio::test]
async fn a_batch_committed_before_a_kill_counts_once_even_if_the_node_name_changed() {
    for damage in [&b"\xff\xfe"[..], b"", b"a name of another", b"0123456789ab"] {
        let home = Workspace::new();
        // A file in place of the table's folder: the batch is closed, but the lake cannot be written.
        fs::create_dir(home.lake()).unwrap();
        fs::write(home.lake().join("event"), "").unwrap();
        let lake = open(&home, 1).await.unwrap();
        let now = home.clock.now_ms();
        let events: Vec<_> = (0..30).map(|n| visit(n, now)).collect();
        send(&lake, now, &events).await;
        until(&lake, "in trouble", |_| !lake.status().troubles.is_empty()).await;
        lake.shutdown(Duration::ZERO).await;
        drop(lake);
        let before = home.folder.path().join("before");
        copy(&home.queue(), &before);

        fs::remove_file(home.lake().join("event")).unwrap();
        let lake = open(&home, 1).await.unwrap();
        until_shipped(&lake, 30).await;
        lake.shutdown(Duration::from_secs(5)).await;
        drop(lake);
        assert_eq!(lake_ids(&home.lake(), Table::Event), ids(0..30));

        // The state after a kill between the lake's commit and its acknowledgement.
        fs::remove_dir_all(home.queue()).unwrap();
        fs::rename(&before, home.queue()).unwrap();
        fs::write(home.queue().join("node"), damage).unwrap();
        let lake = open(&home, 2).await.unwrap();
        until_shipped(&lake, 30).await;
        assert_eq!(lake_ids(&home.lake(), Table::Event), ids(0..30), "{damage:?}");
        lake.shutdown(Duration::from_secs(5)).await;
    }
}

/// Shows OPS-52.
#[tokio::test]
async fn a_node_name_that_is_no_file_does_not_prevent_a_start() {
    let home = Workspace::new();
    open(&home, 1).await.unwrap().shutdown(Duration::from_secs(5)).await;
    let node = home.queue().join("node");
    let to_nothing = |path: &Path| std::os::unix::fs::symlink("nowhere", path).unwrap();
    let folder = |path: &Path| fs::create_dir(path).unwrap();
    for (seed, what, damage) in [(2, "folder", &folder as &dyn Fn(&Path)), (3, "link", &to_nothing)] {
        fs::remove_file(&node).unwrap();
        damage(&node);
        let lake = open(&home, seed).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        lake.shutdown(Duration::from_secs(5)).await;
        assert!(fs::read_to_string(&node).is_ok_and(|name| !name.is_empty()), "{what}");
    }
}

/// Shows OPS-52.
#[tokio::test]
async fn a_flipped_bit_in_the_queues_configuration_does_not_prevent_a_start() {
    let home = Workspace::new();
    let lake = open(&home, 1).await.unwrap();
    lake.shutdown(Duration::from_secs(5)).await;
    let epoch = lake.status().epoch;
    drop(lake);
    let (queue, sound) = (home.queue(), home.folder.path().join("sound"));
    copy(&queue, &sound);
    let length = fs::read(queue.join(format!("queue-{epoch}/conf"))).unwrap().len();
    for at in 0..length {
        fs::remove_dir_all(&queue).unwrap();
        copy(&sound, &queue);
        let conf = queue.join(format!("queue-{epoch}/conf"));
        let mut bytes = fs::read(&conf).unwrap();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&conf, bytes).unwrap();
        let lake = open(&home, 2).await.unwrap_or_else(|error| panic!("byte {at} of {length}: {error}"));
        let status = lake.status();
        assert!(status.epoch == epoch || !status.damaged.is_empty(), "byte {at}: it was replaced silently");
        let now = home.clock.now_ms();
        assert_eq!(outcomes(&send(&lake, now, &[visit(1, now)]).await), ["accepted"], "byte {at}");
        lake.shutdown(Duration::from_secs(5)).await;
    }
}

#[tokio::test]
async fn missing_queue_files_or_folders_instead_of_files_are_damage() {
    for name in ["conf", "db", "commits"] {
        let home = Workspace::new();
        let lake = open(&home, 1).await.unwrap();
        let epoch = lake.status().epoch;
        lake.shutdown(Duration::from_secs(5)).await;
        drop(lake);
        let file = home.queue().join(format!("queue-{epoch}/{name}"));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let lake = open(&home, 2).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(lake.status().damaged.len(), 1, "{name}");
        lake.shutdown(Duration::from_secs(5)).await;
    }
}
