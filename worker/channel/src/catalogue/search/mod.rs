//! Search (`SEARCH`): an index of words in memory, made at each load, and typo-tolerant look-ups in it.

mod index;
mod words;

use touchline_protocol::limits::Limit;

pub(crate) use index::{Collector, Weight};
pub use index::{Found, Kind, SearchIndex};
pub use words::query_words;

/// The most words of a query that count.
const MAX_WORDS: usize = 12;
/// The most items of a kind in one answer.
pub const MAX_LIMIT: u64 = 50;
/// How many of a channel's public clips are searched, the newest.
pub const MAX_CLIPS: u32 = 500;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("search.words", MAX_WORDS as u64, "words", "Words of a search; further ones do not count."),
    Limit::count(
        "search.limit",
        MAX_LIMIT,
        "items",
        "The most that `limit` of a search gives of a kind; without one it is 24.",
    ),
    Limit::count(
        "search.clips",
        MAX_CLIPS as u64,
        "clips",
        "A channel's newest public clips, which a search looks at.",
    ),
];
