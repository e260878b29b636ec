//! Reads and commits a table's log. A commit is one file, created only if no file of its version exists. Of two writers
//! one is first; the other reads the new version and plans again.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode};
use tokio::sync::Mutex;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};

use super::actions::{
    Add, CommitInfo, Format, Line, MetaData, Protocol, READER_VERSION, Remove, Txn, WRITER_VERSION, decoded, encoded,
};
use super::checkpoint;
use super::error::{DeltaError, MAX_ATTEMPTS};
use super::files::{LogFiles, Name, blocking};
use super::snapshot::Snapshot;
use crate::schema;
use crate::table::Table;

/// Commits that are read concurrently.
const READ_AT_ONCE: usize = 16;
/// Longest use of a snapshot without looking for newer commits, milliseconds. Later the log may have been shortened.
const MAX_SNAPSHOT_AGE_MS: i64 = 60 * 60 * 1000;
/// Commits between checkpoints of a small table.
const CHECKPOINT_INTERVAL: u64 = 100;
/// A checkpoint has a line for each current and each removed file, so large ones are written less often.
const LINES_PER_COMMIT: u64 = 200;

#[derive(Debug, Default)]
pub(crate) struct Change {
    /// `WRITE`, `OPTIMIZE` or `UPDATE`.
    pub(crate) operation: &'static str,
    /// Whether rows change, and not only the files that contain them.
    pub(crate) changes_rows: bool,
    pub(crate) add: Vec<Add>,
    /// Paths.
    pub(crate) remove: Vec<String>,
    /// The writer and its progress.
    pub(crate) writer: Option<(String, i64)>,
}

pub(crate) struct DeltaLog {
    files: LogFiles,
    table: Table,
    clock: SharedClock,
    entropy: SharedEntropy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` before the log is read, or if it has to be read again.
    snapshot: Option<Arc<Snapshot>>,
    /// When it was last known to be the newest, Unix milliseconds.
    seen_ms: i64,
    /// A failed put may still have created the file.
    is_unsure: bool,
    /// The newest checkpoint.
    checkpoint: Option<u64>,
}

impl DeltaLog {
    pub(crate) fn new(
        store: Arc<dyn ObjectStore>,
        table: Table,
        root: Path,
        clock: SharedClock,
        entropy: SharedEntropy,
    ) -> Self {
        Self { files: LogFiles::new(store, &root), table, clock, entropy, state: Mutex::default() }
    }

    /// Returns the newest version of the table.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) async fn snapshot(&self) -> Result<Arc<Snapshot>, DeltaError> {
        let mut state = self.state.lock().await;
        self.refresh(&mut state, true).await
    }

    /// Creates a missing table from the files that `found` returns, and adds missing columns.
    ///
    /// # Errors
    /// If the log cannot be read or written.
    pub(crate) async fn create_if_missing<'a>(
        &self,
        found: impl Fn() -> BoxFuture<'a, Result<Vec<Add>, DeltaError>>,
    ) -> Result<(), DeltaError> {
        let wanted = schema::delta_schema(self.table);
        let mut state = self.state.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            let snapshot = self.refresh(&mut state, true).await?;
            let version = snapshot.next();
            let mut lines = vec![self.commit_info("CREATE TABLE")];
            match &snapshot.meta_data {
                Some(there) if there.schema_string == wanted || self.is_older_than(&there.schema_string) => {
                    return Ok(());
                }
                Some(there) => {
                    let meta_data = MetaData { schema_string: wanted.clone(), ..there.clone() };
                    lines.push(Line { meta_data: Some(meta_data), ..Line::default() });
                }
                None => {
                    let protocol = Protocol { min_reader_version: READER_VERSION, min_writer_version: WRITER_VERSION };
                    lines.push(Line { protocol: Some(protocol), ..Line::default() });
                    lines.push(Line { meta_data: Some(self.first_meta_data(wanted.clone())), ..Line::default() });
                    lines.extend(found().await?.into_iter().map(|add| Line { add: Some(add), ..Line::default() }));
                }
            }
            drop(snapshot);
            if self.put(&mut state, version, lines).await? {
                return Ok(());
            }
        }
        Err(DeltaError::Contended)
    }

    /// Whether a newer worker has added columns that this one does not know.
    fn is_older_than(&self, schema_string: &str) -> bool {
        let count = |text: &str| {
            let schema: Option<serde_json::Value> = serde_json::from_str(text).ok();
            schema.and_then(|schema| Some(schema.get("fields")?.as_array()?.len())).unwrap_or(0)
        };
        count(schema_string) > count(&schema::delta_schema(self.table))
    }

    fn first_meta_data(&self, schema_string: String) -> MetaData {
        let configuration = [
            ("delta.deletedFileRetentionDuration", "interval 7 days"),
            ("delta.logRetentionDuration", "interval 7 days"),
        ];
        MetaData {
            id: self.new_id(),
            name: Some(self.table.name().to_owned()),
            format: Format { provider: "parquet".to_owned(), options: [].into() },
            schema_string,
            partition_columns: vec![schema::PARTITION.to_owned()],
            configuration: configuration.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            created_time: Some(self.clock.now_ms()),
        }
    }

    fn new_id(&self) -> String {
        let mut bytes = [0; 16];
        self.entropy.fill(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    fn commit_info(&self, operation: &str) -> Line {
        let commit_info = CommitInfo {
            timestamp: self.clock.now_ms(),
            operation: operation.to_owned(),
            engine_info: concat!("touchline/", env!("CARGO_PKG_VERSION")).to_owned(),
            txn_id: self.new_id(),
        };
        Line { commit_info: Some(commit_info), ..Line::default() }
    }

    /// Whether `writer` committed `version`.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) async fn has(&self, writer: &str, version: i64) -> Result<bool, DeltaError> {
        let mut state = self.state.lock().await;
        Ok(self.refresh(&mut state, false).await?.has(writer, version))
    }

    /// Commits what `plan` returns for the newest version, and plans again if another commit came first. Returns false
    /// if there is nothing to commit.
    ///
    /// # Errors
    /// If the log cannot be read or written. The commit may still exist; the next read finds out.
    pub(crate) async fn commit(&self, plan: impl Fn(&Snapshot) -> Option<Change>) -> Result<bool, DeltaError> {
        let mut state = self.state.lock().await;
        for n in 0..MAX_ATTEMPTS {
            let snapshot = self.refresh(&mut state, n > 0).await?;
            let Some(change) = plan(&snapshot) else { return Ok(false) };
            let version = snapshot.next();
            // A second reference would make the fold copy the whole snapshot.
            drop(snapshot);
            if self.put(&mut state, version, self.lines_of(change)).await? {
                return Ok(true);
            }
        }
        Err(DeltaError::Contended)
    }

    fn lines_of(&self, change: Change) -> Vec<Line> {
        let Change { operation, changes_rows, add, remove, writer } = change;
        let now_ms = self.clock.now_ms();
        let mut lines = vec![self.commit_info(operation)];
        lines.extend(writer.map(|(app_id, version)| Line {
            txn: Some(Txn { app_id, version, last_updated: Some(now_ms) }),
            ..Line::default()
        }));
        lines.extend(remove.into_iter().map(|path| Line {
            remove: Some(Remove { path, deletion_timestamp: Some(now_ms), data_change: changes_rows }),
            ..Line::default()
        }));
        lines.extend(
            add.into_iter().map(|add| Line { add: Some(Add { data_change: changes_rows, ..add }), ..Line::default() }),
        );
        lines
    }

    /// Creates commit `version`. Returns false if another writer was first.
    async fn put(&self, state: &mut State, version: u64, lines: Vec<Line>) -> Result<bool, DeltaError> {
        let path = self.files.path(Name::Commit(version));
        let bytes = encoded(&lines)?;
        // The log has to be read again unless this succeeds.
        state.is_unsure = true;
        match self.files.store.put_opts(&path, bytes.clone().into(), PutMode::Create.into()).await {
            Ok(_) => {}
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                // A retried put whose first answer was lost finds its own file.
                if self.files.store.get(&path).await?.bytes().await? != bytes {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error.into()),
        }
        self.fold(state, version, lines)?;
        (state.is_unsure, state.seen_ms) = (false, self.clock.now_ms());
        self.checkpoint_if_due(state).await;
        Ok(true)
    }

    fn fold(&self, state: &mut State, version: u64, lines: Vec<Line>) -> Result<(), DeltaError> {
        let snapshot = state.snapshot.get_or_insert_default();
        Arc::make_mut(snapshot).fold(version, lines)
    }

    /// Returns the newest version, reading only new commits. Without `checks_newest`, a version that was recently the
    /// newest is enough: a commit detects newer ones.
    async fn refresh(&self, state: &mut State, checks_newest: bool) -> Result<Arc<Snapshot>, DeltaError> {
        let now_ms = self.clock.now_ms();
        let is_recent = now_ms.saturating_sub(state.seen_ms) < MAX_SNAPSHOT_AGE_MS;
        match &state.snapshot {
            Some(snapshot) if is_recent && !checks_newest && !state.is_unsure => return Ok(Arc::clone(snapshot)),
            Some(snapshot) if is_recent && snapshot.version.is_some() => self.read_next(state).await?,
            _ => self.load(state).await?,
        }
        (state.is_unsure, state.seen_ms) = (false, now_ms);
        Ok(Arc::clone(state.snapshot.get_or_insert_default()))
    }

    /// Reads the commits after the known version.
    async fn read_next(&self, state: &mut State) -> Result<(), DeltaError> {
        loop {
            let version = state.snapshot.as_ref().map_or(0, |snapshot| snapshot.next());
            match self.files.store.get(&self.files.path(Name::Commit(version))).await {
                Ok(found) => {
                    let lines = decoded(&found.bytes().await?)?;
                    self.fold(state, version, lines)?;
                }
                Err(object_store::Error::NotFound { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads the newest checkpoint and the commits after it.
    async fn load(&self, state: &mut State) -> Result<(), DeltaError> {
        *state = State::default();
        let names = self.files.names().await?;
        let newest = names.iter().filter_map(|(name, _)| match name {
            Name::Checkpoint(version) => Some(*version),
            Name::Commit(_) => None,
        });
        let mut snapshot = Snapshot::default();
        if let Some(version) = newest.max() {
            let file = self.files.store.get(&self.files.path(Name::Checkpoint(version))).await?.bytes().await?;
            let lines = blocking(move || checkpoint::decoded(file)).await?;
            snapshot.fold(version, lines)?;
            state.checkpoint = Some(version);
        }
        let mut commits: Vec<_> = names
            .into_iter()
            .filter_map(|(name, _)| match name {
                Name::Commit(version) if version >= snapshot.next() => Some(version),
                Name::Commit(_) | Name::Checkpoint(_) => None,
            })
            .collect();
        commits.sort_unstable();
        let mut read = stream::iter(commits)
            .map(|version| {
                let (store, path) = (Arc::clone(&self.files.store), self.files.path(Name::Commit(version)));
                async move { Ok::<_, DeltaError>((version, decoded(&store.get(&path).await?.bytes().await?)?)) }
            })
            .buffered(READ_AT_ONCE);
        while let Some((version, lines)) = read.try_next().await? {
            if version != snapshot.next() {
                return Err(DeltaError::Unreadable(format!("version {} is missing", snapshot.next())));
            }
            snapshot.fold(version, lines)?;
        }
        drop(read);
        snapshot.forget_old(self.clock.now_ms());
        state.snapshot = Some(Arc::new(snapshot));
        Ok(())
    }

    /// Writes a checkpoint if many commits came since the last one. Readers do not depend on it, so a failure is only
    /// logged.
    async fn checkpoint_if_due(&self, state: &mut State) {
        let Some(snapshot) = state.snapshot.as_mut() else { return };
        let Some(version) = snapshot.version else { return };
        let lines = (snapshot.files.len() + snapshot.removed.len()) as u64;
        // The first commit writes one too, so that a reader without a library always finds one.
        let is_due = |last: u64| version - last >= CHECKPOINT_INTERVAL + lines / LINES_PER_COMMIT;
        if !state.checkpoint.is_none_or(is_due) {
            return;
        }
        Arc::make_mut(snapshot).forget_old(self.clock.now_ms());
        let snapshot = Arc::clone(snapshot);
        match self.files.write_checkpoint(version, snapshot).await {
            Ok(()) => state.checkpoint = Some(version),
            Err(error) => tracing::warn!(table = self.table.name(), %error, "could not write a checkpoint"),
        }
    }

    /// Removes files that no version of the last seven days needs.
    ///
    /// # Errors
    /// If the store does not answer.
    pub(crate) async fn shorten(&self) -> Result<(), DeltaError> {
        self.files.shorten(self.clock.now_ms()).await
    }
}

#[cfg(test)]
mod tests;
