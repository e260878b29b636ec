//! Faults of a channel folder, for its operator.

use std::cell::RefCell;
use std::fmt;
use std::io;

/// A fault in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Path from the root of the channels: `northfield/events.json`.
    pub file: String,
    /// Path within the file: `[3].participant_ids[0]`. Empty for the file as a whole.
    pub field: String,
    /// Description of the fault and of a valid value.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, field, problem } = self;
        if field.is_empty() { write!(f, "{file}: {problem}") } else { write!(f, "{file}: {field}: {problem}") }
    }
}

/// All faults of a set of channel folders, sorted by file and field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// The one fault of a whole folder.
    pub(crate) fn of_folder(key: &str, problem: impl Into<String>) -> Self {
        Self(vec![Fault { file: key.to_owned(), field: String::new(), problem: problem.into() }])
    }

    /// The first fault, in one line.
    pub fn first(&self) -> String {
        self.0.first().map(ToString::to_string).unwrap_or_default()
    }
}

/// Collects faults. Reading continues after each, so that all are reported together.
#[derive(Debug, Default)]
pub(crate) struct Findings(RefCell<Vec<Fault>>);

impl Findings {
    pub(crate) fn add(&self, file: &str, field: impl Into<String>, problem: impl Into<String>) {
        self.0.borrow_mut().push(Fault { file: file.to_owned(), field: field.into(), problem: problem.into() });
    }

    pub(crate) fn extend(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.borrow_mut().extend(faults);
    }

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

/// Reasons why channels could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ChannelsError {
    /// The folder of channels cannot be listed.
    #[error("the channels cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The files kept changing while they were read.
    #[error("the channels kept changing while they were read")]
    Changing,
    /// At least one file has a fault.
    #[error(transparent)]
    Faulty(#[from] Faults),
}
