//! Subscription periods: 30 days for monthly plans, 12 months for annual plans (`SUB-5`).

use jiff::{Timestamp, ToSpan, tz::TimeZone};

use crate::DAY_MS;

/// Billing period of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BillingPeriod {
    /// 30 days.
    Monthly,
    /// 12 months.
    Annual,
}

impl BillingPeriod {
    /// Returns the billing period of a plan with this `period`: `annual`, `month` or `monthly`.
    pub(crate) fn of_plan(period: &str) -> Self {
        Self::from_annual(period == "annual")
    }

    /// Returns the billing period stored as this flag.
    pub fn from_annual(annual: bool) -> Self {
        if annual { Self::Annual } else { Self::Monthly }
    }

    /// Returns the flag for the store and the API.
    pub fn is_annual(self) -> bool {
        self == Self::Annual
    }
}

/// Returns the end of a period that starts at `from` (milliseconds since 1970). Twelve months end on the anchor's day
/// of the next year, in UTC. An anchor of 29 February ends on the 28th in common years and on the 29th in leap years.
pub fn period_end(anchor: i64, from: i64, period: BillingPeriod) -> i64 {
    match period {
        BillingPeriod::Monthly => from + 30 * DAY_MS,
        BillingPeriod::Annual => year_after(anchor, from).unwrap_or(from + 365 * DAY_MS),
    }
}

/// Returns the first time after `from` that is whole years after `anchor`. Years are counted from the anchor rather
/// than from the previous end, so that a short February moves no later end.
fn year_after(anchor: i64, from: i64) -> Option<i64> {
    let zoned = |at: i64| Some(Timestamp::from_millisecond(at).ok()?.to_zoned(TimeZone::UTC));
    let anchor = zoned(anchor)?;
    let years = i64::from(zoned(from)?.year()) - i64::from(anchor.year());
    let end = |years: i64| {
        let end = anchor.checked_add(years.checked_mul(12)?.months()).ok()?;
        Some(end.timestamp().as_millisecond())
    };
    [years, years + 1].into_iter().filter_map(end).find(|end| *end > from)
}

/// Returns the end of a trial that starts at `from`.
pub fn trial_end(from: i64, days: i64) -> i64 {
    from + days * DAY_MS
}

#[cfg(test)]
mod tests {
    use super::BillingPeriod::{Annual, Monthly};
    use super::*;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn a_month_is_thirty_days_and_a_year_twelve_months() {
        let end = |from: &str, period| period_end(ms(from), ms(from), period);
        assert_eq!(end("2026-01-31T10:00:00Z", Monthly), ms("2026-03-02T10:00:00Z"));
        assert_eq!(end("2026-01-31T10:00:00Z", Annual), ms("2027-01-31T10:00:00Z"));
        assert_eq!(end("2027-03-01T00:00:00Z", Annual), ms("2028-03-01T00:00:00Z"));
    }

    #[test]
    fn a_plan_of_29_february_ends_on_the_28th_of_common_years_and_on_the_29th_of_leap_years() {
        let anchor = ms("2028-02-29T12:00:00Z");
        let mut from = anchor;
        for end in [
            "2029-02-28T12:00:00Z",
            "2030-02-28T12:00:00Z",
            "2031-02-28T12:00:00Z",
            "2032-02-29T12:00:00Z",
            "2033-02-28T12:00:00Z",
        ] {
            from = period_end(anchor, from, Annual);
            assert_eq!(from, ms(end));
        }
        assert_eq!(period_end(anchor, ms("2096-03-01T00:00:00Z"), Annual), ms("2097-02-28T12:00:00Z"));
        assert_eq!(period_end(anchor, ms("2099-12-01T00:00:00Z"), Annual), ms("2100-02-28T12:00:00Z"), "no leap year");
    }
}
