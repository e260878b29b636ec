//! Search (`SEARCH`): an in-memory index of words, built at each load, with typo-tolerant queries.

mod index;
mod terms;

use touchline_protocol::limits::Limit;

pub(crate) use index::{Collector, Weight};
pub(crate) use index::{Kind, SearchIndex, SearchMatch};
pub(crate) use terms::query_terms;

/// Limit of words in a query; the rest is ignored.
const MAX_TERMS: usize = 12;
/// Largest number of items of one kind in a response.
pub(crate) const MAX_LIMIT: u64 = 50;
/// Number of a channel's latest public clips that the search covers.
pub(crate) const MAX_CLIPS: u32 = 500;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("search.words", MAX_TERMS as u64, "words", "Words in a search; further ones are ignored."),
    Limit::count("search.limit", MAX_LIMIT, "items", "Largest `limit` of a search, per kind. The default is 24."),
    Limit::count("search.clips", MAX_CLIPS as u64, "clips", "Latest public clips of a channel that a search covers."),
];
