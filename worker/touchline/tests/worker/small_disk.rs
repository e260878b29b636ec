//! A small disk of a worker's own, which a test fills to its last byte.
//!
//! It is a tmpfs in a mount namespace that a process of the test holds open: nothing of it is left on the machine,
//! however the test ends. As root this needs no more than `unshare` and `nsenter` of util-linux; others need the right
//! to make user namespaces.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::{Worker, touchline};

/// A mounted disk.
pub(crate) struct SmallDisk {
    holder: Child,
    as_root: bool,
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts a disk of so many KiB; none where this user may not, which is said.
    pub(crate) fn mount(kib: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let as_root = rustix::process::geteuid().is_root();
        let mut holder = Command::new("unshare");
        if !as_root {
            holder.args(["--user", "--map-root-user"]);
        }
        // It ends with the test: `cat` reads until the other end of its input is closed.
        let script = "mount -t tmpfs -o size=\"$2\"k tmpfs \"$1\" && echo mounted && exec cat";
        holder.args(["--mount", "sh", "-c", script, "sh", folder.path().to_str().unwrap(), &kib.to_string()]);
        let holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut holder = holder.unwrap_or_else(|error| panic!("unshare of util-linux cannot be run: {error}"));
        let mut line = String::new();
        BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        if line != "mounted\n" {
            let mut why = String::new();
            std::io::Read::read_to_string(holder.stderr.as_mut().unwrap(), &mut why).unwrap();
            holder.wait().unwrap();
            assert!(!as_root, "no small disk can be mounted, though this is root: {why}");
            #[expect(clippy::print_stderr, reason = "whoever reads the run must know what it did not show")]
            {
                eprintln!("NOT TESTED: this user may not mount a small disk, root may: {why}");
            }
            return None;
        }
        Some(Self { holder, as_root, folder })
    }

    /// A command that sees the disk.
    fn within(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.holder.id().to_string()]);
        if !self.as_root {
            command.args(["--user", "--preserve-credentials"]);
        }
        command
    }

    /// Starts a worker with its data folder on the disk.
    pub(crate) fn start(&self, more: &[&str]) -> Worker {
        self.start_as(&[], more)
    }

    /// The same, by a program that starts it.
    pub(crate) fn start_as(&self, by: &[&str], more: &[&str]) -> Worker {
        let worker = touchline(Path::new("/"));
        let mut command = self.within();
        command.args(by).arg(worker.get_program()).current_dir("/");
        for (name, _) in worker.get_envs() {
            command.env_remove(name);
        }
        Worker::start_by(command, &self.folder.path().join("data"), more)
    }

    /// Where something on the disk is for the test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let inside = self.folder.path().strip_prefix("/").unwrap().join(name);
        Path::new("/proc").join(self.holder.id().to_string()).join("root").join(inside)
    }

    /// Where something on the disk is for the worker.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a verb to its end.
    pub(crate) fn run(&self, line: &[&str]) -> Output {
        let data = self.inside("data");
        let mut command = self.within();
        command.arg(touchline(Path::new("/")).get_program()).args(line).arg("--data").arg(data);
        command.current_dir("/").output().unwrap()
    }

    /// Takes every byte that is free.
    pub(crate) fn fill(&self) {
        self.fill_but(0);
    }

    /// Takes every byte that is free but so many.
    pub(crate) fn fill_but(&self, left: u64) {
        let mut filler = OpenOptions::new().create(true).append(true).open(self.path("filler")).unwrap();
        let mut size = 64 * 1024;
        while size > 0 {
            if self.free() < left + size as u64 || filler.write_all(&vec![1; size]).is_err() {
                size /= 4;
            }
        }
    }

    /// Bytes that are free.
    pub(crate) fn free(&self) -> u64 {
        let volume = rustix::fs::statvfs(self.path("")).unwrap();
        volume.f_bavail * volume.f_frsize
    }

    /// Gives back what [`Self::fill`] took.
    pub(crate) fn empty(&self) {
        File::options().write(true).open(self.path("filler")).unwrap().set_len(0).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Whoever holds it open ends with it.
        let _ended = self.holder.kill().and_then(|()| self.holder.wait()).is_ok();
    }
}
