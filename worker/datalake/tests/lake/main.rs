//! The datalake from outside: its calls, its queue, its sinks, and the lake as other engines read it.

mod bucket;
mod calls;
mod compaction;
mod counts;
mod crash;
mod dictionary;
mod erasure;
mod faults;
mod kills;
mod names;
mod power;
mod readers;
mod restart;
mod retention;
mod sinks;
mod support;
mod table;
mod truth;
mod viewings;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a process that the other tests start"]
async fn child() {
    support::process::serve().await;
}
