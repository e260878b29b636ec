//! Pulled files are fetched and cached in blocks, independent of the ranges that players request (`PULL-5`).

use super::upstream::{MAX_FILE_BYTES, PullError};

/// Size of a block. Any part of it is fetched with the whole block.
pub(super) const BLOCK: u64 = 1 << 20;

/// A byte range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRange {
    from: u64,
    to: u64,
}

impl ByteRange {
    /// Returns a range, unless it is longer than the largest file.
    pub fn new(from: u64, to: u64) -> Option<Self> {
        (from <= to && to - from < MAX_FILE_BYTES && to < u64::MAX - BLOCK).then_some(Self { from, to })
    }

    /// Returns the numbers of its blocks, or `None` if it starts after the end of the file.
    pub(super) fn blocks(self, total: Option<u64>) -> Option<std::ops::RangeInclusive<u64>> {
        let last = total.map_or(Some(self.to), |total| total.checked_sub(1).map(|last| last.min(self.to)))?;
        (self.from <= last).then_some(self.from / BLOCK..=last / BLOCK)
    }

    /// Returns the byte after its last one, which may be past the end of the file.
    pub(super) fn end(self) -> u64 {
        self.to + 1
    }

    pub(super) fn from(self) -> u64 {
        self.from
    }
}

/// Returns the first and the last byte of a block.
pub(super) fn bytes_of(number: u64) -> (u64, u64) {
    (number * BLOCK, number * BLOCK + BLOCK - 1)
}

/// Checks that the host returned the requested block, complete or up to the end of the file.
///
/// # Errors
/// [`PullError::Wrong`]
pub(super) fn check(number: u64, len: usize, (from, total): (u64, Option<u64>)) -> Result<(), PullError> {
    let (start, len) = (number * BLOCK, len as u64);
    let whole = total.map(|total| total.saturating_sub(start).min(BLOCK));
    let is_whole = whole.map_or(len <= BLOCK, |whole| len == whole);
    if from == start && len > 0 && is_whole { Ok(()) } else { Err(PullError::Wrong("is a different range")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_with_the_file() {
        let total = 2 * BLOCK + 10;
        for (from, to, blocks) in [
            (0, 0, 0..=0),
            (5, BLOCK - 1, 0..=0),
            (BLOCK - 1, BLOCK, 0..=1),
            (BLOCK, total, 1..=2),
            (7, 9 * BLOCK, 0..=2),
        ] {
            assert_eq!(ByteRange::new(from, to).unwrap().blocks(Some(total)), Some(blocks), "{from} to {to}");
        }
        assert_eq!(ByteRange::new(total, total).unwrap().blocks(Some(total)), None);
        assert_eq!(ByteRange::new(0, 0).unwrap().blocks(Some(0)), None);
        for (from, to) in [(2, 1), (0, MAX_FILE_BYTES), (0, u64::MAX), (u64::MAX - 1, u64::MAX)] {
            assert_eq!(ByteRange::new(from, to), None, "{from} to {to}");
        }
    }

    #[test]
    fn a_response_with_another_range_is_refused() {
        let block = BLOCK as usize;
        assert!(check(1, block, (BLOCK, Some(9 * BLOCK))).is_ok() && check(1, 3, (BLOCK, Some(BLOCK + 3))).is_ok());
        assert!(check(1, 9, (BLOCK, None)).is_ok());
        for (len, part) in
            [(block, (0, None)), (9, (BLOCK, Some(9 * BLOCK))), (0, (BLOCK, None)), (block + 1, (BLOCK, None))]
        {
            assert!(check(1, len, part).is_err(), "{len} {part:?}");
        }
    }
}
