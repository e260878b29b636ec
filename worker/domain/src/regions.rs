//! Geo restrictions of video (`GEO`).

use std::collections::BTreeSet;

/// Countries where video may be watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeoRules {
    /// ISO 3166-1 alpha-2 codes; empty for every country.
    pub allow: BTreeSet<String>,
    /// ISO 3166-1 alpha-2 codes; overrides `allow`.
    pub deny: BTreeSet<String>,
    /// Whether a restriction also blocks viewers whose country is unknown.
    pub deny_unknown: bool,
}

impl GeoRules {
    /// Returns whether there is any restriction.
    pub fn is_restricting(&self) -> bool {
        !self.allow.is_empty() || !self.deny.is_empty()
    }

    /// Returns whether viewers in this country (upper case; `None` when unknown) are blocked.
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
    fn geo_rules_apply_deny_before_allow_and_nothing_when_empty() {
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
