//! The data folder: created if missing, locked by one worker at a time.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use touchline_protocol::ambient::Entropy;

use crate::admin::client::{ADDRESS_FILE, TOKEN_FILE};
use crate::config::ConfigError;

/// A data folder locked by this process.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if missing, and locks it.
    pub(crate) fn lock(path: &Path) -> Result<Self, ConfigError> {
        let fault = |fault: std::io::Error| ConfigError(format!("data folder {}: {fault}", path.display()));
        // It holds personal data, so no other user may read it.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(fault)?;
        std::fs::read_dir(path).map_err(fault)?;
        restrict(path).map_err(fault)?;
        let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path.join("lock"));
        let mut lock = lock.map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(fault(error)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The message is clear without the process id.
                let _read = lock.read_to_string(&mut holder).is_ok();
                let holder = if holder.is_empty() { String::new() } else { format!(" (process {})", holder.trim()) };
                return Err(ConfigError(format!("data folder {}: in use by another worker{holder}", path.display())));
            }
        }
        lock.set_len(0).and_then(|()| lock.seek(SeekFrom::Start(0)).map(drop)).map_err(fault)?;
        writeln!(lock, "{}", std::process::id()).map_err(fault)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Generates the token of this run and writes it to a file for its owner only.
    pub(crate) fn create_token(&self, entropy: &dyn Entropy) -> std::io::Result<String> {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        let token = hex::encode(bytes);
        self.write_private(TOKEN_FILE, &token)?;
        Ok(token)
    }

    /// Writes the address of the admin listener.
    pub(crate) fn write_address(&self, address: SocketAddr) -> std::io::Result<()> {
        self.write_private(ADDRESS_FILE, &address.to_string())
    }

    /// Writes a file atomically. Only its owner can ever read it.
    fn write_private(&self, name: &str, text: &str) -> std::io::Result<()> {
        let new = self.path.join(format!("{name}.new"));
        if let Err(error) = std::fs::remove_file(&new)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        writeln!(file, "{text}")?;
        std::fs::rename(new, self.path.join(name))
    }
}

/// Removes the permissions of other users from a folder (`OPS-8`).
fn restrict(path: &Path) -> std::io::Result<()> {
    let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let describe = |error| {
        let why =
            format!("other users may enter it (mode {mode:o}), and this cannot be changed: {error}; run chmod 700");
        std::io::Error::other(why)
    };
    std::fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(describe)?;
    tracing::warn!(folder = %path.display(), "other users could enter the data folder (mode {mode:o}); it is now restricted to its owner");
    Ok(())
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::SeededEntropy;

    use super::*;

    #[test]
    fn a_folder_is_created_and_locked_until_released() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        let first_lock = DataFolder::lock(&path).unwrap();
        let fault = DataFolder::lock(&path).unwrap_err().to_string();
        assert!(fault.contains(path.to_str().unwrap()) && fault.contains("in use by another worker"), "{fault}");
        assert!(fault.contains(&format!("process {}", std::process::id())), "{fault}");
        drop(first_lock);
        DataFolder::lock(&path).unwrap();
    }

    #[test]
    fn a_file_instead_of_a_folder_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let fault = DataFolder::lock(file.path()).unwrap_err().to_string();
        assert!(fault.contains(file.path().to_str().unwrap()), "{fault}");
    }

    #[test]
    fn the_token_is_private_and_new_each_time() {
        let root = tempfile::tempdir().unwrap();
        let folder = DataFolder::lock(root.path()).unwrap();
        let entropy = SeededEntropy::new(1);
        let first = folder.create_token(&*entropy).unwrap();
        let second = folder.create_token(&*entropy).unwrap();
        assert_ne!(first, second);
        let file = root.path().join(TOKEN_FILE);
        assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), second);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
