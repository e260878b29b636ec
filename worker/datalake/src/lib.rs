//! The datalake: takes each analytics event from a browser to an analyst's query, exactly once.
//!
//! ```text
//! routes ─► ingest ─► queue (sled; fdatasync before the answer) ─► shipper ─► sinks: http, lake
//!                       │  one writer thread, group commit             │        │
//!                       ├─ dedupe: ids of seven days                   │        ├─ schema, rows: columns, Parquet
//!                       ├─ pressure: priorities when space is short    │        └─ lake, delta: files, table log
//!                       └─ dead letters ◄──────── refused for good ────┘
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`routes`] | the endpoints; [`ingest`] parses and dates their events, [`shape`] validates them, [`masked`] masks searches |
//! | [`cmcd`] | reports of other players, defined by CTA-5004-B |
//! | [`queue`] | the durable queue behind a small trait; [`dedupe`], [`pressure`], [`budget`], [`sales`], [`event`], [`table`] support it |
//! | [`shipper`] | one task per sink and table: close, make durable, ship, settle; [`backoff`] between attempts; [`caught`] turns a panic into a failure |
//! | [`sinks`] | one backend per file; [`lake`] is a folder: shipping, compaction, erasure, cleanup |
//! | [`delta`] | a table's log in the Delta format |
//! | [`schema`], [`cells`], [`rows`], [`derived`] | the lake's columns, and events as rows; [`dictionary`] generates `docs/datalake.md` from them |
//! | [`viewings`] | playback quality of each viewing, derived from its player's reports |
//! | [`books`] | rows that the worker itself writes |
//! | [`dead_letters`], [`ledger`], [`erase`] | operator functions; [`erasing`] keeps erasures and shipping apart |
//! | [`drift`] | changes in the events that are sent: types of fields, unknown fields, rates |
//! | [`datalake`], [`options`], [`builder`], [`maintenance`], [`status`] | the public handle of the worker |

mod backoff;
mod books;
mod budget;
mod builder;
mod caught;
mod cells;
mod chunk;
mod cmcd;
mod compact_batch;
mod datalake;
mod dead_letters;
mod dedupe;
mod delta;
mod derived;
mod dictionary;
mod drift;
mod erase;
mod erasing;
mod event;
mod ingest;
mod lake;
mod ledger;
mod maintenance;
mod masked;
mod options;
mod pressure;
mod queue;
mod routes;
mod rows;
mod sales;
mod schema;
mod shape;
mod shipper;
mod signature;
mod sinks;
mod status;
mod table;
mod viewings;

pub use books::BookRow;
pub use builder::OpenError;
pub use datalake::{Datalake, OperationError, Sender};
pub use dead_letters::{DeadLetter, DeadLetterFilter, DeadReason, INGEST, Requeued};
pub use dictionary::{dictionary, standard_views};
pub use drift::{DriftKind, Drifted};
pub use erase::{EraseError, Erased, Person};
pub use ingest::RequestChannel;
pub use lake::book_rows::{BookRowInLake, BooksInLake};
pub use lake::compaction::Compaction;
pub use ledger::LedgerRow;
pub use options::{DatalakeOptions, Limits, SinkConfig, SinkConfigError, limits};
pub use queue::damaged::DamagedQueue;
pub use sales::Sales;
pub use signature::SinkSecret;
pub use status::{SinkTrouble, Status};
pub use table::Table;
pub use viewings::quality::{Quality, Watched};
