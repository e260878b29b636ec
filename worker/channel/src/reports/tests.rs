use std::fs;
use std::os::unix::fs::PermissionsExt;

use touchline_protocol::ambient::{ManualClock, SeededEntropy};

use super::*;

const DAY_MS: i64 = 24 * 3_600_000;

struct Folder {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    entropy: Arc<SeededEntropy>,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, clock: ManualClock::at_ms(1_700_000_000_000), entropy: SeededEntropy::new(1) }
    }

    fn open(&self, retention: Retention) -> Reports {
        Reports::open(self.folder.path(), retention, self.clock.clone(), self.entropy.clone()).unwrap()
    }

    async fn store(&self, reports: &Reports, note: &str, log: &str) -> String {
        self.store_from(reports, "", note, log).await
    }

    async fn store_from(&self, reports: &Reports, network: &str, note: &str, log: &str) -> String {
        let sender = Sender { channel: "meadow".into(), network: network.to_owned(), ..Sender::default() };
        self.store_by(reports, sender, note, log).await
    }

    async fn store_by(&self, reports: &Reports, sender: Sender, note: &str, log: &str) -> String {
        self.clock.advance_ms(1);
        let report = ProblemReport {
            note: note.into(),
            page: "/buy".into(),
            log: log.into(),
            request_ids: vec!["01JR".into()],
            summary: None,
        };
        reports.store(report, sender).await.unwrap().id
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn notes(reports: &Reports) -> Vec<String> {
    reports.stored().list(|_| true).unwrap().into_iter().map(|report| report.note).collect()
}

#[tokio::test]
async fn reports_are_listed_newest_first_with_their_original_logs() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    folder.store(&reports, "first", "one\n").await;
    let id = folder.store(&reports, "second", "two\n").await;
    let reopened = folder.open(Retention::default());
    assert_eq!(notes(&reopened), ["second", "first"]);
    let newest = &reopened.stored().list(|_| true).unwrap()[0];
    assert_eq!((newest.id.as_str(), newest.received_at.as_str()), (id.as_str(), "2023-11-14T22:13:20.002Z"));
    assert_eq!((newest.log_bytes, newest.request_ids.as_slice()), (4, ["01JR".to_owned()].as_slice()));
    assert_eq!(read_log(&reopened.stored().log_path(&id).unwrap()).unwrap(), b"two\n");
}

#[tokio::test]
async fn only_the_workers_user_can_read_a_report() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    let id = folder.store(&reports, "note", "log").await;
    let log = reports.stored().log_path(&id).unwrap();
    for path in [log.with_file_name(format!("{id}.json")), log] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
}

#[tokio::test]
async fn the_oldest_reports_are_removed_above_the_count_limit() {
    let folder = Folder::new();
    let reports = folder.open(Retention { count: 2, ..Retention::default() });
    for note in ["a", "b", "c"] {
        folder.store(&reports, note, "log").await;
    }
    assert_eq!(notes(&reports), ["c", "b"]);
    assert_eq!(folder.names().len(), 4, "the files of two reports");
}

#[tokio::test]
async fn the_oldest_reports_are_removed_above_the_size_limit() {
    let folder = Folder::new();
    // The facts and compressed log of one report.
    let alone = Folder::new();
    alone.store(&alone.open(Retention::default()), "a", &"x".repeat(1_000)).await;
    let bytes: u64 = alone.names().iter().map(|name| fs::metadata(alone.folder.path().join(name)).unwrap().len()).sum();
    let reports = folder.open(Retention { bytes: 2 * bytes + bytes / 2, ..Retention::default() });
    for note in ["a", "b", "c"] {
        folder.store(&reports, note, &"x".repeat(1_000)).await;
    }
    assert_eq!(notes(&reports), ["c", "b"]);
}

#[tokio::test]
async fn reports_are_removed_above_the_age_limit() {
    let folder = Folder::new();
    let reports = folder.open(Retention { age_ms: DAY_MS.unsigned_abs(), ..Retention::default() });
    folder.store(&reports, "old", "log").await;
    folder.clock.advance_ms(DAY_MS + 1);
    assert_eq!(notes(&folder.open(Retention::default())), ["old"]);
    folder.store(&reports, "new", "log").await;
    assert_eq!(notes(&reports), ["new"]);
}

#[tokio::test]
async fn leftovers_of_a_crash_are_removed_and_foreign_files_stay() {
    let folder = Folder::new();
    let id = folder.store(&folder.open(Retention::default()), "whole", "log").await;
    let half = "018bcfe5-6800-7000-8000-000000000000";
    fs::write(folder.folder.path().join(format!("{half}.jsonl")), "half").unwrap();
    fs::write(folder.folder.path().join(format!("{half}.jsonl.gz")), "half").unwrap();
    fs::write(folder.folder.path().join(format!("{half}.new")), "half").unwrap();
    fs::write(folder.folder.path().join("README.jsonl"), "the operator's").unwrap();
    let reports = folder.open(Retention::default());
    assert_eq!(notes(&reports), ["whole"]);
    assert_eq!(folder.names(), [format!("{id}.json"), format!("{id}.jsonl.gz"), "README.jsonl".to_owned()]);
}

#[tokio::test]
async fn recordings_are_compressed_and_uncompressed_ones_still_work() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    let id = folder.store(&reports, "note", &"the same again\n".repeat(1_000)).await;
    let log = reports.stored().log_path(&id).unwrap();
    assert!(fs::metadata(&log).unwrap().len() < 1_000, "of 15,000");
    assert_eq!(read_log(&log).unwrap().len(), 15_000);
    fs::remove_file(&log).unwrap();
    fs::write(log.with_file_name(format!("{id}.jsonl")), "to ann@example.com").unwrap();
    let reopened = folder.open(Retention::default());
    assert_eq!(read_log(&reopened.stored().log_path(&id).unwrap()).unwrap(), b"to ann@example.com");
    assert_eq!(reopened.forget("ann@example.com").await.unwrap(), 1);
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn an_address_is_found_in_a_compressed_recording() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    folder.store(&reports, "note", "{\"to\":\"ann@example.com\"}\n").await;
    folder.store(&reports, "other", "{\"to\":\"bob@example.com\"}\n").await;
    let damaged = folder.store(&reports, "damaged", "log").await;
    fs::write(reports.stored().log_path(&damaged).unwrap(), [0x1f, 0x8b, 8]).unwrap();
    assert_eq!(reports.forget("ann@example.com").await.unwrap(), 2, "one that cannot be searched goes too");
    assert_eq!(notes(&reports), ["other"]);
}

#[tokio::test]
async fn a_damaged_report_does_not_hide_the_others() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    let damaged = folder.store(&reports, "damaged", "log").await;
    folder.store(&reports, "whole", "log").await;
    fs::write(folder.folder.path().join(format!("{damaged}.json")), "{").unwrap();
    assert_eq!(notes(&reports), ["whole"]);
}

#[tokio::test]
async fn an_invalid_id_never_becomes_a_path() {
    let folder = Folder::new();
    let reports = folder.open(Retention::default());
    let id = folder.store(&reports, "note", "log").await;
    fs::write(folder.folder.path().join("secret.json"), "{}").unwrap();
    for other in ["secret", "../secret", "", &id.to_uppercase(), &format!("./{id}")] {
        assert_eq!(reports.stored().log_path(other), None, "{other}");
        assert!(!reports.remove(other).unwrap(), "{other}");
    }
    assert!(reports.remove(&id).unwrap());
    assert!(!reports.remove(&id).unwrap());
    assert_eq!(folder.names(), ["secret.json"]);
}

#[test]
fn the_error_names_a_folder_that_cannot_be_created() {
    let folder = Folder::new();
    let blocked = folder.folder.path().join("reports");
    fs::write(&blocked, "a file").unwrap();
    let error =
        Reports::open(&blocked, Retention::default(), folder.clock.clone(), folder.entropy.clone()).unwrap_err();
    assert!(error.to_string().contains(blocked.to_str().unwrap()), "{error}");
}

/// `LIM-6`: a flood from any number of addresses in a few networks displaces only its own reports.
#[tokio::test]
async fn a_flood_from_many_networks_displaces_no_other_reports() {
    let folder = Folder::new();
    let retention = Retention { count: 50, bytes: 50_000, ..Retention::default() };
    let reports = folder.open(retention);
    for viewer in 0..8 {
        folder.store_from(&reports, &format!("home {viewer}"), "genuine", "one\n").await;
    }
    for flood in 0..168 {
        folder.store_from(&reports, &format!("flood {}", flood % 28), "flood", "x").await;
    }
    let genuine = |reports: &Reports| notes(reports).iter().filter(|note| *note == "genuine").count();
    assert_eq!((genuine(&reports), notes(&reports).len()), (8, 50));
    for _ in 0..10 {
        folder.store_from(&reports, "flood 1", "flood", &"x".repeat(10_000)).await;
    }
    let bytes: u64 =
        folder.names().iter().map(|name| fs::metadata(folder.folder.path().join(name)).unwrap().len()).sum();
    assert!(bytes <= 50_000, "{bytes}");
    assert_eq!(genuine(&reports), 8);
    let reopened = folder.open(Retention { count: 36, ..retention });
    assert_eq!((genuine(&reopened), notes(&reopened).len()), (8, 36), "and it is so after a restart");
}

/// `OPS-5`: also from the same networks.
#[tokio::test]
async fn a_flood_at_one_channel_displaces_no_reports_of_another() {
    let folder = Folder::new();
    let reports = folder.open(Retention { count: 3, bytes: 100_000, ..Retention::default() });
    let sender = |channel: &str, limit_bytes| Sender { channel: channel.to_owned(), limit_bytes, ..Sender::default() };
    // Random text does not compress.
    let long =
        |number: u64| (0..2_000).map(|at| format!("{:x}", (at + 1) * (number + 7) * 0x9e37_79b9)).collect::<String>();
    for number in 0..9 {
        folder.store_by(&reports, sender("meadow", None), "meadow", "log").await;
        folder.store_by(&reports, sender("valley", Some(30_000)), "valley", &long(number)).await;
        folder.store_by(&reports, sender("hill", Some(u64::MAX)), "hill", &long(number)).await;
    }
    let count = |reports: &Reports, channel: &str| notes(reports).iter().filter(|note| *note == channel).count();
    let counts = |reports: &Reports| ["meadow", "valley", "hill"].map(|channel| count(reports, channel));
    let bytes: u64 = reports.0.entries.lock().iter().filter(|one| one.channel == "valley").map(|one| one.bytes).sum();
    assert!(bytes <= 30_000, "{bytes}");
    let [3, valley @ 1..3, 3] = counts(&reports) else { panic!("{:?}", counts(&reports)) };
    assert_eq!(counts(&folder.open(reports.0.retention)), [3, valley, 3], "a start knows no channel's own limit");
}
