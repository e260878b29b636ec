//! The watcher under a clock that tests move.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use touchline_protocol::ambient::ManualClock;

use super::*;

/// An upstream whose orders become paid after a number of polls, and an in-memory store.
#[derive(Default)]
struct FakeUpstream {
    polls: Mutex<HashMap<i64, Vec<Instant>>>,
    paid_after: AtomicUsize,
    fails: Mutex<Option<PollResult>>,
    stored: Mutex<HashMap<Resource, UpstreamWatch>>,
    statuses: Mutex<Vec<(i64, i64, String)>>,
}

#[async_trait]
impl Poller for FakeUpstream {
    async fn poll(&self, watch: &UpstreamWatch) -> PollResult {
        let polls = {
            let mut polls = self.polls.lock();
            let polls = polls.entry(watch.id).or_default();
            polls.push(Instant::now());
            polls.len()
        };
        if let Some(fails) = self.fails.lock().clone() {
            return fails;
        }
        let status = if polls >= self.paid_after.load(Ordering::Relaxed) { "paid" } else { "created" };
        PollResult::State(json!({ "id": watch.id, "status": status }).as_object().unwrap().clone())
    }

    fn has_feed(&self, _: i64) -> bool {
        false
    }

    async fn is_polling_worker(&self) -> bool {
        true
    }
}

#[async_trait]
impl Notes for FakeUpstream {
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>> {
        Ok(self.stored.lock().values().cloned().collect())
    }

    async fn store(&self, watch: &UpstreamWatch) -> StoreResult<()> {
        self.stored.lock().insert((watch.user_id, watch.kind, watch.id), watch.clone());
        Ok(())
    }

    async fn delete(&self, resource: Resource) -> StoreResult<()> {
        self.stored.lock().remove(&resource);
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

fn watcher(upstream: &Arc<FakeUpstream>) -> Arc<Watcher> {
    Watcher::new(upstream.clone(), upstream.clone(), ManualClock::at_ms(1_000), |_| {})
}

fn order(user_id: i64, id: i64) -> UpstreamWatch {
    let (channel_key, api_key) = ("north".to_owned(), format!("key-{user_id}"));
    UpstreamWatch { user_id, kind: StatusKind::Order, id, channel_key, api_key, since: 1_000 }
}

/// Shows UP-6.
#[tokio::test(start_paused = true)]
async fn five_thousand_viewers_of_five_hundred_orders_cost_one_poll_per_order_every_two_seconds() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(usize::MAX, Ordering::Relaxed);
    let watcher = watcher(&upstream);
    for viewer in 0..5_000 {
        let id = viewer % 500;
        watcher.watch(order(id, id), 1);
    }
    sleep(Duration::from_secs(60)).await;
    let (after_a_minute, tasks) = (watcher.count(), tokio::runtime::Handle::current().metrics().num_alive_tasks());
    sleep(Duration::from_secs(3540)).await;
    assert_eq!((watcher.count(), after_a_minute), (500, 500));
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), tasks, "no tasks accumulate");
    let polls = upstream.polls.lock();
    assert_eq!(polls.len(), 500);
    for times in polls.values() {
        assert!((1_799..=1_801).contains(&times.len()), "polls in an hour: {}", times.len());
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= POLL_INTERVAL));
    }
    assert_eq!(upstream.statuses.lock().len(), 500, "an unchanged status is recorded once");
}

#[tokio::test(start_paused = true)]
async fn an_order_is_polled_until_final_and_its_watch_is_deleted() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(3, Ordering::Relaxed);
    let watcher = watcher(&upstream);
    watcher.watch(order(7, 1), 1);
    sleep(Duration::from_secs(20)).await;
    let recorded: Vec<_> = upstream.statuses.lock().iter().map(|(_, _, status)| status.clone()).collect();
    assert_eq!(recorded, ["\"created\"", "\"paid\""]);
    assert_eq!((watcher.count(), upstream.stored.lock().len(), upstream.polls.lock()[&1].len()), (0, 0, 3));
}

#[tokio::test(start_paused = true)]
async fn a_restart_and_an_hour_of_outage_lose_no_status() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(2, Ordering::Relaxed);
    *upstream.fails.lock() = Some(PollResult::RetryLater(None));
    let first = watcher(&upstream);
    first.watch(order(7, 1), 1);
    sleep(Duration::from_secs(1800)).await;
    first.shutdown();
    let second = watcher(&upstream);
    second.resume().await;
    second.watch(order(7, 1), 1);
    sleep(Duration::from_secs(1800)).await;
    assert!(upstream.polls.lock()[&1].len() < 140, "the interval grows: {}", upstream.polls.lock()[&1].len());
    *upstream.fails.lock() = None;
    sleep(MAX_PAUSE + POLL_INTERVAL).await;
    assert_eq!(upstream.statuses.lock().last().unwrap().2, "\"paid\"");
    assert_eq!(second.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_429_pauses_all_polling_for_its_retry_after() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(usize::MAX, Ordering::Relaxed);
    *upstream.fails.lock() = Some(PollResult::RetryLater(Some(Duration::from_secs(20))));
    let watcher = watcher(&upstream);
    (1..=50).for_each(|id| watcher.watch(order(7, id), 1));
    sleep(Duration::from_secs(19)).await;
    let polls: usize = upstream.polls.lock().values().map(Vec::len).sum();
    assert!(polls <= 50, "{polls}");
    assert_eq!(watcher.count(), 50);
}

#[tokio::test(start_paused = true)]
async fn abandoned_watches_end_after_a_while_and_missing_resources_at_once() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(usize::MAX, Ordering::Relaxed);
    let clock = ManualClock::at_ms(1_000);
    let watcher = Watcher::new(upstream.clone(), upstream.clone(), clock.clone(), |_| {});
    watcher.watch(order(7, 1), 1);
    sleep(Duration::from_secs(5)).await;
    watcher.unwatch((7, StatusKind::Order, 1));
    clock.advance_ms(UNATTENDED_MS + 1);
    sleep(POLL_INTERVAL * 2).await;
    assert_eq!(watcher.count(), 0);
    *upstream.fails.lock() = Some(PollResult::NotFound);
    watcher.watch(order(8, 1), 1);
    sleep(POLL_INTERVAL).await;
    assert_eq!((watcher.count(), upstream.stored.lock().len()), (0, 0));
}

/// One of two workers on one store.
struct OneOfTwoWorkers {
    upstream: Arc<FakeUpstream>,
    is_polling_worker: AtomicBool,
}

#[async_trait]
impl Poller for OneOfTwoWorkers {
    async fn poll(&self, watch: &UpstreamWatch) -> PollResult {
        self.upstream.poll(watch).await
    }

    fn has_feed(&self, _: i64) -> bool {
        false
    }

    async fn is_polling_worker(&self) -> bool {
        self.is_polling_worker.load(Ordering::Relaxed)
    }
}

/// Shows UP-6.
#[tokio::test(start_paused = true)]
async fn one_of_two_workers_polls_for_both_and_the_other_takes_over() {
    let upstream = Arc::new(FakeUpstream::default());
    upstream.paid_after.store(usize::MAX, Ordering::Relaxed);
    let clock = ManualClock::at_ms(1_000);
    let one = |is_polling_worker| {
        Arc::new(OneOfTwoWorkers { upstream: upstream.clone(), is_polling_worker: AtomicBool::new(is_polling_worker) })
    };
    let (polling, waiting) = (one(true), one(false));
    let worker = |poller: &Arc<OneOfTwoWorkers>| Watcher::new(poller.clone(), upstream.clone(), clock.clone(), |_| {});
    let (first, second) = (worker(&polling), worker(&waiting));
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
        let polls = upstream.polls.lock()[&id].len();
        assert!((595..=602).contains(&polls), "order {id} is polled every two seconds: {polls}");
    }

    first.shutdown();
    waiting.is_polling_worker.store(true, Ordering::Relaxed);
    upstream.paid_after.store(0, Ordering::Relaxed);
    pass(5).await;
    let paid: Vec<_> =
        upstream.statuses.lock().iter().filter(|(_, _, status)| status == "\"paid\"").map(|it| it.0).collect();
    assert_eq!(paid.len(), 2, "{paid:?}");
    assert_eq!((second.count(), upstream.stored.lock().len()), (0, 0));
}
