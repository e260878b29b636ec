//! One row of the limits table (`LIM-6`): what `docs/security.md` says under *Limits*.
//!
//! A module that has a limit makes its row from its own constant; its crate lists them, `touchline` writes the table,
//! and a test fails where the page says another number.

use std::fmt;

/// A number that bounds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What it bounds. The key of the setting, where an operator can change it.
    pub name: &'static str,
    /// The number.
    pub value: u64,
    /// What it counts.
    pub unit: Unit,
    /// What it holds back, and what happens beyond it.
    pub what: &'static str,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Things of this name.
    Count(&'static str),
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Millis,
    /// So many at once, then one after each of these milliseconds.
    ThenEveryMs(u64),
}

impl Limit {
    /// So many `things`.
    pub const fn count(name: &'static str, value: u64, things: &'static str, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Count(things), what }
    }

    /// So many bytes.
    pub const fn bytes(name: &'static str, value: u64, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Bytes, what }
    }

    /// So many milliseconds.
    pub const fn millis(name: &'static str, value: u64, what: &'static str) -> Self {
        Self { name, value, unit: Unit::Millis, what }
    }

    /// So long.
    pub const fn time(name: &'static str, value: std::time::Duration, what: &'static str) -> Self {
        Self::millis(name, value.as_millis() as u64, what)
    }

    /// So many at once, then one after each `every_ms`.
    pub const fn rate(name: &'static str, burst: u64, every_ms: u64, what: &'static str) -> Self {
        Self { name, value: burst, unit: Unit::ThenEveryMs(every_ms), what }
    }

    /// The number with its unit, as the table shows it.
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
                write!(f, "{}, then one each {}", grouped(self.0.value), scaled(every, TIMES))
            }
        }
    }
}

const BYTES: &[(u64, &str)] = &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")];
const TIMES: &[(u64, &str)] = &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];

/// A number in the largest unit that it is a whole number of.
fn scaled(value: u64, units: &[(u64, &str)]) -> String {
    let whole = units.iter().find(|(size, _)| value >= *size && value.is_multiple_of(*size));
    let (size, unit) = whole.or(units.last()).copied().unwrap_or((1, ""));
    format!("{} {unit}", grouped(value / size))
}

/// A number with a comma at each thousand.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
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
    fn amounts_are_written_in_the_largest_whole_unit() {
        let amount = |limit: Limit| limit.amount().to_string();
        assert_eq!(amount(Limit::count("a", 20_000, "sockets", "")), "20,000 sockets");
        assert_eq!(amount(Limit::bytes("a", 1 << 20, "")), "1 MiB");
        assert_eq!(amount(Limit::bytes("a", 1_000_000, "")), "1,000,000 bytes");
        assert_eq!(amount(Limit::millis("a", 90_000, "")), "90 s");
        assert_eq!(amount(Limit::millis("a", 7 * 86_400_000, "")), "7 d");
        assert_eq!(amount(Limit::millis("a", 0, "")), "0 ms");
        assert_eq!(amount(Limit::rate("a", 12, 60_000, "")), "12, then one each 1 min");
    }
}
