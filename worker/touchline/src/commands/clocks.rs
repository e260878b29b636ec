//! How far the viewer's clock is from the server's.
//!
//! A recording does not name its requests, so the offset is the one under which the most answers of the server stand
//! beside an answer that was recorded.

/// How much answers may differ in their way to the viewer, milliseconds.
const SPREAD_MS: i64 = 500;
/// The fewest answers that tell how far the clocks are apart.
const FEWEST: usize = 3;

/// How far the viewer's clock is ahead of the server's; milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) ms: i64,
    /// How many answers say so.
    pub(super) answers: usize,
    /// How much slower than the fastest the slowest of them came.
    pub(super) spread: i64,
}

/// Looks at every pair of an answer that the viewer recorded and one that the server gave, each by its own clock, Unix
/// milliseconds. Finds the differences that the most answers have a pair within; of equals those that differ least. The
/// least of them is the offset: that answer came fastest, and no answer stands behind the line that recorded it. None is
/// below `least`: no line was recorded after the report came.
pub(super) fn offset(recorded: &[i64], answered: &[i64], least: i64) -> Option<Offset> {
    let differences = |viewer: &i64| {
        let viewer = *viewer;
        answered.iter().enumerate().map(move |(answer, server)| (viewer.saturating_sub(*server), answer))
    };
    let mut pairs: Vec<_> = recorded.iter().flat_map(differences).filter(|(ahead, _)| *ahead >= least).collect();
    pairs.sort_unstable();
    let mut within = vec![0_usize; answered.len()];
    let (mut from, mut answers) = (0, 0);
    let mut best: Option<Offset> = None;
    for (last, answer) in &pairs {
        answers += usize::from(within[*answer] == 0);
        within[*answer] += 1;
        // The first pair goes when it is too far off, or when its answer has a later one.
        while last.saturating_sub(pairs[from].0) > SPREAD_MS || within[pairs[from].1] > 1 {
            let gone = pairs[from].1;
            within[gone] -= 1;
            answers -= usize::from(within[gone] == 0);
            from += 1;
        }
        let found = Offset { ms: pairs[from].0, answers, spread: last.saturating_sub(pairs[from].0) };
        let is_better = |best: &Offset| (found.answers, -found.spread) > (best.answers, -best.spread);
        if answers >= FEWEST && best.as_ref().is_none_or(is_better) {
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
    fn many_answers_at_once_outweigh_no_answers_that_fit_one_by_one() {
        let answered = [0, 7_000, 19_000];
        let mut recorded: Vec<_> = (0..40).map(|n| AHEAD + 60_000 + n).collect();
        recorded.extend(answered.map(|at| AHEAD + at + 50));
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: AHEAD + 50, answers: 3, spread: 0 }));
    }

    #[test]
    fn calls_at_regular_times_are_matched_where_they_fit_best() {
        let answered = [0, 305, 610, 915, 2_000];
        let recorded = answered.map(|at| AHEAD + at + 5);
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: AHEAD + 5, answers: 5, spread: 0 }));
    }

    #[test]
    fn an_answer_from_another_day_and_slow_ones_move_nothing() {
        let answered = [-86_400_000, 0, 4_000, 9_000, 15_000];
        let recorded = [40, 4_060, 9_050, 17_000].map(|at| at - AHEAD);
        assert_eq!(offset(&recorded, &answered, i64::MIN), Some(Offset { ms: 40 - AHEAD, answers: 3, spread: 20 }));
    }

    #[test]
    fn the_clocks_never_say_that_a_line_was_recorded_after_its_report_came() {
        let (recorded, answered) = ([0, 4_000, 9_000], [36_000, 40_000, 45_000]);
        assert_eq!(offset(&recorded, &answered, -36_000), Some(Offset { ms: -36_000, answers: 3, spread: 0 }));
        assert_eq!(offset(&recorded, &answered, -35_999), None);
    }

    #[test]
    fn few_answers_tell_nothing() {
        assert_eq!(offset(&[10, 4_010], &[0, 4_000], i64::MIN), None);
        assert_eq!(offset(&[], &[0, 1, 2], i64::MIN), None);
        assert_eq!(offset(&[i64::MIN, i64::MAX, 0], &[i64::MAX, i64::MIN], i64::MIN), None);
    }
}
