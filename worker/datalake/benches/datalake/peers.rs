//! The systems with which the worker is compared.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(port: u16, what: &str) -> SocketAddr {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    for _ in 0..400 {
        if TcpStream::connect(address).is_ok() {
            return address;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("{what} did not start");
}

pub(crate) fn redis(folder: &Path) -> (Child, SocketAddr) {
    let port = free_port();
    let process = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--dir"])
        .arg(folder)
        .args(["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--auto-aof-rewrite-percentage", "0"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|e| panic!("redis-server: {e}; apt-get install redis-server"));
    (process, wait_for(port, "redis-server"))
}

/// PostgreSQL refuses to run as root.
fn as_postgres(program: &Path) -> Command {
    if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn postgres_program(name: &str) -> PathBuf {
    let mut versions: Vec<_> =
        std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    versions.sort();
    let newest = versions.pop().unwrap_or_else(|| panic!("no PostgreSQL: apt-get install postgresql"));
    newest.join("bin").join(name)
}

fn owned_by_postgres(folder: &Path) {
    if rustix::process::geteuid().is_root() {
        assert!(Command::new("chown").args(["-R", "postgres:"]).arg(folder).status().unwrap().success());
    }
}

/// A fresh database cluster, created once and copied for each measurement.
pub(crate) fn postgres_template() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    owned_by_postgres(folder.path());
    let status = as_postgres(&postgres_program("initdb"))
        .args(["--auth=trust", "--username=postgres", "--no-locale", "--encoding=UTF8", "--pgdata"])
        .arg(folder.path().join("cluster"))
        .current_dir("/")
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "initdb failed");
    folder
}

const TABLE: &str = "create table events (id uuid not null, path text not null, at timestamptz not null, received_at timestamptz not null default now(), body json not null)";

pub(crate) fn postgres(folder: &Path, template: &Path) -> (Child, SocketAddr) {
    let cluster = folder.join("cluster");
    assert!(Command::new("cp").arg("-a").args([&template.join("cluster"), &cluster]).status().unwrap().success());
    let port = free_port();
    let process = as_postgres(&postgres_program("postgres"))
        .arg("-D")
        .arg(&cluster)
        .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
        .args(["-c", "synchronous_commit=on", "-c", "fsync=on", "-c", "log_min_messages=fatal"])
        .current_dir("/")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let address = wait_for(port, "postgres");
    let has_table = (0..100).any(|_| {
        let mut psql = Command::new(postgres_program("psql"));
        psql.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-U", "postgres", "-qc", TABLE]).stderr(Stdio::null());
        let is_created = psql.status().unwrap().success();
        if !is_created {
            // It listens before it serves.
            std::thread::sleep(Duration::from_millis(50));
        }
        is_created
    });
    assert!(has_table, "the table was not created in PostgreSQL");
    (process, address)
}
