//! Estimates how far the viewer's clock is ahead of the server's.
//!
//! A recording does not name its requests, so the estimate is the offset that pairs the most server responses with a
//! recorded response.

/// The largest difference in delivery time between responses, in milliseconds.
const MAX_SPREAD_MS: i64 = 500;
const MIN_RESPONSES: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) ms: i64,
    /// The number of responses that support it.
    pub(super) answers: usize,
    /// The delay of the slowest of them relative to the fastest.
    pub(super) spread: i64,
}

/// Compares each recorded response with each response of the server, by their own clocks in Unix milliseconds, and
/// finds the [`MAX_SPREAD_MS`] window of differences with the most server responses; among equals, the narrowest. The lower
/// end of the window is the offset: that response travelled fastest, so that no response appears after the line that
/// recorded it. No offset is below `least`, since no line was recorded after the report arrived.
pub(super) fn offset(recorded: &[i64], answered: &[i64], least: i64) -> Option<Offset> {
    let differences = |viewer: &i64| {
        let viewer = *viewer;
        answered.iter().enumerate().map(move |(answer, server)| (viewer.saturating_sub(*server), answer))
    };
    let mut pairs: Vec<_> = recorded.iter().flat_map(differences).filter(|(ahead, _)| *ahead >= least).collect();
    pairs.sort_unstable();
    let mut counts = vec![0_usize; answered.len()];
    let (mut from, mut answers) = (0, 0);
    let mut best: Option<Offset> = None;
    for (last, answer) in &pairs {
        answers += usize::from(counts[*answer] == 0);
        counts[*answer] += 1;
        // Drops the first pair if it is outside the window, or if its response has a later pair.
        while last.saturating_sub(pairs[from].0) > MAX_SPREAD_MS || counts[pairs[from].1] > 1 {
            let removed = pairs[from].1;
            counts[removed] -= 1;
            answers -= usize::from(counts[removed] == 0);
            from += 1;
        }
        let found = Offset { ms: pairs[from].0, answers, spread: last.saturating_sub(pairs[from].0) };
        let is_better = |best: &Offset| (found.answers, -found.spread) > (best.answers, -best.spread);
        if answers >= MIN_RESPONSES && best.as_ref().is_none_or(is_better) {
            best = Some(found);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: i64 = 3_600_000;

    #[test]
    fn a_burst_of_responses_does_not_outweigh_ones_that_match_individually() {
        let answered = [0, 7_000, 19_000];
        let mut recorded: Vec<_> = (0..40).map(|n| AHEAD + 60_000 + n).collect();
        recorded.extend(answered.map(|at| AHEAD + at + 50));
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: AHEAD + 50, answers: 3, spread: 0 }));
    }

    #[test]
    fn regular_calls_match_at_the_best_offset() {
        let answered = [0, 305, 610, 915, 2_000];
        let recorded = answered.map(|at| AHEAD + at + 5);
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: AHEAD + 5, answers: 5, spread: 0 }));
    }

    #[test]
    fn old_and_slow_responses_do_not_change_the_offset() {
        let answered = [-86_400_000, 0, 4_000, 9_000, 15_000];
        let recorded = [40, 4_060, 9_050, 17_000].map(|at| at - AHEAD);
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: 40 - AHEAD, answers: 3, spread: 20 }));
    }

    #[test]
    fn no_line_is_recorded_after_its_report_arrived() {
        let (recorded, answered) = ([0, 4_000, 9_000], [36_000, 40_000, 45_000]);
        assert_eq!(offset(&recorded, &answered, -36_000), Some(Offset { ms: -36_000, answers: 3, spread: 0 }));
        assert_eq!(offset(&recorded, &answered, -35_999), None);
    }

    #[test]
    fn too_few_responses_give_no_offset() {
        assert_eq!(offset(&[10, 4_010], &[0, 4_000], i64::MIN), None);
        assert_eq!(offset(&[], &[0, 1, 2], i64::MIN), None);
        assert_eq!(offset(&[i64::MIN, i64::MAX, 0], &[i64::MAX, i64::MIN], i64::MIN), None);
    }
}
