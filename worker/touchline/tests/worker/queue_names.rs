//! The name by which a batch of analytics counts once (`OPS-52`).

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{Worker, eventually, folder, text};

/// The numbers of events in the lake, and of distinct ones.
fn counted(data: &Path) -> (u64, u64) {
    let script = "import deltalake, duckdb, sys\n\
        files = deltalake.DeltaTable(sys.argv[1]).file_uris()\n\
        print(*duckdb.sql(f'SELECT COUNT(*), COUNT(DISTINCT event_id) FROM read_parquet({files})').fetchall()[0])\n";
    let output = Command::new("python3").args(["-c", script]).arg(data.join("lake/event")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = text(&output.stdout);
    let (all, distinct) = output.trim().split_once(' ').unwrap();
    (all.parse().unwrap(), distinct.parse().unwrap())
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

async fn until_shipped(worker: &Worker) {
    eventually("the events are shipped", async || {
        let metrics = reqwest::get(format!("http://{}/metrics", worker.admin)).await.unwrap().text().await.unwrap();
        let is_queued = |line: &str| line.starts_with("touchline_datalake_queued{") && line.contains("\"event\"");
        metrics.lines().any(|line| is_queued(line) && line.ends_with(" 0")).then_some(())
    })
    .await;
}

/// Shows OPS-52b: a worker is killed between the lake's commit and its own note of it, and loses or changes its name.
#[tokio::test]
async fn a_batch_counts_once_although_the_workers_name_was_lost_or_changed() {
    for name in [&b"\xff\xfe"[..], b"", b"another-name"] {
        let (folder, data) = folder();
        // A file in place of the table's folder: batches are closed, and cannot be written.
        std::fs::create_dir_all(data.join("lake")).unwrap();
        std::fs::write(data.join("lake/event"), "").unwrap();
        let flags = ["--datalake-close-age-s", "1"];
        let worker = Worker::start(&data, &flags);
        let body = json!({ "profile": "p", "session_uuid": "s", "event": "visit" });
        for _ in 0..3 {
            let sent = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
            assert_eq!(sent.status(), 200);
        }
        eventually("the lake refuses the batch", async || {
            worker.log().contains("a sink did not accept a batch").then_some(())
        })
        .await;
        worker.kill();
        let (queue, before) = (data.join("datalake"), folder.path().join("before"));
        copy(&queue, &before);

        std::fs::remove_file(data.join("lake/event")).unwrap();
        let worker = Worker::start(&data, &flags);
        until_shipped(&worker).await;
        worker.kill();
        assert_eq!(counted(&data), (3, 3));

        std::fs::remove_dir_all(&queue).unwrap();
        std::fs::rename(&before, &queue).unwrap();
        std::fs::write(queue.join("node"), name).unwrap();
        let worker = Worker::start(&data, &flags);
        until_shipped(&worker).await;
        assert!(worker.end().0.success());
        assert_eq!(counted(&data), (3, 3), "{name:?}");
    }
}
