//! Formatting of timestamps.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

/// Formats Unix milliseconds as RFC 3339 UTC with milliseconds, such as `2026-11-21T10:00:00.000Z`.
pub fn rfc3339(at_ms: i64) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_always_have_milliseconds() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_700_000_000_120), "2023-11-14T22:13:20.120Z");
    }
}
