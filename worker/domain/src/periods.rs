//! How long a subscription runs: monthly plans 30 days, annual plans 12 months (`SUB-5`).

use jiff::{Timestamp, ToSpan, tz::TimeZone};

use crate::DAY_MS;

/// When a period that begins at `from` (milliseconds since 1970) ends. Twelve months end on the same day of the next
/// year, in UTC; 29 February on the 28th.
pub fn period_end(from: i64, annual: bool) -> i64 {
    if !annual {
        return from + 30 * DAY_MS;
    }
    Timestamp::from_millisecond(from)
        .ok()
        .and_then(|from| from.to_zoned(TimeZone::UTC).checked_add(12.months()).ok())
        .map_or(from + 365 * DAY_MS, |end| end.timestamp().as_millisecond())
}

/// When a trial that begins at `from` ends.
pub fn trial_end(from: i64, days: i64) -> i64 {
    from + days * DAY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn a_month_is_thirty_days_and_a_year_twelve_months() {
        assert_eq!(period_end(ms("2026-01-31T10:00:00Z"), false), ms("2026-03-02T10:00:00Z"));
        assert_eq!(period_end(ms("2026-01-31T10:00:00Z"), true), ms("2027-01-31T10:00:00Z"));
        assert_eq!(period_end(ms("2027-03-01T00:00:00Z"), true), ms("2028-03-01T00:00:00Z"));
        assert_eq!(period_end(ms("2028-02-29T12:00:00Z"), true), ms("2029-02-28T12:00:00Z"));
    }
}
