//! Numbers that a restored store skips, because they may have been issued since its backup (`OPS-53`).

/// Ids skipped by every restore: more than any store issues between two backups.
const IDS: i64 = 1_000_000;
/// Milliseconds per id skipped for the backup's age.
const MS_PER_ID: i64 = 100;
/// Milliseconds of the backup's age per letter skipped.
const MS_PER_LETTER: i64 = 60_000;

/// Numbers skipped by a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SkippedNumbers {
    /// Ids of each table.
    pub(crate) ids: i64,
    /// Letters of receipts, up to that of the new series.
    pub(crate) letters: i64,
}

impl SkippedNumbers {
    /// After another restore of the same backup, on a disk that is lost. The later one skips more, because the backup is
    /// older by then.
    pub(crate) fn at_age(age_ms: i64) -> Self {
        let age_ms = age_ms.max(0);
        Self { ids: IDS + age_ms / MS_PER_ID, letters: 1 + age_ms / MS_PER_LETTER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `OPS-53`
    #[test]
    fn a_later_restore_of_the_same_backup_skips_more_numbers() {
        let day_ms = 24 * 3_600_000;
        assert_eq!(SkippedNumbers::at_age(0), SkippedNumbers { ids: 1_000_000, letters: 1 });
        assert_eq!(SkippedNumbers::at_age(day_ms), SkippedNumbers { ids: 1_864_000, letters: 1_441 });
        assert_eq!(SkippedNumbers::at_age(-1), SkippedNumbers::at_age(0), "a backup of a clock that was ahead");
    }
}
