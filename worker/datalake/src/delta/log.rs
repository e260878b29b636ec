//! Reading and committing a table's log. A commit is one file, put only where none of its version is: of two writers
//! one is first, and the other looks again at what it wanted.

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
use super::error::{DeltaError, TRIES};
use super::files::{LogFiles, Name, blocking};
use super::snapshot::Snapshot;
use crate::schema;
use crate::table::Table;

/// Commits that are read at once.
const READ_AT_ONCE: usize = 16;
/// How long a snapshot is gone on from without a look, milliseconds: afterwards the log may have been shortened.
const TRUSTED_MS: i64 = 60 * 60 * 1000;
/// Commits after which a checkpoint is written, in a small table.
const CHECKPOINT_EVERY: u64 = 100;
/// A checkpoint has a line for each file and each removed one: a large one is written less often.
const LINES_PER_COMMIT: u64 = 200;

/// What a commit changes.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// `WRITE`, `OPTIMIZE` or `UPDATE`.
    pub(crate) operation: &'static str,
    /// Whether the rows change, and not only the files that they are in.
    pub(crate) changes_rows: bool,
    pub(crate) add: Vec<Add>,
    /// Paths.
    pub(crate) remove: Vec<String>,
    /// How far a writer is with it.
    pub(crate) writer: Option<(String, i64)>,
}

/// The log of one table.
pub(crate) struct DeltaLog {
    files: LogFiles,
    table: Table,
    clock: SharedClock,
    entropy: SharedEntropy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// None before the log was read, or when it must be read anew.
    snapshot: Option<Arc<Snapshot>>,
    /// When it was last known to be the newest, Unix milliseconds.
    seen_ms: i64,
    /// A put may have come there though it failed.
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

    /// The table as it is now.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) async fn snapshot(&self) -> Result<Arc<Snapshot>, DeltaError> {
        let mut state = self.state.lock().await;
        self.refresh(&mut state, true).await
    }

    /// Makes the table if it is not there, of the files that `found` names, and gives it the columns that it has not yet.
    ///
    /// # Errors
    /// When the log cannot be read or written.
    pub(crate) async fn make<'a>(
        &self,
        found: impl Fn() -> BoxFuture<'a, Result<Vec<Add>, DeltaError>>,
    ) -> Result<(), DeltaError> {
        let wanted = schema::delta_schema(self.table);
        let mut state = self.state.lock().await;
        for _ in 0..TRIES {
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

    /// Whether the table has columns that this worker does not know: a newer worker is here too.
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
    /// When the log cannot be read.
    pub(crate) async fn has(&self, writer: &str, version: i64) -> Result<bool, DeltaError> {
        let mut state = self.state.lock().await;
        Ok(self.refresh(&mut state, false).await?.has(writer, version))
    }

    /// Commits what `plan` says of the newest version; it is asked again where another commit was first. False when it
    /// has nothing (more) to say.
    ///
    /// # Errors
    /// When the log cannot be read or written. Whether the commit is there is found out by the next look.
    pub(crate) async fn commit(&self, plan: impl Fn(&Snapshot) -> Option<Change>) -> Result<bool, DeltaError> {
        let mut state = self.state.lock().await;
        for n in 0..TRIES {
            let snapshot = self.refresh(&mut state, n > 0).await?;
            let Some(change) = plan(&snapshot) else { return Ok(false) };
            let version = snapshot.next();
            // One that is held here as well would be copied whole to take the commit in.
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

    /// Puts the commit `version`; false when another one was first.
    async fn put(&self, state: &mut State, version: u64, lines: Vec<Line>) -> Result<bool, DeltaError> {
        let path = self.files.path(Name::Commit(version));
        let bytes = encoded(&lines)?;
        // Until it is known how this went, the log has to be looked at.
        state.is_unsure = true;
        match self.files.store.put_opts(&path, bytes.clone().into(), PutMode::Create.into()).await {
            Ok(_) => {}
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                // A put whose answer was lost and that was sent again finds itself.
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

    /// The newest version, read as far as it is not known. Without `looks` a version that was the newest a moment ago
    /// is enough: a commit finds out.
    async fn refresh(&self, state: &mut State, looks: bool) -> Result<Arc<Snapshot>, DeltaError> {
        let now_ms = self.clock.now_ms();
        let is_recent = now_ms.saturating_sub(state.seen_ms) < TRUSTED_MS;
        match &state.snapshot {
            Some(snapshot) if is_recent && !looks && !state.is_unsure => return Ok(Arc::clone(snapshot)),
            Some(snapshot) if is_recent && snapshot.version.is_some() => self.read_next(state).await?,
            _ => self.load(state).await?,
        }
        (state.is_unsure, state.seen_ms) = (false, now_ms);
        Ok(Arc::clone(state.snapshot.get_or_insert_default()))
    }

    /// Reads the commits after the one that is known.
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

    /// Writes a checkpoint when many commits came since the last one. A reader does without it: what fails is told.
    async fn checkpoint_if_due(&self, state: &mut State) {
        let Some(snapshot) = state.snapshot.as_mut() else { return };
        let Some(version) = snapshot.version else { return };
        let lines = (snapshot.files.len() + snapshot.removed.len()) as u64;
        // There is one from the first commit on: who reads the log without a library need not ask.
        let is_due = |last: u64| version - last >= CHECKPOINT_EVERY + lines / LINES_PER_COMMIT;
        if !state.checkpoint.is_none_or(is_due) {
            return;
        }
        Arc::make_mut(snapshot).forget_old(self.clock.now_ms());
        let snapshot = Arc::clone(snapshot);
        match self.files.write_checkpoint(version, snapshot).await {
            Ok(()) => state.checkpoint = Some(version),
            Err(error) => tracing::warn!(table = self.table.name(), %error, "a checkpoint was not written"),
        }
    }

    /// Removes what no version of the last seven days needs.
    ///
    /// # Errors
    /// When the store does not answer.
    pub(crate) async fn shorten(&self) -> Result<(), DeltaError> {
        self.files.shorten(self.clock.now_ms()).await
    }
}

#[cfg(test)]
mod tests;
