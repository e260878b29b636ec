//! The watcher under a clock that tests move.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use touchline_protocol::ambient::ManualClock;

use super::*;

/// An upstream whose orders become paid after a number of polls, and an in-memory store.
#[derive(Default)]
struct World {
    looks: Mutex<HashMap<i64, Vec<Instant>>>,
    paid_after: AtomicUsize,
    fails: Mutex<Option<Look>>,
    kept: Mutex<HashMap<Resource, UpstreamWatch>>,
    statuses: Mutex<Vec<(i64, i64, String)>>,
}

#[async_trait]
impl Looker for World {
    async fn look(&self, watch: &UpstreamWatch) -> Look {
        let looks = {
            let mut looks = self.looks.lock();
            let looks = looks.entry(watch.id).or_default();
            looks.push(Instant::now());
            looks.len()
        };
        if let Some(fails) = self.fails.lock().clone() {
            return fails;
        }
        let status = if looks >= self.paid_after.load(Ordering::Relaxed) { "paid" } else { "created" };
        Look::State(json!({ "id": watch.id, "status": status }).as_object().unwrap().clone())
    }

    fn is_told(&self, _: i64) -> bool {
        false
    }

    async fn is_ours(&self) -> bool {
        true
    }
}

#[async_trait]
impl Notes for World {
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>> {
        Ok(self.kept.lock().values().cloned().collect())
    }

    async fn keep(&self, watch: &UpstreamWatch) -> StoreResult<()> {
        self.kept.lock().insert((watch.user_id, watch.kind, watch.id), watch.clone());
        Ok(())
    }

    async fn let_go(&self, resource: Resource) -> StoreResult<()> {
        self.kept.lock().remove(&resource);
        Ok(())
    }

    async fn record(&self, line: NewStatus) -> StoreResult<()> {
        let mut statuses = self.statuses.lock();
        let newest = statuses.iter().filter(|(id, ..)| *id == line.id).map(|(_, version, _)| *version).max();
        if newest.is_none_or(|version| version < line.version) {
            statuses.push((line.id, line.version, line.state["status"].to_string()));
        }
        Ok(())
    }

    async fn last_state(&self, _: StatusKind, _: i64) -> StoreResult<Option<Value>> {
        Ok(None)
    }
}

fn watcher(world: &Arc<World>) -> Arc<Watcher> {
    Watcher::new(world.clone(), world.clone(), ManualClock::at_ms(1_000), |_| {})
}

fn order(user_id: i64, id: i64) -> UpstreamWatch {
    let (channel_key, api_key) = ("north".to_owned(), format!("key-{user_id}"));
    UpstreamWatch { user_id, kind: StatusKind::Order, id, channel_key, api_key, since: 1_000 }
}

/// Shows UP-6.
#[tokio::test(start_paused = true)]
async fn five_thousand_who_wait_for_five_hundred_orders_cost_one_look_an_order_each_two_seconds_for_an_hour() {
    let world = Arc::new(World::default());
    world.paid_after.store(usize::MAX, Ordering::Relaxed);
    let watcher = watcher(&world);
    for viewer in 0..5_000 {
        let id = viewer % 500;
        watcher.watch(order(id, id), 1);
    }
    sleep(Duration::from_secs(60)).await;
    let (after_a_minute, tasks) = (watcher.count(), tokio::runtime::Handle::current().metrics().num_alive_tasks());
    sleep(Duration::from_secs(3540)).await;
    assert_eq!((watcher.count(), after_a_minute), (500, 500));
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), tasks, "no tasks accumulate");
    let looks = world.looks.lock();
    assert_eq!(looks.len(), 500);
    for times in looks.values() {
        assert!((1_799..=1_801).contains(&times.len()), "polls in an hour: {}", times.len());
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= EVERY));
    }
    assert_eq!(world.statuses.lock().len(), 500, "an unchanged status is recorded once");
}

#[tokio::test(start_paused = true)]
async fn an_order_is_followed_to_its_end_and_its_watch_goes() {
    let world = Arc::new(World::default());
    world.paid_after.store(3, Ordering::Relaxed);
    let watcher = watcher(&world);
    watcher.watch(order(7, 1), 1);
    sleep(Duration::from_secs(20)).await;
    let told: Vec<_> = world.statuses.lock().iter().map(|(_, _, status)| status.clone()).collect();
    assert_eq!(told, ["\"created\"", "\"paid\""]);
    assert_eq!((watcher.count(), world.kept.lock().len(), world.looks.lock()[&1].len()), (0, 0, 3));
}

#[tokio::test(start_paused = true)]
async fn a_restarted_worker_goes_on_and_an_hour_without_the_upstream_loses_nothing() {
    let world = Arc::new(World::default());
    world.paid_after.store(2, Ordering::Relaxed);
    *world.fails.lock() = Some(Look::Later(None));
    let first = watcher(&world);
    first.watch(order(7, 1), 1);
    sleep(Duration::from_secs(1800)).await;
    first.end();
    let second = watcher(&world);
    second.recall().await;
    second.watch(order(7, 1), 1);
    sleep(Duration::from_secs(1800)).await;
    assert!(world.looks.lock()[&1].len() < 140, "the interval grows: {}", world.looks.lock()[&1].len());
    *world.fails.lock() = None;
    sleep(LONGEST_PAUSE + EVERY).await;
    assert_eq!(world.statuses.lock().last().unwrap().2, "\"paid\"");
    assert_eq!(second.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_429_quiets_every_watch_for_as_long_as_it_says() {
    let world = Arc::new(World::default());
    world.paid_after.store(usize::MAX, Ordering::Relaxed);
    *world.fails.lock() = Some(Look::Later(Some(Duration::from_secs(20))));
    let watcher = watcher(&world);
    (1..=50).for_each(|id| watcher.watch(order(7, id), 1));
    sleep(Duration::from_secs(19)).await;
    let looks: usize = world.looks.lock().values().map(Vec::len).sum();
    assert!(looks <= 50, "{looks}");
    assert_eq!(watcher.count(), 50);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_waits_for_is_let_go_after_a_while_and_another_ones_at_once() {
    let world = Arc::new(World::default());
    world.paid_after.store(usize::MAX, Ordering::Relaxed);
    let clock = ManualClock::at_ms(1_000);
    let watcher = Watcher::new(world.clone(), world.clone(), clock.clone(), |_| {});
    watcher.watch(order(7, 1), 1);
    sleep(Duration::from_secs(5)).await;
    watcher.unwatch((7, StatusKind::Order, 1));
    clock.advance_ms(UNATTENDED_MS + 1);
    sleep(EVERY * 2).await;
    assert_eq!(watcher.count(), 0);
    *world.fails.lock() = Some(Look::Gone);
    watcher.watch(order(8, 1), 1);
    sleep(EVERY).await;
    assert_eq!((watcher.count(), world.kept.lock().len()), (0, 0));
}

/// One of two workers on one store.
struct OneOfTwo {
    world: Arc<World>,
    is_ours: AtomicBool,
}

#[async_trait]
impl Looker for OneOfTwo {
    async fn look(&self, watch: &UpstreamWatch) -> Look {
        self.world.look(watch).await
    }

    fn is_told(&self, _: i64) -> bool {
        false
    }

    async fn is_ours(&self) -> bool {
        self.is_ours.load(Ordering::Relaxed)
    }
}

/// Shows UP-6.
#[tokio::test(start_paused = true)]
async fn of_two_workers_one_asks_for_the_viewers_of_both_and_the_other_one_when_it_is_gone() {
    let world = Arc::new(World::default());
    world.paid_after.store(usize::MAX, Ordering::Relaxed);
    let clock = ManualClock::at_ms(1_000);
    let one = |is_ours| Arc::new(OneOfTwo { world: world.clone(), is_ours: AtomicBool::new(is_ours) });
    let (asks, waits) = (one(true), one(false));
    let worker = |looker: &Arc<OneOfTwo>| Watcher::new(looker.clone(), world.clone(), clock.clone(), |_| {});
    let (first, second) = (worker(&asks), worker(&waits));
    for each in [&first, &second] {
        let each = each.clone();
        tokio::spawn(async move { each.adopt_watches().await });
    }
    let pass = async |seconds: i64| {
        for _ in 0..seconds {
            sleep(Duration::from_secs(1)).await;
            clock.advance_ms(1_000);
        }
    };
    first.watch(order(7, 1), 1);
    second.watch(order(7, 1), 1);
    second.watch(order(8, 2), 1);
    // Longer than an order without waiting viewers is polled.
    pass(20 * 60).await;
    for id in [1, 2] {
        let looks = world.looks.lock()[&id].len();
        assert!((595..=602).contains(&looks), "order {id} is polled every two seconds: {looks}");
    }

    first.end();
    waits.is_ours.store(true, Ordering::Relaxed);
    world.paid_after.store(0, Ordering::Relaxed);
    pass(5).await;
    let paid: Vec<_> =
        world.statuses.lock().iter().filter(|(_, _, status)| status == "\"paid\"").map(|it| it.0).collect();
    assert_eq!(paid.len(), 2, "{paid:?}");
    assert_eq!((second.count(), world.kept.lock().len()), (0, 0));
}
