//! Sizes of the folders that grow with use (`OPS-16`): measured regularly for `/metrics`, with a warning when one
//! exceeds the configured size.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub(super) const INTERVAL: Duration = Duration::from_secs(600);

#[derive(Debug, Clone)]
pub(crate) struct GrowingFolder {
    /// Its name in metrics and logs.
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
}

/// Measures `folders` until `stop`, and warns once when one exceeds `warn_bytes`.
pub(crate) async fn watch(folders: Vec<GrowingFolder>, warn_bytes: u64, stop: CancellationToken) {
    let mut warned = BTreeSet::new();
    loop {
        for GrowingFolder { name, path } in folders.clone() {
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
        if stop.run_until_cancelled(tokio::time::sleep(INTERVAL)).await.is_none() {
            return;
        }
    }
}

/// The size of all files below a folder. Files that vanish meanwhile or cannot be read count as zero.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_files_count_towards_the_folder_size() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(bytes_below(&folder.path().join("not made yet")), 0);
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::write(folder.path().join("one"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("a/b/two"), [0; 32]).unwrap();
        assert_eq!(bytes_below(folder.path()), 42);
    }
}
