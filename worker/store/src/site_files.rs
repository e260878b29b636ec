//! The files of the site's builds (`OPS-32`).

use async_trait::async_trait;

use super::StoreResult;

/// A file whose name contains a hash of its content: the same path is the same file in every build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// The path, without a first slash.
    pub path: String,
    /// The content in base64.
    pub body: String,
    /// Whether the content is compressed with brotli.
    pub is_brotli: bool,
}

/// Files that workers of any build serve.
#[async_trait]
pub trait SiteFiles {
    /// Notes that a build with these paths is served at `at`. Returns the paths that are not stored yet.
    async fn touch_site_files(&self, paths: &[String], at: i64) -> StoreResult<Vec<String>>;
    /// Stores files of a build that is served at `at`, in one transaction.
    async fn store_site_files(&self, files: &[SiteFile], at: i64) -> StoreResult<()>;
    /// The file at a path.
    async fn site_file(&self, path: &str) -> StoreResult<Option<SiteFile>>;
    /// Deletes the files of builds that were last served before `before`. Returns their number.
    async fn delete_site_files(&self, before: i64) -> StoreResult<u64>;
}
