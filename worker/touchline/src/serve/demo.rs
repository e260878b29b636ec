use std::borrow::Cow;
use std::io;
use std::sync::LazyLock;

use bytes::Bytes;
use rust_embed::RustEmbed;
use touchline_channel::catalogue::{ChannelSource, SourceFile};

/// The demo channels in the binary (a debug build reads them from the checkout). They are served if no folder of
/// channels is configured.
#[derive(Debug, RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../fixtures/channels"]
pub(crate) struct Demo;

/// The files, which stay the same while the worker runs. A debug build reads all of them for their list.
static FILES: LazyLock<Vec<SourceFile>> = LazyLock::new(|| {
    let mut files: Vec<_> = Demo::iter()
        .filter(|path| !path.split('/').any(|part| part.starts_with('.')))
        .filter_map(|path| {
            let file = Demo::get(&path)?;
            let [a, b, c, d, e, f, g, h, ..] = file.metadata.sha256_hash();
            let stamp = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            Some(SourceFile { path: path.into_owned(), len: file.data.len() as u64, stamp })
        })
        .collect();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files
});

impl ChannelSource for Demo {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        Ok(FILES.clone())
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        match Self::get(path).ok_or(io::ErrorKind::NotFound)?.data {
            Cow::Borrowed(data) => Ok(Bytes::from_static(data)),
            Cow::Owned(data) => Ok(Bytes::from(data)),
        }
    }

    fn can_change(&self) -> bool {
        false
    }
}
