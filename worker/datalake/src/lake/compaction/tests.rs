use touchline_protocol::ambient::{ManualClock, SeededEntropy};
use uuid::Uuid;

use super::*;
use crate::event::QueuedEvent;
use crate::options::{Limits, SinkConfig};
use crate::queue::state::OpenBatch;
use crate::sinks::{Batch, Progress, Sink};

const NOW_MS: i64 = 1_795_255_200_000;
const TABLE: Table = Table::Event;

fn opened(folder: &std::path::Path, node: &str, seed: u64) -> Lake {
    let (clock, entropy) = (ManualClock::at_ms(NOW_MS) as _, SeededEntropy::new(seed) as _);
    let config = SinkConfig::LakeFolder(folder.to_owned());
    Lake::open(&config, (node, node), &Limits::default(), &clock, &entropy).unwrap().unwrap()
}

/// Ships a batch with the ids 0, 1 and 2.
async fn ship(lake: &Lake) {
    ship_at(lake, NOW_MS, r#"{"event":"visit"}"#).await;
}

async fn ship_at(lake: &Lake, at_ms: i64, body: &'static str) {
    let at_us = at_ms * 1000;
    let event =
        |n| QueuedEvent { id: Uuid::from_u128(n), at_us, received_us: at_us, occurred_us: at_us, body: body.into() };
    let date = event::date_of(at_us);
    let bounds = OpenBatch { epoch: format!("e{at_ms}"), node: String::new(), date, first: 0, last: 2, events: 3 };
    let events = Arc::new((0..3).map(|n| (n, event(u128::from(n)))).collect());
    lake.ship(&Batch { table: TABLE, bounds: &bounds, events }, &mut Progress::default()).await.unwrap();
}

#[tokio::test]
async fn two_compactions_that_each_leave_a_row_to_the_other_do_not_both_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (opened(folder.path(), "n1", 1), opened(folder.path(), "n2", 2));
    ship(&one).await;
    ship(&other).await;
    let snapshot = one.log(TABLE).await.unwrap().snapshot().await.unwrap();
    let of = |node: &str| -> Vec<Add> {
        snapshot.files.values().filter(|add| nodes_of(add).contains(node)).cloned().collect()
    };
    let date = event::date_of(NOW_MS * 1000);
    assert_eq!(other.compact_group(TABLE, &snapshot, date, &of("n2")).await.unwrap(), Some(3));
    assert_eq!(one.compact_group(TABLE, &snapshot, date, &of("n1")).await.unwrap(), None);
    let now = one.log(TABLE).await.unwrap().snapshot().await.unwrap();
    let mut remaining = 0;
    for path in now.files.keys() {
        rows::visit_ids(one.read(TABLE, path).await.unwrap(), |_| remaining += 1).unwrap();
    }
    assert_eq!(remaining, 3);
    // The file of the second one is removed at once: an erasure may have missed it.
    let mut stored: Vec<_> = one.files(TABLE).await.unwrap().into_iter().map(|file| file.path).collect();
    stored.retain(|path| !snapshot.files.contains_key(path) && !now.files.contains_key(path));
    assert_eq!(stored, Vec::<String>::new());
}

#[test]
fn a_group_is_bounded_by_the_memory_that_its_rows_take() {
    // 20 files of 40 MiB unpacked, and one that is large unpacked alone; all are tiny on the disk.
    let date = event::date_of(NOW_MS * 1000);
    let add = |name: String, unpacked: u64| {
        let tags = BTreeMap::from([(UNPACKED.to_owned(), Some((unpacked << 20).to_string()))]);
        let partition_values = BTreeMap::from([("received_date".to_owned(), Some(date.to_string()))]);
        let (modification_time, data_change) = (0, true);
        let add = Add {
            path: name.clone(),
            partition_values,
            size: 1000,
            modification_time,
            data_change,
            stats: None,
            tags: Some(tags),
        };
        (name, add)
    };
    let mut files: BTreeMap<_, _> = (0..20).map(|n| add(format!("{n:02}"), 40)).collect();
    files.extend([add("large".to_owned(), 64)]);
    let recent = date.tomorrow().unwrap();
    let groups = groups(small_files(&files, recent), &HashMap::new(), recent);
    let unpacked = |group: &[Add]| group.iter().filter_map(tagged_unpacked).sum::<u64>();
    assert!(groups.iter().all(|(_, group)| group.len() > 1 && unpacked(group) <= MAX_UNPACKED_BYTES));
    assert_eq!(groups.iter().map(|(_, group)| group.len()).sum::<usize>(), 20);
}

#[tokio::test]
async fn a_file_states_the_memory_that_its_equal_texts_take() {
    let folder = tempfile::tempdir().unwrap();
    let lake = opened(folder.path(), "n1", 1);
    let text = "x".repeat(6000);
    ship_at(&lake, NOW_MS, format!(r#"{{"event":"visit","page":"{text}","extras":{{"a":"{text}"}}}}"#).leak()).await;
    let mut snapshot = Snapshot::clone(&*lake.log(TABLE).await.unwrap().snapshot().await.unwrap());
    let add = snapshot.files.values_mut().next().unwrap();
    let unpacked = tagged_unpacked(add).unwrap();
    assert!(add.size < 12_000 && (36_000..60_000).contains(&unpacked), "{} packed, {unpacked} unpacked", add.size);
    // The footer states it too, for a file of an earlier build.
    let path = add.path.clone();
    add.tags = None;
    let days = small_files(&snapshot.files, event::date_of(NOW_MS * 1000));
    assert_eq!(lake.untagged(TABLE, &days).await, (HashMap::from([(path.clone(), unpacked)]), 0));
    // A file without a valid footer is counted, and in no group.
    std::fs::write(folder.path().join(TABLE.name()).join(&path), "damaged").unwrap();
    assert_eq!(lake.untagged(TABLE, &days).await, (HashMap::new(), 1));
    assert!(groups(days, &HashMap::new(), event::date_of(NOW_MS * 1000)).is_empty());
}

#[tokio::test]
async fn a_group_that_fails_stops_no_other_day() {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (opened(folder.path(), "n1", 1), opened(folder.path(), "n2", 2));
    for day in 0..3 {
        for lake in [&one, &other] {
            ship_at(lake, NOW_MS - day * DAY_MS, r#"{"event":"visit"}"#).await;
        }
    }
    let files = one.log(TABLE).await.unwrap().snapshot().await.unwrap().files.clone();
    let oldest = files.values().find(|add| date_of(add) == Some(event::date_of((NOW_MS - 2 * DAY_MS) * 1000))).unwrap();
    std::fs::write(folder.path().join(TABLE.name()).join(&oldest.path), "damaged").unwrap();
    let done = one.compact(TABLE).await.unwrap();
    assert_eq!((done.failed, done.written), (1, 2), "{done:?}");
}

#[test]
fn a_merge_has_its_rows_in_memory_once() {
    let text = "x".repeat(6000);
    let file = |from: u128| {
        let mut rows = rows::Rows::new(TABLE);
        for n in from..from + 1000 {
            let body = format!(r#"{{"event":"visit","extras":{{"a":"{text}"}}}}"#).into();
            rows.push(&QueuedEvent { id: Uuid::from_u128(n), at_us: 1, received_us: 2, occurred_us: 3, body }).unwrap();
        }
        rows::to_parquet(TABLE, [Ok(rows.finish().unwrap())]).unwrap()
    };
    let files: Vec<_> = (0..5).map(|n| file(n * 1000)).collect();
    let unpacked = files.iter().map(|file| file.unpacked).sum::<u64>();
    let bytes: Vec<_> = files.into_iter().map(|file| file.bytes).collect();
    let measured = allocation_counter::measure(|| {
        assert_eq!(merge(TABLE, bytes, &HashSet::new()).unwrap().1, 0);
    });
    // A buffer is up to twice as large as its texts.
    assert!(measured.bytes_max < unpacked * 5 / 2, "{} for {unpacked}", measured.bytes_max);
}
