//! The datalake: every analytics event once, from a browser to an analyst's query.
//!
//! ```text
//! routes ─► ingest ─► queue (sled; fdatasync before the answer) ─► shipper ─► sinks: http, lake
//!                       │  one writer thread, group commit             │        │
//!                       ├─ dedupe: ids of seven days                   │        ├─ schema, rows: columns, Parquet
//!                       ├─ pressure: who gives way first               │        └─ lake, delta: files, the table's log
//!                       └─ dead letters ◄───────── refused for good ───┘
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`routes`] | the calls; [`ingest`] reads and dates what they bring, [`shape`] bounds it |
//! | [`cmcd`] | reports of other players, as CTA-5004-B writes them |
//! | [`queue`] | the durable queue behind a narrow trait; [`dedupe`], [`pressure`], [`budget`], [`sales`], [`event`], [`table`] are its terms |
//! | [`shipper`] | one task per sink and table: close, make durable, ship, settle; [`backoff`] between tries; [`caught`] turns a panic into a failure |
//! | [`sinks`] | one backend a file; [`lake`] is a room of its own: shipping, joining, erasing, sweeping |
//! | [`delta`] | a table's log after the Delta protocol |
//! | [`schema`], [`cells`], [`rows`] | the lake's columns, and events as rows; [`dictionary`] writes `docs/datalake.md` from them |
//! | [`viewings`] | how well each viewing played, made of its player's reports |
//! | [`books`] | rows that the worker itself writes |
//! | [`dead_letters`], [`ledger`], [`erase`] | what operators ask for |
//! | [`drift`] | what is sent otherwise than before: types of fields, unknown fields, rates |
//! | [`datalake`], [`options`], [`builder`], [`maintenance`], [`status`] | the whole, as the worker holds it |

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
mod dictionary;
mod drift;
mod erase;
mod event;
mod ingest;
mod lake;
mod ledger;
mod maintenance;
mod options;
mod pressure;
mod queue;
mod routes;
mod rows;
mod sales;
mod schema;
mod shape;
mod shipper;
mod sinks;
mod status;
mod table;
mod viewings;

pub use books::BookRow;
pub use builder::OpenError;
pub use datalake::{Datalake, NotQueued, OperationError, OwnRow, Sender};
pub use dead_letters::{DeadLetter, DeadLetterFilter, DeadReason, INGEST, Requeued};
pub use dictionary::{dictionary, standard_views};
pub use drift::{DriftKind, Drifted};
pub use erase::{EraseError, Erased, Person};
pub use ingest::RequestChannel;
pub use lake::book_rows::{BookRowInLake, BooksInLake};
pub use lake::join::Joined;
pub use ledger::LedgerRow;
pub use options::{DatalakeOptions, Limits, SinkConfig, SinkConfigError, limits};
pub use queue::damaged::DamagedQueue;
pub use sales::Sales;
pub use status::{SinkTrouble, Status};
pub use table::Table;
pub use viewings::quality::{Quality, Watched};
