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
        assert_eq!(world.drift.judge(NOON), []);
        world
    }

    /// Sends a request with `events` copies of one body.
    fn send(&self, table: Table, body: &str, events: usize, is_accepted: bool) {
        let body = Bytes::copy_from_slice(body.as_bytes());
        let samples = self.drift.sample((0..events).map(|_| (table, &body)));
        self.drift.learn(&samples, |place| place < events && is_accepted);
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
            drifts = self.drift.judge(self.now_ms);
        }
        drifts
    }

    fn drifts(&self) -> Vec<(Table, DriftKind, Option<String>)> {
        self.drift.judge(self.now_ms).into_iter().map(|one| (one.table, one.kind, one.field)).collect()
    }
}

fn of_event(kind: DriftKind, field: &str) -> (Table, DriftKind, Option<String>) {
    (Table::Event, kind, Some(field.to_owned()))
}

#[test]
fn a_field_of_another_type_is_told_at_once_and_for_an_hour() {
    let mut world = World::new();
    for field in ["trk", "page"] {
        let (as_text, as_number) = (format!(r#"{{"{field}":"a"}}"#), format!(r#"{{"{field}":1}}"#));
        world.accept(&as_text, 20);
        assert_eq!(world.drifts(), []);
        world.accept(&as_number, 1);
        assert_eq!(world.drifts(), [of_event(DriftKind::Type, field)]);
        let detail = &world.drift.judge(world.now_ms)[0].detail;
        assert_eq!(*detail, format!("`{field}` changed from string to number"));
        assert_eq!(world.pass(HOUR_MS - SLOT_MS, 0).len(), 1);
        assert_eq!(world.pass(SLOT_MS, 0), []);
        world.accept(&as_number, 9);
        assert_eq!(world.drifts(), [], "both are usual by now");
    }
}

#[test]
fn a_field_that_had_both_types_from_the_first_on_and_one_without_a_value_did_not_change() {
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
fn a_clock_that_is_set_back_tells_a_type_no_longer_than_an_hour() {
    let mut world = World::new();
    world.accept(r#"{"trk":"a"}"#, 20);
    world.accept(r#"{"trk":1}"#, 1);
    assert_eq!(world.drifts().len(), 1);
    world.now_ms -= 24 * HOUR_MS;
    assert_eq!(world.drifts().len(), 1);
    assert_eq!(world.pass(HOUR_MS, 0), []);
}

#[test]
fn an_unknown_field_is_told_while_more_than_a_tenth_of_at_least_fifty_events_have_it() {
    let mut world = World::new();
    world.accept(r#"{"event":"e","mood":null}"#, 44);
    world.accept(r#"{"event":"e","mood":1,"mood":2}"#, 5);
    assert_eq!(world.drifts(), [], "49 events");
    world.accept(r#"{"event":"e"}"#, 1);
    assert_eq!(world.drifts(), [], "a tenth is not more than that");
    world.accept(r#"{"event":"e","mood":1}"#, 1);
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    let detail = &world.drift.judge(world.now_ms)[0].detail;
    assert_eq!(detail, "the unknown field `mood` is in 11 % of events");
    assert_eq!(world.pass(4 * MINUTE_MS, 0).len(), 1, "of a quiet table five minutes count");
    assert_eq!(world.pass(MINUTE_MS, 0), []);
}

#[test]
fn a_field_that_appears_on_a_busy_table_is_told_within_a_minute_and_one_that_is_gone_no_longer_than_two() {
    let mut world = World::new();
    for _ in 0..5 {
        world.accept(r#"{"event":"e"}"#, 600);
        world.pass(MINUTE_MS, 0);
    }
    world.accept(r#"{"event":"e","mood":1}"#, 60);
    assert_eq!(world.drifts(), [], "one batch at the beginning of a minute is not many events");
    world.accept(r#"{"event":"e","mood":1}"#, 40);
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    for _ in 0..2 {
        world.pass(MINUTE_MS, 0);
        world.accept(r#"{"event":"e"}"#, 300);
    }
    assert_eq!(world.drifts(), []);
}

#[test]
fn what_is_not_accepted_or_what_the_site_itself_sends_is_no_drift() {
    let world = World::new();
    world.send(Table::Event, r#"{"mood":1}"#, 100, false);
    world.send(Table::Session, r#"{"user_id":7}"#, 100, true);
    assert_eq!(world.drifts(), []);
    world.send(Table::Event, r#"{"user_id":7}"#, 100, true);
    assert_eq!(world.drifts(), []);
}

#[test]
fn names_that_nobody_sends_twice_take_little_memory_and_do_not_hide_a_frequent_one() {
    let world = World::new();
    for n in 0..500 {
        let strange: String = (0..15).map(|m| format!(r#","n{n}_{m}":1"#)).collect();
        world.accept(&format!(r#"{{"mood":1{strange}}}"#), 1);
    }
    assert_eq!(world.drifts(), [of_event(DriftKind::UnknownField, "mood")]);
    let table = world.drift.tables[Table::Event.index()].fields.lock();
    assert_eq!(table.watched(), fields::NAMES);
}

#[test]
fn of_a_busy_table_a_bounded_number_of_events_is_looked_into() {
    let mut world = World::new();
    let looked = |world: &World| world.drift.tables[Table::Event.index()].fields.lock().looked_into();
    world.accept("{}", 10_000);
    assert_eq!(looked(&world), 4 * SAMPLES);
    world.pass(SLOT_MS, 0);
    world.accept("{}", 10_000);
    assert_eq!(looked(&world), 5 * SAMPLES, "one in fifty");
    world.pass(2 * SLOT_MS, 0);
    world.accept("{}", 1);
    assert_eq!(looked(&world), 5 * SAMPLES + 1, "a quiet one is seen whole again");
}

const RATE: (Table, DriftKind, Option<String>) = (Table::VideoViewing, DriftKind::Rate, None);

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_rate_that_rises_or_falls_tenfold_is_told_within_a_minute_until_it_is_back(
        usual in 10_u64..500,
        minutes in 11_i64..150,
        rises in any::<bool>(),
        strange_minutes in 1_i64..30,
    ) {
        let mut world = World::new();
        prop_assert_eq!(world.pass(minutes * MINUTE_MS, usual), []);
        let strange = if rises { usual * 11 } else { usual / 11 };
        let drifts = world.pass(strange_minutes * MINUTE_MS, strange);
        prop_assert_eq!(drifts.len(), 1, "{:?}", drifts);
        prop_assert_eq!(world.drifts(), [RATE]);
        prop_assert_eq!(world.pass(MINUTE_MS, usual), []);
        prop_assert_eq!(world.pass(30 * MINUTE_MS, usual), [], "what was strange is not usual now");
        let drifts = world.pass(MINUTE_MS, strange);
        prop_assert_eq!(drifts.len(), 1, "{:?}", drifts);
    }

    #[test]
    fn a_rate_that_wavers_and_one_of_few_events_alarm_nobody(
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
    fn nothing_that_a_clock_does_makes_it_panic(steps in proptest::collection::vec(any::<i64>(), 0..20)) {
        let drift = Drift::default();
        for ms in steps {
            drift.accepted(Table::Event, 1000);
            drift.judge(ms);
        }
    }
}

#[test]
fn a_new_rate_is_the_usual_one_after_an_hour() {
    let mut world = World::new();
    world.pass(20 * MINUTE_MS, 100);
    assert_eq!(world.pass(HOUR_MS, 2000).len(), 1);
    assert_eq!(world.pass(2 * MINUTE_MS, 2000), []);
    let drifts = world.pass(MINUTE_MS, 100);
    assert_eq!(drifts[0].detail, "1200 events in the last minute, usually 24000");
}

#[test]
fn without_ten_minutes_of_history_and_after_a_pause_nothing_is_told() {
    let mut world = World::new();
    world.pass(9 * MINUTE_MS, 100);
    assert_eq!(world.pass(MINUTE_MS, 0), []);
    let mut world = World::new();
    world.pass(20 * MINUTE_MS, 100);
    // The machine slept; its senders come back one by one.
    world.now_ms += 8 * HOUR_MS;
    assert_eq!(world.drifts(), []);
    assert_eq!(world.pass(MINUTE_MS - SLOT_MS, 0), []);
    assert_eq!(world.pass(SLOT_MS, 0).len(), 1, "what was usual before still is");
}
