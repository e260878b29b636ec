//! Resource usage of a system: memory and processor time of its processes, and disk usage of its folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Unit of processor time in `/proc`, whatever the kernel's own clock.
const TICKS_PER_S: u32 = 100;

/// Bytes that the folder occupies on disk. Files removed in the meantime count as zero.
pub(crate) fn disk_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path()),
            Ok(metadata) => metadata.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

/// Memory of the process and its descendants, in bytes; shared pages count once.
pub(crate) fn memory_bytes(pid: u32) -> u64 {
    let kib = family(pid).into_iter().map(|process| {
        let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        rollup.lines().find_map(|line| line.strip_prefix("Pss:")?.split_whitespace().next()?.parse::<u64>().ok())
    });
    kib.flatten().sum::<u64>() * 1024
}

/// Processor time of the process and its descendants, including those that have exited.
pub(crate) fn cpu_time(pid: u32) -> Duration {
    let ticks = family(pid).into_iter().flat_map(|process| {
        // User and system time, of itself and of its exited children.
        let fields = stat(process).into_iter().skip(11).take(4);
        fields.filter_map(|ticks| ticks.parse::<u64>().ok()).collect::<Vec<_>>()
    });
    Duration::from_secs(ticks.sum()) / TICKS_PER_S
}

/// The fields of a process's state after its name, which may contain anything.
fn stat(pid: u32) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().map(str::to_owned).collect());
    fields.unwrap_or_default()
}

/// The process and its descendants.
fn family(pid: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(process) = entry.file_name().to_string_lossy().parse().ok() else { continue };
        let parent = stat(process).get(1).and_then(|parent| parent.parse().ok());
        children.entry(parent.unwrap_or(0)).or_default().push(process);
    }
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(process) = found.get(next) {
        found.extend(children.get(process).cloned().unwrap_or_default());
        next += 1;
    }
    found
}
