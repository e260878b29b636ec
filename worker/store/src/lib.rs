//! The channel's records: keys, users, favourites, orders, and the log of changes.
//!
//! There is one trait per noun, and [`Store`] combines them. [`sqlite`] and [`postgres`] implement it with the
//! statements in `sql`. `tests` is the contract for any backend. Each method is one transaction. When it returns, its
//! changes are on disk together with their lines in the status log, and only then do subscribers of
//! [`Statuses::changes`] receive them.
//!
//! Times are Unix milliseconds and come from the caller.

#![expect(clippy::duplicate_mod, reason = "the statements are compiled once per backend")]

mod audit_log;
mod bookkeeping;
mod cards;
mod charges;
mod clips;
pub mod copy;
mod erasures;
mod error;
mod event_scores;
mod favorites;
mod forms;
pub mod idempotency;
mod keys;
mod lake_rows;
mod mails;
mod maintenance;
mod numbers;
mod orders;
mod playback;
pub mod postgres;
mod promo_codes;
mod rate_limits;
mod sandbox;
mod searches;
mod secrets;
mod site_files;
pub mod sqlite;
mod statuses;
mod tokens;
mod upstream;
mod users;
mod viewer_events;
mod webhooks;

use std::fmt::Debug;

pub use audit_log::{AuditEntry, AuditLog, AuditOutcome, NewAuditEntry};
pub use bookkeeping::{BOOK_RULES, Bookkeeping, Disagreement, OrderNotice, Sales};
pub use cards::{NewSavedCard, SavedCard, SavedCards};
pub use charges::{ChargeRecord, Charges, NewCharge, RefundRequest, Reversal, is_outside};
pub use clips::{ClipRecord, Clips, CreateClipResult, NewClip, PublicClips, WaitingClip};
pub use erasures::{Erasure, Erasures};
pub use error::StoreError;
pub use event_scores::EventScores;
pub use favorites::{AddFavoriteResult, Favorites, NewFavorite};
pub use forms::{FormAnswer, Forms, NewSubmission, Submission};
pub use idempotency::{IdempotencyClaim, Responses, StoredResponse};
pub use keys::{KeyId, KeyRecord, Keys, NewKey, Revoked};
pub use lake_rows::{AcceptedRow, Dimension, LakeRow, LakeRows};
pub use mails::{Mail, Mails};
pub use maintenance::Maintenance;
pub use orders::{
    CardHistory, CreateOrderResult, DueOrder, NewOrder, OrderFilter, OrderRecord, Orders, RecordedOrderEvent,
    Settlement,
};
pub use playback::PlaybackPositions;
pub use postgres::{PostgresAddress, PostgresStore};
pub use promo_codes::PromoCodes;
pub use rate_limits::RateLimits;
pub use sandbox::{
    SandboxCardRecord, SandboxCharge, SandboxChargeStatus, SandboxLedger, SandboxMovement, setup_subject,
};
pub use searches::{OrderSearch, PeopleSearch, Searches};
pub use secrets::MasterSecret;
pub use site_files::{SiteFile, SiteFiles};
pub use sqlite::SqliteStore;
pub use statuses::{Backlog, Change, NewStatus, Scope, StatusLine, Statuses};
pub use tokens::{SessionCodeRecord, Tokens};
pub use upstream::{UpstreamRecords, UpstreamWatch, UpstreamWrite};
pub use users::{MailTo, NewUser, RegisterResult, SocialLoginRecord, Users, no_mail};
pub use viewer_events::{AnalyticsBrowser, ChangeContext, SignIn};
pub use webhooks::{Effect, Webhook, Webhooks};

pub use touchline_domain::accounts::{User, UserChange};
pub use touchline_domain::orders::Outcome;
pub use touchline_domain::periods::BillingPeriod;
pub use touchline_domain::subscriptions::NewSubscription;

/// Result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// All records of the channel.
pub trait Store:
    Keys
    + Users
    + Erasures
    + Favorites
    + PlaybackPositions
    + Clips
    + Forms
    + Orders
    + Charges
    + SavedCards
    + Webhooks
    + Responses
    + Statuses
    + Tokens
    + RateLimits
    + Mails
    + SandboxLedger
    + AuditLog
    + Bookkeeping
    + LakeRows
    + Searches
    + PromoCodes
    + UpstreamRecords
    + EventScores
    + SiteFiles
    + Maintenance
    + Debug
    + Send
    + Sync
    + 'static
{
}
