//! The systems, each started for one measurement in its own folder, and configured to answer only when every event is
//! on disk.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;

use tempfile::TempDir;

use super::wire::Wire;
use super::{peers, servers};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum System {
    Touchline,
    /// Also writes the Parquet lake, which no other system does.
    TouchlineShipping,
    Bare,
    Redis,
    Postgres,
}

impl System {
    pub(crate) const ALL: [Self; 5] =
        [Self::Touchline, Self::TouchlineShipping, Self::Bare, Self::Redis, Self::Postgres];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Touchline => "Touchline",
            Self::TouchlineShipping => "Touchline, writing its lake meanwhile",
            Self::Bare => "bare append-only file",
            Self::Redis => "Redis 7 stream",
            Self::Postgres => "PostgreSQL 15",
        }
    }

    fn argument(self) -> &'static str {
        match self {
            Self::Touchline => "touchline",
            Self::TouchlineShipping => "shipping",
            _ => "bare",
        }
    }
}

/// A system that runs until it is dropped.
pub(crate) struct Server {
    system: System,
    process: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // PostgreSQL's and runuser's children only exit on a signal that can be handled.
        if let Some(pid) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
            let signal = if self.system == System::Postgres {
                rustix::process::Signal::INT
            } else {
                rustix::process::Signal::KILL
            };
            // It may have exited by itself.
            let _ = rustix::process::kill_process(pid, signal);
        }
        let _ = self.process.wait();
    }
}

impl Server {
    pub(crate) fn start(system: System, postgres_template: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let (process, address) = match system {
            System::Redis => peers::redis(folder.path()),
            System::Postgres => peers::postgres(folder.path(), postgres_template),
            _ => servers::start(system.argument(), folder.path()),
        };
        Self { system, process, address, folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn system(&self) -> System {
        self.system
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn wire(&self) -> Wire {
        match self.system {
            System::Redis => Wire::Redis,
            System::Postgres => Wire::Postgres,
            _ => Wire::Http,
        }
    }
}
