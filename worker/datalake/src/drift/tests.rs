use proptest::prelude::*;

use super::*;

const NOON: i64 = 1_795_262_400_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Drift detection with its own clock.
struct World {
    drift: Drift,
    now_ms: i64,
}

impl World {
    fn new() -> Self {
        let world = Self { drift: Drift::default(), now_ms: NOON };
        assert_eq!(world.drift.evaluate(NOON), []);
        world
    }

    /// Sends a request with `events` copies of one body.
    fn send(&self, table: Table, body: &str, events: usize, is_accepted: bool) {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let samples = self.drift.sample((0..events).map(|_| (table, &body)));
        self.drift.learn(&samples, |index| index < events && is_accepted);
    }

    fn accept(&self, body: &str, events: usize) {
        self.send(Table::Event, body, events, true);
        self.drift.accepted(Table::Event, events as u64);
    }

    /// Lets time pass with as many events in each slot. Returns the last report.
    fn pass(&mut self, ms: i64, events: u64) -> Vec<Drifted> {
        let mut drifts = Vec::new();
        for _ in 0..ms / SLOT_MS {
            self.drift.accepted(Table::VideoViewing, events);
            self.now_ms += SLOT_MS;
            drifts = self.drift.evaluate(self.now_ms);
        }
        drifts
    }

    fn drifts(&self) -> Vec<(Table, DriftKind, Option<String>)> {
        self.drift.evaluate(self.now_ms).into_iter().map(|one| (one.table, one.kind, one.field)).collect()
    }
}

fn of_event(kind: DriftKind, field: &str) -> (Table, DriftKind, Option<String>) {
    (Table::Event, kind, Some(field.to_owned()))
}

#[test]
fn a_changed_type_is_reported_at_once_and_for_an_hour() {
    let mut world = World::new();
    for field in ["trk", "page"] {
        let (as_text, as_number) = (format!(r#"{{"{field}":"a"}}"#), format!(r#"{{"{field}":1}}"#));
        world.accept(&as_text, 20);
        assert_eq!(world.drifts(), []);
        world.accept(&as_number, 1);
        assert_eq!(world.drifts(), [of_event(DriftKind::Type, field)]);
        let detail = &world.drift.evaluate(world.now_ms)[0].detail;
        assert_eq!(*detail, format!("`{field}` changed from string to number"));
        assert_eq!(world.pass(HOUR_MS - SLOT_MS, 0).len(), 1);
        assert_eq!(world.pass(SLOT_MS, 0), []);
        world.accept(&as_number, 9);
        assert_eq!(world.drifts(), [], "both are usual now");
    }
}

#[test]
fn a_field_with_two_types_from_the_start_or_without_a_value_has_not_changed() {
    let world = World::new();
    world.accept(r#"{"user_id":"7"}"#, 1);
    world.accept(r#"{"user_id":7}"#, 40);
    world.accept(r#"{"user_id":null}"#, 1);
    world.accept(r#"{"user_id":"7"}"#, 1);
    assert_eq!(world.drifts(), []);
    world.accept(r#"{"user_id":["7"]}"#, 1);
    assert_eq!(world.drifts(), [of_event(DriftKind::Type, "user_id")]);
}

#[test]
fn a_clock_set_back_does_not_prolong_a_report() {
    let mut world = World::new();
    world.accept(r#"{"trk":"a"}"#, 20);
    world.accept(r#"{"trk":1}"#, 1);
    assert_eq!(world.drifts().len(), 1);
    world.now_ms -= 24 * HOUR_MS;
    assert_eq!(world.drifts().len(), 1);
    assert_eq!(world.pass(HOUR_MS, 0), []);
}

#[test]
fn an_unknown_field_is_reported_while_over_a_tenth_of_fifty_events_have_it() {
    let mut world = World::new();
    world.accept(r#"{"event":"e","mood":null}"#, 44);
    world.accept(r#"{"event":"e","mood":1,"mood":2}"#, 5);
    assert_eq!(world.drifts(), [], "49 events");
    world.accept(r#"{"event":"e"}"#, 1);
    assert_eq!(world.drifts(), [], "exactly a tenth is not enough");
    world.accept(r#"{"event":"e","mood":1}"#, 1);
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    let detail = &world.drift.evaluate(world.now_ms)[0].detail;
    assert_eq!(detail, "the unknown field `mood` is in 11 % of events");
    assert_eq!(world.pass(4 * MINUTE_MS, 0).len(), 1, "five minutes count on a quiet table");
    assert_eq!(world.pass(MINUTE_MS, 0), []);
}

#[test]
fn on_a_busy_table_a_new_field_is_reported_within_a_minute_and_cleared_within_two() {
    let mut world = World::new();
    for _ in 0..5 {
        world.accept(r#"{"event":"e"}"#, 600);
        world.pass(MINUTE_MS, 0);
    }
    world.accept(r#"{"event":"e","mood":1}"#, 60);
    assert_eq!(world.drifts(), [], "one early batch is not many events");
    world.accept(r#"{"event":"e","mood":1}"#, 40);
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    for _ in 0..2 {
        world.pass(MINUTE_MS, 0);
        world.accept(r#"{"event":"e"}"#, 300);
    }
    assert_eq!(world.drifts(), []);
}

#[test]
fn refused_events_and_expected_fields_are_not_drift() {
    let world = World::new();
    world.send(Table::Event, r#"{"mood":1}"#, 100, false);
    world.send(Table::Session, r#"{"user_id":7}"#, 100, true);
    assert_eq!(world.drifts(), []);
    world.send(Table::Event, r#"{"user_id":7}"#, 100, true);
    assert_eq!(world.drifts(), []);
}

#[test]
fn unique_names_take_bounded_memory_and_do_not_hide_a_frequent_one() {
    let world = World::new();
    for n in 0..500 {
        let unusual: String = (0..15).map(|m| format!(r#","n{n}_{m}":1"#)).collect();
        world.accept(&format!(r#"{{"mood":1{unusual}}}"#), 1);
    }
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    let table = world.drift.tables[Table::Event.index()].fields.lock();
    assert_eq!(table.unknown_count(), fields::MAX_NAMES);
}

#[test]
fn a_busy_table_has_a_bounded_number_of_samples() {
    let mut world = World::new();
    let samples = |world: &World| world.drift.tables[Table::Event.index()].fields.lock().sample_count();
    world.accept("{}", 10_000);
    assert_eq!(samples(&world), 4 * SAMPLES);
    world.pass(SLOT_MS, 0);
    world.accept("{}", 10_000);
    assert_eq!(samples(&world), 5 * SAMPLES, "one in fifty");
    world.pass(2 * SLOT_MS, 0);
    world.accept("{}", 1);
    assert_eq!(samples(&world), 5 * SAMPLES + 1, "a quiet table is sampled completely again");
}

const RATE: (Table, DriftKind, Option<String>) = (Table::VideoViewing, DriftKind::Rate, None);

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_tenfold_change_of_rate_is_reported_within_a_minute_until_it_ends(
        usual in 10_u64..500,
        minutes in 11_i64..150,
        rises in any::<bool>(),
        unusual_minutes in 1_i64..30,
    ) {
        let mut world = World::new();
        prop_assert_eq!(world.pass(minutes * MINUTE_MS, usual), []);
        let unusual = if rises { usual * 11 } else { usual / 11 };
        let drifts = world.pass(unusual_minutes * MINUTE_MS, unusual);
        prop_assert_eq!(drifts.len(), 1, "{:?}", drifts);
        prop_assert_eq!(world.drifts(), [RATE]);
        prop_assert_eq!(world.pass(MINUTE_MS, usual), []);
        prop_assert_eq!(world.pass(30 * MINUTE_MS, usual), [], "the unusual rate has not become usual");
        let drifts = world.pass(MINUTE_MS, unusual);
        prop_assert_eq!(drifts.len(), 1, "{:?}", drifts);
    }

    #[test]
    fn small_changes_and_low_rates_are_not_reported(
        slots in proptest::collection::vec(4_u64..30, 400),
        few in proptest::collection::vec(0_u64..10, 400),
    ) {
        let (mut wavering, mut quiet) = (World::new(), World::new());
        for (slot, few) in slots.into_iter().zip(few) {
            prop_assert_eq!(wavering.pass(SLOT_MS, slot), []);
            prop_assert_eq!(quiet.pass(SLOT_MS, few), []);
        }
    }

    #[test]
    fn no_clock_change_causes_a_panic(steps in proptest::collection::vec(any::<i64>(), 0..20)) {
        let drift = Drift::default();
        for ms in steps {
            drift.accepted(Table::Event, 1000);
            drift.evaluate(ms);
        }
    }
}

#[test]
fn a_new_rate_is_usual_after_an_hour() {
    let mut world = World::new();
    world.pass(20 * MINUTE_MS, 100);
    assert_eq!(world.pass(HOUR_MS, 2000).len(), 1);
    assert_eq!(world.pass(2 * MINUTE_MS, 2000), []);
    let drifts = world.pass(MINUTE_MS, 100);
    assert_eq!(drifts[0].detail, "1200 events in the last minute, usually 24000");
}

#[test]
fn nothing_is_reported_without_history_or_right_after_a_pause() {
    let mut world = World::new();
    world.pass(9 * MINUTE_MS, 100);
    assert_eq!(world.pass(MINUTE_MS, 0), []);
    let mut world = World::new();
    world.pass(20 * MINUTE_MS, 100);
    // The machine slept; its senders come back one by one.
    world.now_ms += 8 * HOUR_MS;
    assert_eq!(world.drifts(), []);
    assert_eq!(world.pass(MINUTE_MS - SLOT_MS, 0), []);
    assert_eq!(world.pass(SLOT_MS, 0).len(), 1, "the usual rate is unchanged");
}
