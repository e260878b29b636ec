use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use touchline_protocol::ambient::{ManualClock, SeededEntropy};
use uuid::Uuid;

use super::*;
use crate::queue::{self, Candidate, Opened, Verdict};
use crate::table::Priority;

/// Panics at its first batches, as object_store does on an invalid URL, and then accepts them.
struct PanickingSink(AtomicU32);

#[async_trait]
impl Sink for PanickingSink {
    fn name(&self) -> &'static str {
        "lake:x"
    }

    async fn ship(&self, _: &Batch<'_>, _: &mut Progress) -> Result<(), Unavailable> {
        if self.0.fetch_add(1, Ordering::SeqCst) < 2 {
            panic!("request valid: InvalidUri");
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_sink_that_panics_is_reported_and_retried() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, entropy) = (ManualClock::at_ms(1_795_255_200_000), SeededEntropy::new(1));
    let (limits, sinks) = (Limits::default(), ["lake:x".to_owned()]);
    let opened =
        queue::open((folder.path().join("queue"), "n1"), &sinks, limits.clone(), clock.clone(), entropy.clone());
    let Opened { queue, writer } = opened.unwrap();
    let trouble = Arc::<Trouble>::default();
    let shipper = Shipper {
        queue: queue.clone(),
        sink: Arc::new(PanickingSink(AtomicU32::new(0))),
        table: Table::Event,
        limits,
        clock,
        entropy,
        trouble: Arc::clone(&trouble),
        erasing: Arc::default(),
        attempts: Arc::default(),
        draining: CancellationToken::new(),
        stopped: CancellationToken::new(),
    };
    let stopped = shipper.stopped.clone();
    let shipping = tokio::spawn(shipper.run());
    let body = r#"{"event":"visit"}"#.into();
    let event = QueuedEvent { id: Uuid::from_u128(1), at_us: 0, received_us: 0, occurred_us: 0, body };
    let candidate = Candidate { table: Table::Event, priority: Priority::Ordinary, event, too_old: false };
    assert_eq!(queue.accept(vec![candidate]).await, [Verdict::Accepted]);

    let mut reported = None;
    let shipped = async {
        while queue.snapshot().state.queued("lake:x", Table::Event) > 0 {
            reported = trouble.last().or(reported.take());
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), shipped).await.unwrap();
    assert_eq!(reported.unwrap(), "internal error: request valid: InvalidUri");
    while trouble.last().is_some() {
        sleep(Duration::from_millis(5)).await;
    }
    stopped.cancel();
    shipping.await.unwrap();
    queue.close().await;
    writer.join().unwrap();
}
