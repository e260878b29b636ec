//! Rows of the limits table (`LIM-6`), which `docs/security.md` shows under *Limits*.
//!
//! Each module builds its rows from its own constants, and each crate lists them. `touchline` writes the table. A test
//! fails if the page disagrees.

use std::fmt;

/// A limit on a size, count, time or rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The setting's key if operators can change the limit, otherwise its name.
    pub name: &'static str,
    /// The limit's value.
    pub value: u64,
    /// The unit of the value.
    pub unit: Unit,
    /// The purpose of the limit, and the effect of exceeding it.
    pub what: &'static str,
}

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of the named things.
    Count(&'static str),
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Millis,
    /// A burst, followed by one every so many milliseconds.
    ThenEveryMs(u64),
}

impl Limit {
    /// A limit on a number of `things`.
    pub const fn count(name: &'static str, value: u64, things: &'static str, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Count(things), what }
    }

    /// A limit in bytes.
    pub const fn bytes(name: &'static str, value: u64, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Bytes, what }
    }

    /// A limit in milliseconds.
    pub const fn millis(name: &'static str, value: u64, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Millis, what }
    }

    /// A limit on a duration.
    pub const fn time(name: &'static str, value: std::time::Duration, what: &'static str) -> Self {
        Self::millis(name, value.as_millis() as u64, what)
    }

    /// A rate limit: a burst, followed by one every `every_ms` milliseconds.
    pub const fn rate(name: &'static str, burst: u64, every_ms: u64, what: &'static str) -> Self {
        Self { name, value: burst, unit: Unit::ThenEveryMs(every_ms), what }
    }

    /// The value with its unit, as displayed in the table.
    pub fn amount(&self) -> impl fmt::Display + '_ {
        Amount(self)
    }
}

struct Amount<'a>(&'a Limit);

impl fmt::Display for Amount<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.unit {
            Unit::Count(things) => write!(f, "{} {things}", grouped(self.0.value)),
            Unit::Bytes => f.write_str(&scaled(self.0.value, BYTES)),
            Unit::Millis => f.write_str(&scaled(self.0.value, TIMES)),
            Unit::ThenEveryMs(every) => {
                write!(f, "{}, then one every {}", grouped(self.0.value), scaled(every, TIMES))
            }
        }
    }
}

const BYTES: &[(u64, &str)] = &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")];
const TIMES: &[(u64, &str)] = &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];

/// The number in the largest unit that divides it.
fn scaled(value: u64, units: &[(u64, &str)]) -> String {
    let whole = units.iter().find(|(size, _)| value >= *size && value.is_multiple_of(*size));
    let (size, unit) = whole.or(units.last()).copied().unwrap_or((1, ""));
    format!("{} {unit}", grouped(value / size))
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_use_the_largest_unit_that_divides_them() {
        let amount = |limit: Limit| limit.amount().to_string();
        assert_eq!(amount(Limit::count("a", 20_000, "sockets", "")), "20,000 sockets");
        assert_eq!(amount(Limit::bytes("a", 1 << 20, "")), "1 MiB");
        assert_eq!(amount(Limit::bytes("a", 1_000_000, "")), "1,000,000 bytes");
        assert_eq!(amount(Limit::millis("a", 90_000, "")), "90 s");
        assert_eq!(amount(Limit::millis("a", 7 * 86_400_000, "")), "7 d");
        assert_eq!(amount(Limit::millis("a", 0, "")), "0 ms");
        assert_eq!(amount(Limit::rate("a", 12, 60_000, "")), "12, then one every 1 min");
    }
}
