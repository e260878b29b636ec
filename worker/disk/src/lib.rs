//! Disk space and its reservation (`OPS-10`).
//!
//! Only the channel's store may use the last bytes of a volume. Everything else calls [`Disk::admit`] before it
//! writes, and stops while the store can still sell. A refusal is logged when it starts and when it ends, not for every
//! request.

mod errno;
mod purpose;
mod refusals;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use errno::{is_no_space, is_passing, is_passing_text};
pub use purpose::Purpose;
pub use refusals::{Change, Refusals, Refused};

/// Bytes reserved for the store by default.
pub const RESERVE_BYTES: u64 = 64 << 20;

/// Disk space. Clones are cheap and share their state.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    reserve: u64,
    refusals: Refusals,
}

impl Default for Disk {
    fn default() -> Self {
        Self::new(RESERVE_BYTES)
    }
}

/// There is not enough space for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no space for {purpose}: {free} bytes are free, {needed} are needed")]
pub struct NoSpace {
    /// The purpose of the write.
    pub purpose: Purpose,
    /// Free bytes.
    pub free: u64,
    /// Bytes that would have to be free.
    pub needed: u64,
}

impl From<NoSpace> for io::Error {
    fn from(error: NoSpace) -> Self {
        Self::new(io::ErrorKind::StorageFull, error)
    }
}

impl Disk {
    /// A disk with `reserve` bytes for the store.
    pub fn new(reserve: u64) -> Self {
        Self(Arc::new(Inner { reserve, refusals: Refusals::default() }))
    }

    /// Bytes reserved for the store.
    pub fn reserve(&self) -> u64 {
        self.0.reserve
    }

    /// Whether `bytes` may be written for `purpose` on the volume of `folder`.
    ///
    /// # Errors
    /// [`NoSpace`]. The first one is logged, and the end of the shortage.
    pub fn admit(&self, purpose: Purpose, folder: &Path, bytes: u64) -> Result<(), NoSpace> {
        let (free, needed) = (free(folder), bytes.saturating_add(purpose.leaves(self.0.reserve)));
        let admitted = free >= needed;
        self.note(purpose, folder, admitted, free);
        if admitted { Ok(()) } else { Err(NoSpace { purpose, free, needed }) }
    }

    /// Records a decision for which the caller checked the space itself.
    pub fn note(&self, purpose: Purpose, folder: &Path, admitted: bool, free: u64) {
        let refusals = &self.0.refusals;
        let change = if admitted { refusals.admit(purpose) } else { refusals.refuse(purpose) };
        let (label, folder) = (purpose.name(), folder.display());
        if !admitted {
            metrics::counter!("touchline_disk_refused_total", "purpose" => label).increment(1);
        }
        let Some(change) = change else { return };
        metrics::gauge!("touchline_disk_refusing", "purpose" => label).set(f64::from(u8::from(!admitted)));
        match change {
            Change::Started => {
                tracing::error!(purpose = label, %folder, free, reserve = self.0.reserve, "no disk space; writes are refused until there is");
            }
            Change::Ended(_) => tracing::info!(purpose = label, %folder, free, "disk space is available again"),
        }
    }

    /// Writes refused since the start.
    pub fn refused(&self) -> Vec<Refused> {
        self.0.refusals.list()
    }
}

/// Free bytes on the volume of `folder`, or of its closest existing parent. A volume that cannot be queried counts as
/// unlimited.
pub fn free(folder: &Path) -> u64 {
    let volume = folder.ancestors().find_map(|at| {
        let at = if at.as_os_str().is_empty() { Path::new(".") } else { at };
        rustix::fs::statvfs(at).ok()
    });
    volume.map_or(u64::MAX, |volume| volume.f_bavail.saturating_mul(volume.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_and_reported_until_there_is_space() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(1 << 60);
        for _ in 0..3 {
            let refused = disk.admit(Purpose::Clips, folder.path(), 1).unwrap_err();
            assert!(refused.to_string().starts_with("no space for clips: "), "{refused}");
            assert_eq!(io::Error::from(refused).kind(), io::ErrorKind::StorageFull);
        }
        assert_eq!(disk.refused(), [Refused { purpose: Purpose::Clips, now: true, count: 3 }]);
        disk.note(Purpose::Clips, folder.path(), true, 1 << 61);
        assert_eq!(disk.refused(), [Refused { purpose: Purpose::Clips, now: false, count: 3 }]);
    }

    #[test]
    fn a_missing_folder_has_the_space_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free(&folder.path().join("a/b/c")) < u64::MAX);
        Disk::new(0).admit(Purpose::Lake, &folder.path().join("lake"), 1).unwrap();
        assert!(Disk::new(0).admit(Purpose::Lake, folder.path(), u64::MAX).is_err());
    }

    #[test]
    fn deferrable_writes_stop_first() {
        let leaves = |purpose: Purpose| purpose.leaves(800);
        assert!(leaves(Purpose::Clips) > leaves(Purpose::Heartbeats));
        assert!(leaves(Purpose::Heartbeats) > leaves(Purpose::Analytics));
        assert!(leaves(Purpose::Analytics) > leaves(Purpose::Sales));
        assert_eq!(leaves(Purpose::Sales), 800, "only the store uses the reserve");
    }
}
