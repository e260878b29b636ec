//! A small disk for one worker, for tests that fill it.
//!
//! It is a tmpfs in the mount namespace of a child process, so nothing remains on the machine however the test ends. As
//! root it needs `unshare` and `nsenter` from util-linux; other users need the right to create user namespaces.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::{Worker, touchline};

pub(crate) struct SmallDisk {
    holder: Child,
    as_root: bool,
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts a disk of this size; `None`, with a message, if the user lacks the right.
    pub(crate) fn mount(kib: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let as_root = rustix::process::geteuid().is_root();
        let mut holder = Command::new("unshare");
        if !as_root {
            holder.args(["--user", "--map-root-user"]);
        }
        // It ends with the test, because `cat` reads until its input is closed.
        let script = "mount -t tmpfs -o size=\"$2\"k tmpfs \"$1\" && echo mounted && exec cat";
        holder.args(["--mount", "sh", "-c", script, "sh", folder.path().to_str().unwrap(), &kib.to_string()]);
        let holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut holder = holder.unwrap_or_else(|error| panic!("cannot run unshare of util-linux: {error}"));
        let mut line = String::new();
        BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        if line != "mounted\n" {
            let mut why = String::new();
            std::io::Read::read_to_string(holder.stderr.as_mut().unwrap(), &mut why).unwrap();
            holder.wait().unwrap();
            assert!(!as_root, "root cannot mount a small disk: {why}");
            #[expect(clippy::print_stderr, reason = "whoever reads the run must know what it did not show")]
            {
                eprintln!("NOT TESTED: this user may not mount a small disk, root may: {why}");
            }
            return None;
        }
        Some(Self { holder, as_root, folder })
    }

    /// A command that runs in the namespace.
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

    /// Starts a worker through another program.
    pub(crate) fn start_as(&self, by: &[&str], more: &[&str]) -> Worker {
        let worker = touchline(Path::new("/"));
        let mut command = self.within();
        command.args(by).arg(worker.get_program()).current_dir("/");
        for (name, _) in worker.get_envs() {
            command.env_remove(name);
        }
        Worker::start_by(command, &self.folder.path().join("data"), more)
    }

    /// A path on the disk, as seen by the test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let inside = self.folder.path().strip_prefix("/").unwrap().join(name);
        Path::new("/proc").join(self.holder.id().to_string()).join("root").join(inside)
    }

    /// A path on the disk, as seen by the worker.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn run(&self, line: &[&str]) -> Output {
        let data = self.inside("data");
        let mut command = self.within();
        command.arg(touchline(Path::new("/")).get_program()).args(line).arg("--data").arg(data);
        command.current_dir("/").output().unwrap()
    }

    /// Fills the disk.
    pub(crate) fn fill(&self) {
        self.fill_but(0);
    }

    /// Fills the disk except for `left` bytes.
    pub(crate) fn fill_but(&self, left: u64) {
        let mut filler = OpenOptions::new().create(true).append(true).open(self.path("filler")).unwrap();
        let mut size = 64 * 1024;
        while size > 0 {
            if self.free() < left + size as u64 || filler.write_all(&vec![1; size]).is_err() {
                size /= 4;
            }
        }
    }

    pub(crate) fn free(&self) -> u64 {
        let volume = rustix::fs::statvfs(self.path("")).unwrap();
        volume.f_bavail * volume.f_frsize
    }

    /// Frees what [`Self::fill`] used.
    pub(crate) fn empty(&self) {
        File::options().write(true).open(self.path("filler")).unwrap().set_len(0).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The mount ends with its holder.
        let _ended = self.holder.kill().and_then(|()| self.holder.wait()).is_ok();
    }
}
