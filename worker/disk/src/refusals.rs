//! Refused writes by purpose, with the start and the end of refusing.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Purpose;

/// Writes refused for lack of space, since the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Refused {
    /// The purpose of the writes.
    pub purpose: Purpose,
    /// Whether they are refused at the moment.
    pub now: bool,
    /// Number of refused writes.
    pub count: u64,
}

/// A change that is worth a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The first refused write.
    Started,
    /// Writes are accepted again, after this many refusals since the start of the process.
    Ended(u64),
}

/// Counts refused writes.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<BTreeMap<Purpose, Refusal>>);

#[derive(Debug, Default, Clone, Copy)]
struct Refusal {
    now: bool,
    count: u64,
}

impl Refusals {
    /// Counts a refused write.
    pub fn refuse(&self, purpose: Purpose) -> Option<Change> {
        let mut refusals = self.0.lock();
        let refusal = refusals.entry(purpose).or_default();
        refusal.count += 1;
        let began = !std::mem::replace(&mut refusal.now, true);
        began.then_some(Change::Started)
    }

    /// Notes that writes are accepted.
    pub fn admit(&self, purpose: Purpose) -> Option<Change> {
        let mut refusals = self.0.lock();
        let refusal = refusals.get_mut(&purpose).filter(|refusal| refusal.now)?;
        refusal.now = false;
        Some(Change::Ended(refusal.count))
    }

    /// Each purpose that was refused.
    pub fn list(&self) -> Vec<Refused> {
        let refusals = self.0.lock();
        refusals
            .iter()
            .map(|(purpose, refusal)| Refused { purpose: *purpose, now: refusal.now, count: refusal.count })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_and_the_end_of_refusing_are_changes() {
        let refusals = Refusals::default();
        assert_eq!(refusals.admit(Purpose::Sales), None);
        assert_eq!(refusals.list(), []);
        assert_eq!([(); 3].map(|()| refusals.refuse(Purpose::Sales)), [Some(Change::Started), None, None]);
        assert_eq!(refusals.list(), [Refused { purpose: Purpose::Sales, now: true, count: 3 }]);
        assert_eq!([(); 2].map(|()| refusals.admit(Purpose::Sales)), [Some(Change::Ended(3)), None]);
        assert_eq!(refusals.refuse(Purpose::Sales), Some(Change::Started));
        assert_eq!(refusals.list(), [Refused { purpose: Purpose::Sales, now: true, count: 4 }]);
    }
}
