//! The index: each word of the content in an FST, with the things that say it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt};
use fst::{IntoStreamer, Map, Streamer};
use levenshtein_automata::{DFA, LevenshteinAutomatonBuilder};

use super::words::words;

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An event.
    Event,
    /// A team.
    Team,
    /// A school.
    School,
    /// A video of the library.
    Video,
    /// A page.
    Page,
    /// A clip.
    Clip,
}

/// A thing that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in its list of the snapshot.
    pub position: usize,
    /// How well it matches; more is better.
    pub score: u32,
}

/// How much a word says of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Weight {
    /// It stands in the thing's name.
    Name = 4,
    /// It stands in the name of what the thing belongs to.
    Related = 2,
    /// It stands in the text.
    Text = 1,
}

/// A word of a thing: the thing's number and the word's weight.
type Posting = (u32, u32);

/// The words of one load.
#[derive(Default)]
pub struct SearchIndex {
    /// From a word to its place in `postings`.
    words: Map<Vec<u8>>,
    postings: Vec<Box<[Posting]>>,
    things: Vec<(Kind, usize)>,
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex").field("words", &self.words.len()).field("things", &self.things.len()).finish()
    }
}

/// Collects the words of things.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    things: Vec<(Kind, usize)>,
    words: BTreeMap<String, Vec<Posting>>,
}

impl Collector {
    /// Adds a thing with its texts.
    pub(crate) fn add<'a>(&mut self, kind: Kind, position: usize, texts: impl IntoIterator<Item = (Weight, &'a str)>) {
        let Ok(number) = u32::try_from(self.things.len()) else { return };
        self.things.push((kind, position));
        for (weight, text) in texts {
            for word in words(text) {
                let postings = self.words.entry(word).or_default();
                match postings.last_mut() {
                    Some((last, kept)) if *last == number => *kept = (*kept).max(weight as u32),
                    _ => postings.push((number, weight as u32)),
                }
            }
        }
    }

    /// The index of what was added.
    pub(crate) fn finish(self) -> SearchIndex {
        let words = Map::from_iter(self.words.keys().zip(0..)).unwrap_or_default();
        let postings = self.words.into_values().map(Vec::into_boxed_slice).collect();
        SearchIndex { words, postings, things: self.things }
    }
}

/// What builds the automaton of a word, by the number of typos that it forgives.
static BUILDERS: LazyLock<[LevenshteinAutomatonBuilder; 3]> =
    LazyLock::new(|| [0, 1, 2].map(|typos| LevenshteinAutomatonBuilder::new(typos, true)));

/// How many typos are forgiven in a word (`SEARCH-2`). Short words and numbers must be right.
fn typos(word: &str) -> usize {
    if word.chars().all(char::is_numeric) {
        return 0;
    }
    match word.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

fn automaton(word: &str, typos: usize) -> DFA {
    BUILDERS[typos].build_prefix_dfa(word)
}

impl SearchIndex {
    /// The things that say every one of `words`, each as the beginning of a word of theirs (`SEARCH-2`). Typos count only
    /// for a word that nothing spells as it is, and then as few as there must be.
    pub fn find(&self, words: &[String]) -> Vec<Found> {
        let mut found: Option<HashMap<u32, u32>> = None;
        for word in words {
            let scores = self.scores(word);
            found = Some(match found {
                None => scores,
                Some(before) => before
                    .into_iter()
                    .filter_map(|(thing, score)| scores.get(&thing).map(|more| (thing, score + more)))
                    .collect(),
            });
        }
        let found = found.unwrap_or_default().into_iter().filter_map(|(thing, score)| {
            let &(kind, position) = self.things.get(thing as usize)?;
            Some(Found { kind, position, score })
        });
        found.collect()
    }

    fn scores(&self, word: &str) -> HashMap<u32, u32> {
        (0..=typos(word))
            .map(|typos| self.scores_with(word, typos))
            .find(|scores| !scores.is_empty())
            .unwrap_or_default()
    }

    fn scores_with(&self, word: &str, typos: usize) -> HashMap<u32, u32> {
        let mut scores = HashMap::new();
        let mut stream = self.words.search(automaton(word, typos)).into_stream();
        while let Some((own, place)) = stream.next() {
            let whole = if own == word.as_bytes() { 2 } else { 1 };
            let postings = usize::try_from(place).ok().and_then(|place| self.postings.get(place));
            for &(thing, weight) in postings.into_iter().flatten() {
                let score = scores.entry(thing).or_insert(0);
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
        let mut found: Vec<_> = collector.finish().find(&words(query)).iter().map(|found| found.position).collect();
        found.sort_unstable();
        found
    }

    /// `SEARCH-2`.
    #[test]
    fn every_word_must_begin_a_word_and_typos_are_forgiven_by_length() {
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
    fn a_whole_word_of_the_name_is_the_better_match() {
        let mut collector = Collector::default();
        collector.add(Kind::Team, 0, [(Weight::Name, "Kestrels")]);
        collector.add(Kind::Team, 1, [(Weight::Name, "Kestrel")]);
        collector.add(Kind::Team, 2, [(Weight::Text, "Kestrel")]);
        let mut found = collector.finish().find(&words("kestrel"));
        found.sort_by_key(|found| std::cmp::Reverse(found.score));
        assert_eq!(found.iter().map(|found| found.position).collect::<Vec<_>>(), [1, 0, 2]);
    }
}
