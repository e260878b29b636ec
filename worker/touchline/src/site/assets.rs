//! The web client as built in `web/dist`. A release build embeds it; a debug build reads it from disk, so that a new
//! build of the web takes effect immediately.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::content::Content;

/// The suffix of files compressed at build time.
const BROTLI: &str = ".br";

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../web/dist"]
#[allow_missing = true]
struct Dist;

/// The built web client, with each file compressed once.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    files: Files,
    contents: Mutex<HashMap<String, Arc<Content>>>,
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
    pub(crate) fn given(files: &'static [(&'static str, &'static str)]) -> Self {
        Self { files: Files::Layers(files), contents: Mutex::default() }
    }

    /// The file at `path`, without a leading slash. Files that only the build uses are not served.
    pub(crate) fn get(&self, path: &str) -> Option<Arc<Content>> {
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
        let content = Arc::new(Content::new(bytes, media_type(path), hash).with_brotli(brotli));
        contents.insert(path.to_owned(), Arc::clone(&content));
        Some(content)
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(path)?.0.into()).ok()
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
                Some((Bytes::from_static(text.as_bytes()), super::hash_of(text.as_bytes())))
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
