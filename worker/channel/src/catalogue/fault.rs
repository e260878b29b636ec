//! What is wrong with a channel folder, for its operator.

use std::cell::RefCell;
use std::fmt;
use std::io;

/// One fault of one field of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// From the root of the channels: `northfield/events.json`.
    pub file: String,
    /// Within the file: `[3].participant_ids[0]`; empty for the file as a whole.
    pub field: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, field, problem } = self;
        if field.is_empty() { write!(f, "{file}: {problem}") } else { write!(f, "{file}: {field}: {problem}") }
    }
}

/// Every fault of a set of channel folders, in the order of files and fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

/// Faults as they are found; reading goes on after each, so that all are told at once.
#[derive(Debug, Default)]
pub(crate) struct Findings(RefCell<Vec<Fault>>);

impl Findings {
    pub(crate) fn add(&self, file: &str, field: impl Into<String>, problem: impl Into<String>) {
        self.0.borrow_mut().push(Fault { file: file.to_owned(), field: field.into(), problem: problem.into() });
    }

    /// All of them, or nothing when there were none.
    pub(crate) fn into_result(self) -> Result<(), Faults> {
        let mut faults = self.0.into_inner();
        if faults.is_empty() {
            return Ok(());
        }
        faults.sort();
        faults.dedup();
        Err(Faults(faults))
    }
}

/// Why channels could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ChannelsError {
    /// The folder of channels cannot be listed.
    #[error("the channels cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// What was read is of no one moment.
    #[error("the channels change while they are read")]
    Changing,
    /// Something in it is wrong.
    #[error(transparent)]
    Faulty(#[from] Faults),
}
