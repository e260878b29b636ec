//! What the folders that grow with use take on the disk (`OPS-16`): measured now and then, told by `/metrics`, and said
//! in the log when one is larger than the operator wants to hear of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How often they are measured.
pub(super) const EVERY: Duration = Duration::from_secs(600);

/// A folder that grows with use.
#[derive(Debug, Clone)]
pub(crate) struct Growing {
    /// Its name in metrics and in the log.
    pub(crate) name: &'static str,
    /// Where it is.
    pub(crate) path: PathBuf,
}

/// Measures `folders` until `stop`, and warns of each once that takes more than `warn_bytes`.
pub(crate) async fn watch(folders: Vec<Growing>, warn_bytes: u64, stop: CancellationToken) {
    let mut warned = BTreeSet::new();
    loop {
        for Growing { name, path } in folders.clone() {
            let measured = tokio::task::spawn_blocking(move || (bytes_below(&path), path)).await;
            let Ok((bytes, path)) = measured else { continue };
            #[expect(clippy::cast_precision_loss, reason = "a gauge is a float; folders stay far below 2^53 bytes")]
            metrics::gauge!("touchline_folder_bytes", "folder" => name).set(bytes as f64);
            if bytes <= warn_bytes {
                warned.remove(name);
            } else if warned.insert(name) {
                let path = path.display();
                tracing::warn!(folder = name, %path, bytes, warn_bytes, "a folder is larger than disk.warn_bytes");
            }
        }
        if stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}

/// The bytes of all files below a folder; what goes away meanwhile, or cannot be read, counts nothing.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(facts) if facts.is_dir() => bytes_below(&entry.path()),
            Ok(facts) => facts.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_what_its_files_take_however_deep() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(bytes_below(&folder.path().join("not made yet")), 0);
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::write(folder.path().join("one"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("a/b/two"), [0; 32]).unwrap();
        assert_eq!(bytes_below(folder.path()), 42);
    }
}
