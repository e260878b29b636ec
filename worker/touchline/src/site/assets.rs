//! The web client as built in `web/dist`. A release build embeds it; a debug build reads it from disk, so that a new
//! build of the web takes effect immediately.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use rust_embed::{EmbeddedFile, RustEmbed};
use touchline_http::{Effort, NegotiatedBody};

/// The suffix of files compressed at build time.
const BROTLI: &str = ".br";
/// The folder of files whose names contain a hash of their content.
pub(super) const HASHED: &str = "assets/";
/// The size of the largest file of a build, uncompressed, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../web/dist"]
#[allow_missing = true]
struct Dist;

/// The built web client, with each file compressed once.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    files: Files,
    contents: Mutex<HashMap<String, Arc<NegotiatedBody>>>,
}

#[derive(Debug, Default)]
enum Files {
    #[default]
    Built,
    #[cfg(test)]
    Layers(&'static [(&'static str, &'static str)]),
}

impl Assets {
    #[cfg(test)]
    pub(crate) fn with_files(files: &'static [(&'static str, &'static str)]) -> Self {
        Self { files: Files::Layers(files), contents: Mutex::default() }
    }

    /// The file at `path`, without a leading slash. Files that only the build uses are not served.
    pub(crate) fn get(&self, path: &str) -> Option<Arc<NegotiatedBody>> {
        // `.vite/manifest.json` and the like describe the build and are not public. A precompressed file is served
        // under its plain name.
        if path.ends_with(BROTLI) || path.split('/').any(|part| part.starts_with('.')) {
            return None;
        }
        let (bytes, hash) = self.read(path)?;
        let mut contents = self.contents.lock();
        if let Some(content) = contents.get(path).filter(|content| content.hash() == hash) {
            return Some(Arc::clone(content));
        }
        let brotli = self.read(&format!("{path}{BROTLI}")).map(|(bytes, _)| bytes);
        let content =
            Arc::new(NegotiatedBody::with_hash(bytes, media_type(path), hash, Effort::High).with_brotli(brotli));
        contents.insert(path.to_owned(), Arc::clone(&content));
        Some(content)
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(path)?.0.into()).ok()
    }

    /// The paths of the files whose names contain a hash of their content.
    pub(crate) fn hashed_paths(&self) -> Vec<String> {
        let is_hashed = |path: &str| path.starts_with(HASHED) && !path.ends_with(BROTLI);
        match self.files {
            Files::Built => Dist::iter().filter(|path| is_hashed(path)).map(|path| path.into_owned()).collect(),
            #[cfg(test)]
            Files::Layers(files) => {
                files.iter().map(|(path, _)| (*path).to_owned()).filter(|path| is_hashed(path)).collect()
            }
        }
    }

    /// The file as stored in the build, and whether it is compressed with brotli.
    pub(crate) fn encoded(&self, path: &str) -> Option<(Bytes, bool)> {
        let compressed = self.read(&format!("{path}{BROTLI}")).map(|(bytes, _)| (bytes, true));
        compressed.or_else(|| self.read(path).map(|(bytes, _)| (bytes, false)))
    }

    fn read(&self, path: &str) -> Option<(Bytes, String)> {
        match self.files {
            Files::Built => {
                let file = Dist::get(path)?;
                let hash = hex::encode(&file.metadata.sha256_hash()[..16]);
                Some((bytes_of(file), hash))
            }
            #[cfg(test)]
            Files::Layers(files) => {
                let (_, text) = files.iter().find(|(name, _)| *name == path)?;
                Some((Bytes::from_static(text.as_bytes()), touchline_http::hash_of(text.as_bytes())))
            }
        }
    }

    /// Compresses all files in advance, for a release build, whose files do not change.
    pub(crate) async fn warm(&self) {
        for path in Dist::iter() {
            if let Some(content) = self.get(&path) {
                content.compress().await;
            }
        }
    }
}

/// A file from another build; `None` if it cannot be decompressed.
pub(super) fn of_another_build(path: &str, bytes: Vec<u8>, is_brotli: bool) -> Option<Arc<NegotiatedBody>> {
    let (plain, compressed) = if is_brotli {
        let mut plain = Vec::new();
        brotli::Decompressor::new(&*bytes, 4096).take(MAX_FILE_BYTES).read_to_end(&mut plain).ok()?;
        (plain, Some(Bytes::from(bytes)))
    } else {
        (bytes, None)
    };
    Some(Arc::new(NegotiatedBody::new(plain, media_type(path), Effort::High).with_brotli(compressed)))
}

/// Whether a path can be a file of a build: `assets/`, a name, a hash and an ending.
pub(super) fn is_hashed_name(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    path.strip_prefix(HASHED).is_some_and(|name| {
        (1..=120).contains(&name.len()) && name.contains('.') && name.contains('-') && name.bytes().all(is_plain)
    })
}

fn bytes_of(file: EmbeddedFile) -> Bytes {
    match file.data {
        std::borrow::Cow::Borrowed(data) => Bytes::from_static(data),
        std::borrow::Cow::Owned(data) => Bytes::from(data),
    }
}

/// The media type of a file, by its extension.
fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("webp") => "image/webp",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
