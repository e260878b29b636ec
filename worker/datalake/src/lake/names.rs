//! File names. The name of a shipped file identifies its content, so that a file written again after a crash is the
//! same file. Compacted and rewritten files have unique names.

/// The parsed name of a shipped file, which covers a range of queue offsets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileName {
    pub(crate) node: String,
    pub(crate) epoch: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FileName {
    /// Offsets are padded, so that the files of an epoch sort in order.
    pub(crate) fn text(&self) -> String {
        format!("{}-{}-{:012}-{:012}.parquet", self.node, self.epoch, self.first, self.last)
    }

    /// Parses a name. A node's name contains no `-`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_suffix(".parquet")?.split('-');
        let name = Self {
            node: parts.next()?.to_owned(),
            epoch: parts.next()?.to_owned(),
            first: parts.next()?.parse().ok()?,
            last: parts.next()?.parse().ok()?,
        };
        (parts.next().is_none() && name.first <= name.last).then_some(name)
    }

    /// Whether this file contains everything of `part`. Earlier builds left a compacted file beside its parts.
    pub(crate) fn covers(&self, part: &Self) -> bool {
        let same_queue = (&self.node, &self.epoch) == (&part.node, &part.epoch);
        self != part && same_queue && self.first <= part.first && part.last <= self.last
    }
}

/// The worker that writes a file of this name.
pub(crate) fn node_of(text: &str) -> Option<&str> {
    if FileName::parse(text).is_some() {
        return text.split('-').next();
    }
    let (node, _) = ["joined-", "erased-"].into_iter().find_map(|kind| text.strip_prefix(kind))?.split_once('-')?;
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> FileName {
        FileName::parse(text).unwrap()
    }

    #[test]
    fn a_file_name_is_parsed_and_other_names_are_refused() {
        let file = FileName { node: "n1".into(), epoch: "019aa5c3f2b1c0de".into(), first: 0, last: 41 };
        assert_eq!(name(&file.text()), file);
        for other in ["x.parquet", "n-e-5-4.parquet", "n-e-1-2-3.parquet", "n-e-1-2.parquet#1", "n-e-1-x.parquet"] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
        assert_eq!(FileName::parse("joined-019aa5c3f2b1c0de.parquet"), None);
    }

    #[test]
    fn a_file_name_identifies_its_writer() {
        for name in ["n1-e-0-9.parquet", "joined-n1-0a.parquet", "erased-n1-0b.parquet"] {
            assert_eq!(node_of(name), Some("n1"), "{name}");
        }
        assert_eq!(node_of("joined-0a.parquet"), None);
        assert_eq!(node_of("00000000000000000009.json"), None);
    }

    #[test]
    fn a_compacted_file_covers_only_its_parts() {
        let compacted = name("n-e-0-9.parquet");
        assert!(compacted.covers(&name("n-e-0-4.parquet")) && compacted.covers(&name("n-e-5-9.parquet")));
        for other in ["n-e-0-9.parquet", "m-e-0-4.parquet", "n-f-0-4.parquet", "n-e-5-10.parquet"] {
            assert!(!compacted.covers(&name(other)), "{other}");
        }
    }
}
