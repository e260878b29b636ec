//! Where video may be watched (`GEO`).

use std::collections::BTreeSet;

/// Where video may be watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeoRules {
    /// ISO 3166-1 alpha-2; empty for everywhere.
    pub allow: BTreeSet<String>,
    /// ISO 3166-1 alpha-2; stronger than `allow`.
    pub deny: BTreeSet<String>,
    /// Whether a viewer whose country is unknown is refused where there is a rule at all.
    pub deny_unknown: bool,
}

impl GeoRules {
    /// Whether these rules ask where a viewer is.
    pub fn is_restricting(&self) -> bool {
        !self.allow.is_empty() || !self.deny.is_empty()
    }

    /// Whether someone in this country (upper case; `None` when unknown) is refused.
    pub fn blocks(&self, country: Option<&str>) -> bool {
        match country {
            _ if !self.is_restricting() => false,
            None => self.deny_unknown,
            Some(code) => self.deny.contains(code) || (!self.allow.is_empty() && !self.allow.contains(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geo_rules_deny_first_then_allow_and_ask_nothing_when_there_are_none() {
        let rules = |allow: &[&str], deny: &[&str], deny_unknown| GeoRules {
            allow: allow.iter().map(|&code| code.to_owned()).collect(),
            deny: deny.iter().map(|&code| code.to_owned()).collect(),
            deny_unknown,
        };
        for (rules, country, blocks) in [
            (rules(&[], &[], true), None, false),
            (rules(&[], &["KP"], false), Some("KP"), true),
            (rules(&[], &["KP"], false), Some("US"), false),
            (rules(&["US"], &[], false), Some("CA"), true),
            (rules(&["US"], &["US"], false), Some("US"), true),
            (rules(&["US"], &[], false), None, false),
            (rules(&["US"], &[], true), None, true),
        ] {
            assert_eq!(rules.blocks(country), blocks, "{rules:?} {country:?}");
        }
    }
}
