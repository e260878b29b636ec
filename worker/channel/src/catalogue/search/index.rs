//! The index: each word of the content in an FST, with the items that contain it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt};
use fst::{IntoStreamer, Map, Streamer};
use levenshtein_automata::{DFA, LevenshteinAutomatonBuilder};

use super::terms::terms;

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Event,
    Team,
    School,
    Video,
    Page,
    Clip,
}

/// An item that matches a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SearchMatch {
    pub kind: Kind,
    /// Position in the snapshot's list.
    pub position: usize,
    /// Quality of the match; higher is better.
    pub score: u32,
}

/// Weight of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Weight {
    /// The word is in the item's name.
    Name = 4,
    /// The word is in the name of a related item.
    Related = 2,
    /// The word is in the text.
    Text = 1,
}

/// An item's number and a word's weight.
type Posting = (u32, u32);

/// The index of one load.
#[derive(Default)]
pub(crate) struct SearchIndex {
    /// From a word to its index in `postings`.
    terms: Map<Vec<u8>>,
    postings: Vec<Box<[Posting]>>,
    items: Vec<(Kind, usize)>,
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex").field("words", &self.terms.len()).field("things", &self.items.len()).finish()
    }
}

/// Collects the words of items.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    items: Vec<(Kind, usize)>,
    terms: BTreeMap<String, Vec<Posting>>,
}

impl Collector {
    /// Adds an item with its texts.
    pub(crate) fn add<'a>(&mut self, kind: Kind, position: usize, texts: impl IntoIterator<Item = (Weight, &'a str)>) {
        let Ok(number) = u32::try_from(self.items.len()) else { return };
        self.items.push((kind, position));
        for (weight, text) in texts {
            for term in terms(text) {
                let postings = self.terms.entry(term).or_default();
                match postings.last_mut() {
                    Some((last, best)) if *last == number => *best = (*best).max(weight as u32),
                    _ => postings.push((number, weight as u32)),
                }
            }
        }
    }

    /// Builds the index.
    pub(crate) fn finish(self) -> SearchIndex {
        let terms = Map::from_iter(self.terms.keys().zip(0..)).unwrap_or_default();
        let postings = self.terms.into_values().map(Vec::into_boxed_slice).collect();
        SearchIndex { terms, postings, items: self.items }
    }
}

/// Builders of a word's automaton, by the number of tolerated typos.
static BUILDERS: LazyLock<[LevenshteinAutomatonBuilder; 3]> =
    LazyLock::new(|| [0, 1, 2].map(|typos| LevenshteinAutomatonBuilder::new(typos, true)));

/// Number of tolerated typos in a word (`SEARCH-2`). Short words and numbers must be exact.
fn typos(term: &str) -> usize {
    if term.chars().all(char::is_numeric) {
        return 0;
    }
    match term.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

fn automaton(term: &str, typos: usize) -> DFA {
    BUILDERS[typos].build_prefix_dfa(term)
}

impl SearchIndex {
    /// Items that contain each of `terms` as the start of a word (`SEARCH-2`). Typos are tolerated only in a word
    /// without an exact match, and then as few as possible.
    pub(crate) fn find(&self, terms: &[String]) -> Vec<SearchMatch> {
        let mut found: Option<HashMap<u32, u32>> = None;
        for term in terms {
            let scores = self.scores(term);
            found = Some(match found {
                None => scores,
                Some(before) => before
                    .into_iter()
                    .filter_map(|(item, score)| scores.get(&item).map(|more| (item, score + more)))
                    .collect(),
            });
        }
        let found = found.unwrap_or_default().into_iter().filter_map(|(item, score)| {
            let &(kind, position) = self.items.get(item as usize)?;
            Some(SearchMatch { kind, position, score })
        });
        found.collect()
    }

    fn scores(&self, term: &str) -> HashMap<u32, u32> {
        (0..=typos(term))
            .map(|typos| self.scores_with(term, typos))
            .find(|scores| !scores.is_empty())
            .unwrap_or_default()
    }

    fn scores_with(&self, term: &str, typos: usize) -> HashMap<u32, u32> {
        let mut scores = HashMap::new();
        let mut stream = self.terms.search(automaton(term, typos)).into_stream();
        while let Some((key, position)) = stream.next() {
            let whole = if key == term.as_bytes() { 2 } else { 1 };
            let postings = usize::try_from(position).ok().and_then(|position| self.postings.get(position));
            for &(item, weight) in postings.into_iter().flatten() {
                let score = scores.entry(item).or_insert(0);
                *score = (*score).max(weight * whole);
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<usize> {
        let mut collector = Collector::default();
        let names = ["Northfield Kestrels", "Northern Élan", "Meadow 2026", "Kestrel House"];
        for (position, name) in names.iter().enumerate() {
            collector.add(Kind::Team, position, [(Weight::Name, *name)]);
        }
        let mut found: Vec<_> = collector.finish().find(&terms(query)).iter().map(|found| found.position).collect();
        found.sort_unstable();
        found
    }

    /// `SEARCH-2`.
    #[test]
    fn terms_match_as_prefixes_with_typos_tolerated_by_length() {
        assert_eq!(found("north"), [0, 1]);
        assert_eq!(found("kes north"), [0]);
        assert_eq!(found("elan"), [1]);
        assert_eq!(found("kestral"), [0, 3]);
        assert_eq!(found("nrothfeild"), [0]);
        assert_eq!(found("2027"), [] as [usize; 0]);
        assert_eq!(found("nxr"), [] as [usize; 0]);
        assert_eq!(found(""), [] as [usize; 0]);
    }

    #[test]
    fn a_complete_match_in_the_name_ranks_higher() {
        let mut collector = Collector::default();
        collector.add(Kind::Team, 0, [(Weight::Name, "Kestrels")]);
        collector.add(Kind::Team, 1, [(Weight::Name, "Kestrel")]);
        collector.add(Kind::Team, 2, [(Weight::Text, "Kestrel")]);
        let mut found = collector.finish().find(&terms("kestrel"));
        found.sort_by_key(|found| std::cmp::Reverse(found.score));
        assert_eq!(found.iter().map(|found| found.position).collect::<Vec<_>>(), [1, 0, 2]);
    }
}
