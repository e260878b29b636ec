//! File descriptors (`OPS-12`): the soft limit is raised at the start, and connections leave room below it for the
//! worker's own files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that connections leave to the store, the queue, the lake, clips, media and the admin listener.
pub(crate) const OWN_FILES: u64 = 160;
/// Connections that are allowed however few descriptors there are.
const FEWEST: usize = 16;

/// What became of the limit.
#[derive(Debug)]
pub(crate) struct Descriptors {
    asked: usize,
    /// As many connections as there are descriptors for.
    pub(crate) allowed: usize,
    soft: Option<u64>,
    fault: Option<String>,
}

/// Raises the soft limit to the hard one, and gives as many of `connections` as there are descriptors for.
pub(crate) fn prepare(connections: usize) -> Descriptors {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    let (soft, fault) = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => (limit.maximum, None),
        Err(error) => (limit.current, Some(error.to_string())),
    };
    Descriptors { asked: connections, allowed: clamped(connections, soft), soft, fault }
}

impl Descriptors {
    /// Says it in the log, once the worker is sure to begin: a start that is refused says its one reason alone (`OPS-2`).
    pub(crate) fn say(&self) {
        let Self { asked, allowed, soft, fault } = self;
        if let Some(fault) = fault {
            tracing::warn!(fault, soft, "the limit of file descriptors could not be raised");
        }
        if allowed < asked {
            tracing::warn!(
                asked,
                allowed,
                descriptors = soft,
                "limits.connections is more than there are file descriptors for: raise the hard limit of open files (ulimit -Hn, LimitNOFILE=)"
            );
        } else {
            tracing::info!(descriptors = soft, connections = asked, "file descriptors");
        }
    }
}

/// As many of `connections` as `descriptors` leave room for; without a limit, all.
fn clamped(connections: usize, descriptors: Option<u64>) -> usize {
    let Some(descriptors) = descriptors else { return connections };
    let room = usize::try_from(descriptors.saturating_sub(OWN_FILES)).unwrap_or(usize::MAX);
    connections.min(room.max(FEWEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_the_workers_own_files() {
        assert_eq!(clamped(20_000, None), 20_000);
        assert_eq!(clamped(20_000, Some(1 << 20)), 20_000);
        assert_eq!(clamped(20_000, Some(512)), 352);
        assert_eq!(clamped(100, Some(512)), 100);
        assert_eq!(clamped(20_000, Some(64)), FEWEST);
    }
}
