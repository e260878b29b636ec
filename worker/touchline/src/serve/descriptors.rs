//! File descriptors (`OPS-12`): the soft limit is raised at startup, and connections leave room for the worker's own
//! files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File descriptors reserved for the store, queue, lake, clips, media and the admin listener.
pub(crate) const RESERVED_FILES: u64 = 160;
/// Connections allowed regardless of the limit.
const MIN_CONNECTIONS: usize = 16;

#[derive(Debug)]
pub(crate) struct Descriptors {
    asked: usize,
    /// The connections that the limit has room for.
    pub(crate) allowed: usize,
    soft: Option<u64>,
    fault: Option<String>,
}

/// Raises the soft limit to the hard one.
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
    /// Logs the result. Called once startup has succeeded, so that a failed start reports its reason alone (`OPS-2`).
    pub(crate) fn log(&self) {
        let Self { asked, allowed, soft, fault } = self;
        if let Some(fault) = fault {
            tracing::warn!(fault, soft, "the limit of file descriptors could not be raised");
        }
        if allowed < asked {
            tracing::warn!(
                asked,
                allowed,
                descriptors = soft,
                "limits.connections exceeds the available file descriptors: raise the hard limit of open files (ulimit -Hn, LimitNOFILE=)"
            );
        } else {
            tracing::info!(descriptors = soft, connections = asked, "file descriptors");
        }
    }
}

fn clamped(connections: usize, descriptors: Option<u64>) -> usize {
    let Some(descriptors) = descriptors else { return connections };
    let available = usize::try_from(descriptors.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX);
    connections.min(available.max(MIN_CONNECTIONS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_workers_files() {
        assert_eq!(clamped(20_000, None), 20_000);
        assert_eq!(clamped(20_000, Some(1 << 20)), 20_000);
        assert_eq!(clamped(20_000, Some(512)), 352);
        assert_eq!(clamped(100, Some(512)), 100);
        assert_eq!(clamped(20_000, Some(64)), MIN_CONNECTIONS);
    }
}
