//! Loading of channel folders: one by one, and side by side at the start.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Channels;
use super::states::{ChannelState, Current, HostOwners, Refusal, claims_of};
use crate::catalogue::fault::{ChannelsError, Faults};
use crate::catalogue::read::{self, Claims, FolderReading};
use crate::catalogue::snapshot::ChannelSnapshot;
use crate::catalogue::sound_states::RecordingSource;
use crate::source::{ChannelSource, SourceFile};

/// Attempts to read a folder that changes during the reading.
const MAX_READS: usize = 5;

/// A channel folder that was read, with the files it then had.
struct Loaded {
    /// `None` if the files could not be listed.
    files: Option<Vec<SourceFile>>,
    reading: FolderReading,
    recording: RecordingSource,
}

/// The start.
impl Channels {
    /// Loads these folders side by side. Sound channels take their hosts before faulty ones.
    pub(super) fn open_all(&self, keys: &[String], owners: HostOwners) {
        let mut folders: Vec<(&String, Loaded)> = keys.iter().zip(self.load_side_by_side(keys)).collect();
        // Somebody has just created it.
        folders
            .retain(|(key, loaded)| loaded.files.as_ref().is_none_or(|files| !files.is_empty()) || self.is_stored(key));
        folders.sort_by_key(|(_, loaded)| loaded.reading.result.is_err());
        let claims = |key: &str, is_claimed: &dyn Fn(&Claims) -> bool| {
            let folder = folders.iter().find(|(folder, _)| *folder == key);
            // A faulty channel retains its hosts.
            folder
                .is_some_and(|(_, loaded)| loaded.reading.result.as_ref().map_or(true, |it| is_claimed(&claims_of(it))))
        };
        let HostOwners { mut hosts, mut fallback } = owners;
        hosts.retain(|host, key| claims(key, &|claims| claims.hosts.contains(host)));
        fallback = fallback.filter(|key| claims(key, &|claims| claims.fallback));
        *self.current.write() = Current { by_key: HashMap::new(), by_host: hosts.into_iter().collect(), fallback };
        for (key, loaded) in folders {
            // Faults are logged together.
            let _refused = self.apply(key, loaded).is_err();
        }
    }

    fn load_side_by_side(&self, keys: &[String]) -> Vec<Loaded> {
        let part = keys.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let load = |key: &String| self.load(key, None).unwrap_or_else(|error| self.unreadable(key, &error));
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                keys.chunks(part).map(|keys| (keys, scope.spawn(move || keys.iter().map(load).collect()))).collect();
            let parts = threads.into_iter().map(|(keys, thread)| {
                let panicked = |_| keys.iter().map(|key| self.unreadable(key, &"the reader panicked")).collect();
                thread.join().unwrap_or_else(panicked)
            });
            parts.collect::<Vec<Vec<_>>>().into_iter().flatten().collect()
        })
    }
}

/// Loading.
impl Channels {
    pub(super) fn next_generation(&self) -> u64 {
        self.loads.fetch_add(1, Ordering::Relaxed)
    }

    /// Loads a consistent state of a folder: if it changed while it was read, it is read again, whatever was found.
    /// With `still`, only the state with these files is loaded, since another one may be half a save.
    fn load(&self, key: &str, still: Option<&[SourceFile]>) -> Result<Loaded, ChannelsError> {
        let mut files = self.source.files_of(key)?;
        for _ in 0..MAX_READS {
            if still.is_some_and(|still| still != files) {
                break;
            }
            let recording = RecordingSource::new(Arc::clone(&self.source));
            let reading = read::folder(&recording, key, &files, &self.options, self.next_generation());
            let after = if self.source.can_change() { self.source.files_of(key)? } else { files.clone() };
            if after == files {
                return Ok(Loaded { files: Some(files), reading, recording });
            }
            files = after;
        }
        Err(ChannelsError::Changing)
    }

    fn unreadable(&self, key: &str, error: &dyn Display) -> Loaded {
        let reading = FolderReading { result: Err(Faults::of_folder(key, error.to_string())), claims: None };
        Loaded { files: None, reading, recording: RecordingSource::new(Arc::clone(&self.source)) }
    }

    /// Loads a folder and replaces its channel, unless the folder is faulty. With `still`, only the state with these
    /// files is loaded.
    pub(super) fn load_and_apply(&self, key: &str, still: Option<&[SourceFile]>) -> Result<(), ChannelsError> {
        let lock = Arc::clone(self.loading.lock().entry(key.to_owned()).or_default());
        let _guard = lock.lock();
        let loaded = match self.load(key, still) {
            Err(ChannelsError::Changing) => return Err(ChannelsError::Changing),
            loaded => loaded.unwrap_or_else(|error| self.unreadable(key, &error)),
        };
        Ok(self.apply(key, loaded)?)
    }

    fn apply(&self, key: &str, loaded: Loaded) -> Result<(), Faults> {
        let Loaded { files, reading, recording } = loaded;
        let files_found = files.clone().unwrap_or_default();
        let (faults, conflicting_claims) = match reading.result {
            Ok(snapshot) => {
                let claims = claims_of(&snapshot);
                self.current.write().exchange(key, &claims);
                match self.install(key, snapshot, files_found, &recording) {
                    Ok(()) => return Ok(()),
                    Err(conflict) => (conflict, Some(claims)),
                }
            }
            Err(faults) => (faults, None),
        };
        self.refuse(key, reading.claims, Refusal { files, faults: faults.clone(), conflicting_claims });
        Err(faults)
    }

    /// Serves a sound channel, unless another one has its hosts.
    fn install(
        &self,
        key: &str,
        mut snapshot: ChannelSnapshot,
        files: Vec<SourceFile>,
        recording: &RecordingSource,
    ) -> Result<(), Faults> {
        let claims = claims_of(&snapshot);
        let conflicts = self.current.read().conflicts(key, &claims);
        conflicts.map_or(Ok(()), Err)?;
        if let Some(states) = &self.states {
            states.store(key, &files, recording);
        }
        let mut overlays = self.overlays.lock();
        let overlay = overlays.entry(key.to_owned()).or_default();
        overlay.apply(&mut snapshot);
        let announced = std::mem::take(&mut overlay.announced);
        match self.by_key(key).or_else(|| overlay.removed.take()) {
            Some(before) => snapshot.follow(&before, self.clock.now_s()),
            None => snapshot.restore_versions(&announced, self.clock.now_s()),
        }
        let mut current = self.current.write();
        // Another channel may have claimed it meanwhile.
        current.conflicts(key, &claims).map_or(Ok(()), Err)?;
        let state = ChannelState { served: Some(Arc::new(snapshot)), files, refusal: None };
        if current.by_key.insert(key.to_owned(), state).is_some_and(|before| before.refusal.is_some()) {
            measure(key, false, false);
        }
        current.hold(key, &claims);
        Ok(())
    }

    /// Leaves a channel as it is. If nothing is served yet, its last sound state is.
    fn refuse(&self, key: &str, claims: Option<Claims>, refusal: Refusal) {
        let is_served = self.by_key(key).is_some();
        let stored = if is_served { None } else { self.load_stored(key) };
        let conflicting_claims = refusal.conflicting_claims.clone();
        let mut current = self.current.write();
        if let Some((snapshot, files)) = stored {
            current.hold(key, &claims_of(&snapshot));
            let served = Some(Arc::new(snapshot));
            current.by_key.insert(key.to_owned(), ChannelState { served, files, refusal: Some(refusal) });
        } else {
            if let Some(claims) = claims.filter(|_| !is_served) {
                current.hold(key, &claims);
            }
            current.by_key.entry(key.to_owned()).or_default().refusal = Some(refusal);
        }
        // The others may have been refused meanwhile.
        if let Some(claims) = conflicting_claims {
            current.exchange(key, &claims);
        }
        measure(key, true, current.served(key).is_none());
    }

    fn is_stored(&self, key: &str) -> bool {
        self.states.as_ref().is_some_and(|states| states.contains(key))
    }

    /// The last sound state of a channel and its files, if one is stored and this build accepts it.
    fn load_stored(&self, key: &str) -> Option<(ChannelSnapshot, Vec<SourceFile>)> {
        let source = self.states.as_ref()?.source(key)?;
        let files = source.files().ok()?;
        match read::folder(&source, key, &files, &self.options, self.next_generation()).result {
            Ok(snapshot) => Some((snapshot, files)),
            Err(faults) => {
                tracing::warn!(channel = key, fault = faults.first(), "the last sound state cannot be served");
                None
            }
        }
    }

    /// Removes a channel whose folder is gone, with its stored state.
    pub(super) fn remove(&self, key: &str) {
        if let Some(states) = &self.states {
            states.remove(key);
        }
        let mut overlays = self.overlays.lock();
        let mut current = self.current.write();
        current.hold(key, &Claims::default());
        if let Some(state) = current.by_key.remove(key) {
            overlays.entry(key.to_owned()).or_default().removed = state.served;
            measure(key, false, false);
        }
    }

    /// Files of a folder that differ from those of the served and of the refused state.
    pub(super) fn changed_files(&self, key: &str) -> io::Result<Option<Vec<SourceFile>>> {
        let files = self.source.files_of(key)?;
        // Each request reads it: the lists are compared beside them.
        let current = self.current.read();
        let Some(state) = current.by_key.get(key) else { return Ok(Some(files).filter(|files| !files.is_empty())) };
        if state.served.is_none() || state.files != files {
            let is_refused = state.refusal.as_ref().is_some_and(|refusal| refusal.files.as_ref() == Some(&files));
            return Ok((!is_refused).then_some(files));
        }
        let is_refused = state.refusal.is_some();
        drop(current);
        if is_refused {
            self.accept_unchanged(key, &files);
        }
        Ok(None)
    }

    /// Takes back a refusal: the folder has the served state's files again.
    fn accept_unchanged(&self, key: &str, files: &[SourceFile]) {
        let mut current = self.current.write();
        if let Some(state) = current.by_key.get_mut(key).filter(|state| state.served.is_some() && state.files == files)
        {
            state.refusal = None;
            measure(key, false, false);
        }
    }

    /// Refuses a folder whose files cannot be listed. Returns whether it was not refused before.
    pub(super) fn refuse_unreadable(&self, key: &str, error: &io::Error) -> bool {
        let is_new = self.current.read().by_key.get(key).is_none_or(|state| state.refusal.is_none());
        let faults = Faults::of_folder(key, format!("cannot be read: {error}"));
        self.refuse(key, None, Refusal { files: None, faults, conflicting_claims: None });
        is_new
    }

    /// Loads each channel whose folder has changed. A faulty one stays as it was.
    ///
    /// # Errors
    /// Fails if the folders cannot be listed, and with the faults of the folders that changed.
    pub fn reload(&self) -> Result<bool, ChannelsError> {
        let folders = self.folders()?;
        let removed: Vec<_> = self.keys().into_iter().filter(|key| !folders.contains(key)).collect();
        removed.iter().for_each(|key| self.remove(key));
        let mut has_changed = !removed.is_empty();
        let (mut faults, mut is_changing) = (Vec::new(), false);
        for key in folders {
            match self.changed_files(&key) {
                Ok(Some(_)) => {}
                Ok(None) => continue,
                // Loading reports why it cannot be read.
                Err(_) => {}
            }
            match self.load_and_apply(&key, None) {
                Ok(()) => has_changed = true,
                Err(ChannelsError::Faulty(Faults(of_channel))) => faults.extend(of_channel),
                Err(_) => is_changing = true,
            }
        }
        match (faults.is_empty(), is_changing) {
            (true, false) => Ok(has_changed),
            (true, true) => Err(ChannelsError::Changing),
            (false, _) => Err(Faults(faults).into()),
        }
    }

    /// Names of the channel folders. A root that is suddenly empty is an error, since it may not be mounted.
    pub(super) fn folders(&self) -> Result<Vec<String>, ChannelsError> {
        let folders = self.source.folders()?;
        if folders.is_empty() && !self.current.read().by_key.is_empty() {
            return Err(Faults::of_folder("", read::NO_CHANNEL).into());
        }
        Ok(folders)
    }
}

fn measure(key: &str, is_faulty: bool, is_down: bool) {
    let gauge = |is: bool| f64::from(u8::from(is));
    metrics::gauge!("touchline_channel_faulty", "channel" => key.to_owned()).set(gauge(is_faulty));
    metrics::gauge!("touchline_channel_down", "channel" => key.to_owned()).set(gauge(is_down));
}
