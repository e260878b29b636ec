use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use serde_json::{Value, json};
use uuid::Uuid;

use super::quality::{FinishedViewings, Watched, by_content};
use super::*;
use crate::event::QueuedEvent;

const SECOND: i64 = 1_000_000;

fn event(at_s: i64, body: &Value) -> QueuedEvent {
    let us = at_s * SECOND;
    QueuedEvent { id: Uuid::from_u128(7), at_us: us, received_us: us, occurred_us: us, body: body.to_string().into() }
}

/// The reports of one viewing: a spot, a start, two stalls, an error, an end.
fn reports() -> Vec<QueuedEvent> {
    let report = |sn: i64, e: &str, sta: &str, keys: Value| {
        event(
            100 + sn,
            &json!({ "sid": "v-1", "sn": sn, "e": e, "sta": sta, "keys": keys, "content_type": "event",
            "content_id": 12, "channel": "northfield", "profile": "p-1", "user_email": "ann@example.org" }),
        )
    };
    vec![
        report(0, "ps", "s", json!({ "com.touchline-spot": 100 })),
        report(1, "ps", "p", json!({ "msd": 412, "bsa": [0], "bsda": [0] })),
        report(2, "ps", "r", json!({ "bsa": [1], "bsda": [0], "com.touchline-watched": 10_000 })),
        report(3, "e", "r", json!({ "ec": ["404"], "bsa": [1], "bsda": [900] })),
        report(
            4,
            "t",
            "p",
            json!({ "bsa": [2], "bsda": [2_000], "dfa": 7, "com.touchline-watched": 18_000, "cdn": "edge-1",
            "com.touchline-shown": "720:3200:9000 360:800:9000" }),
        ),
        report(5, "ps", "e", json!({ "bsa": [2], "bsda": [2_000], "ltc": 4_100, "com.touchline-watched": 18_000 })),
    ]
}

fn viewing(reports: &[QueuedEvent]) -> Viewing {
    let mut viewing: Option<Viewing> = None;
    for event in reports {
        let report = Report::of(&event.body).unwrap();
        match &mut viewing {
            Some(viewing) => viewing.take(report, event),
            None => viewing = Some(Viewing::starting_with(report, event)),
        }
    }
    viewing.unwrap()
}

fn row(viewing: &Viewing) -> Value {
    serde_json::from_slice(&viewing.row("v-1", 200 * SECOND).body).unwrap()
}

#[test]
fn a_viewing_becomes_one_row_with_standard_names() {
    let viewing = viewing(&reports());
    assert_eq!(
        row(&viewing),
        json!({
            "viewing": "v-1", "began_at": 100 * SECOND, "ending": "ended", "startup_time": 0.412, "watch_time": 18.0,
            "rebuffer_count": 2.0, "rebuffer_time": 2.0, "rebuffer_ratio": 0.1, "bitrate": 2000.0, "height": 540.0,
            "renditions": [{ "height": 720.0, "kbps": 3200.0, "s": 9.0 }, { "height": 360.0, "kbps": 800.0, "s": 9.0 }],
            "dropped_frames": 7.0, "live_latency": 4.1, "errors": 1, "error_codes": ["404"], "cdn": "edge-1",
            "spot_quartile": 100.0, "profile": "p-1", "content_type": "event", "content_id": 12, "channel": "northfield",
        })
    );
    assert_eq!(viewing.row("v-1", 200 * SECOND).occurred_us, 105 * SECOND, "its last report");
}

#[test]
fn a_row_has_the_viewings_ending() {
    let all = reports();
    let ending = |reports: &[QueuedEvent], last: Value| {
        let mut reports = reports.to_vec();
        reports.push(event(109, &last));
        row(&viewing(&reports))["ending"].clone()
    };
    let with_state = |sta: &str| json!({ "sid": "v-1", "sn": 9, "e": "ps", "sta": sta });
    assert_eq!(ending(&all, with_state("q")), "left");
    assert_eq!(ending(&all[..1], with_state("q")), "before_start");
    assert_eq!(ending(&all, with_state("f")), "failed");
    assert_eq!(ending(&all, with_state("p")), "lost");
}

#[test]
fn a_viewing_is_over_soon_after_its_end_or_after_15_minutes_of_silence() {
    let all = reports();
    let (ended, killed) = (viewing(&all), viewing(&all[..5]));
    let at = |after: Duration, viewing: &Viewing| viewing.received_us() + i64::try_from(after.as_micros()).unwrap();
    assert!(!ended.is_over(at(SETTLE_TIME, &ended) - 1) && ended.is_over(at(SETTLE_TIME, &ended)));
    assert!(!killed.is_over(at(SILENCE_LIMIT, &killed) - 1) && killed.is_over(at(SILENCE_LIMIT, &killed)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_reports_does_not_change_the_row(order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle()) {
        let all = reports();
        let shuffled: Vec<_> = order.iter().map(|index| all[*index].clone()).collect();
        prop_assert_eq!(row(&viewing(&shuffled)), row(&viewing(&all)));
    }

    #[test]
    fn lost_reports_lose_only_values_reported_once(retained in subsequence((0..5).collect::<Vec<usize>>(), 0..5)) {
        let all = reports();
        let mut some: Vec<_> = retained.iter().map(|index| all[*index].clone()).collect();
        some.push(all[5].clone());
        let (some, whole) = (row(&viewing(&some)), row(&viewing(&all)));
        for field in ["watch_time", "rebuffer_count", "rebuffer_time", "live_latency", "ending"] {
            prop_assert_eq!(&some[field], &whole[field]);
        }
    }

    #[test]
    fn no_body_makes_a_viewing_panic_or_grow_without_bound(
        bodies in proptest::collection::vec(("[{}\\[\\]\":,a-z0-9.]{0,60}", any::<Index>()), 1..8),
    ) {
        let all = reports();
        let mut viewing = viewing(&all);
        for (noise, place) in bodies {
            let mut value: Value = serde_json::from_slice(&place.get(&all).body).unwrap();
            value["keys"]["ec"] = json!([noise.repeat(50), noise]);
            value["keys"]["cdn"] = noise.repeat(50).into();
            let event = event(1, &value);
            if let Some(report) = Report::of(&event.body) {
                viewing.take(report, &event);
            }
        }
        prop_assert!(serde_json::to_vec(&viewing).unwrap().len() < crate::chunk::MAX_VALUE);
    }
}

#[test]
fn current_quality_counts_present_viewers_and_viewings_of_the_last_15_minutes() {
    let all = reports();
    let (under_way, ended) = (viewing(&all[..5]), viewing(&all));
    let mut finished = FinishedViewings::default();
    finished.push(&ended, 106 * SECOND);
    let label = |watched: &Watched| Some(format!("{} {}", watched.content_type, watched.content_id));
    let now = by_content(&finished.with([&under_way].into_iter(), 110 * SECOND), label);
    let [quality] = now.as_slice() else { panic!("{now:?}") };
    assert_eq!((&*quality.channel, &*quality.content), ("northfield", "event 12"));
    assert_eq!((quality.viewers, quality.viewings, quality.with_errors), (1, 2, 2));
    assert_eq!((quality.startup_p50, quality.startup_p95), (Some(0.412), Some(0.412)));
    assert!((quality.rebuffer_ratio - 0.1).abs() < 1e-9);

    let unlabelled = by_content(&finished.with([&under_way].into_iter(), 110 * SECOND), |_| None);
    let [shared] = unlabelled.as_slice() else { panic!("{unlabelled:?}") };
    assert_eq!((&*shared.channel, &*shared.content, shared.viewings), ("", "other", 2));

    assert!(finished.with([].into_iter(), 106 * SECOND + 16 * 60 * SECOND).is_empty());
}
