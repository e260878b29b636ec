//! Debian's PgBouncer with its defaults between worker and database.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use touchline_protocol::ambient::SeededEntropy;
use touchline_store::{Maintenance, PostgresAddress, PostgresStore, postgres};

use crate::cluster::fresh;

/// Ends with the test.
struct Pooler {
    address: PostgresAddress,
    child: Child,
    _folder: TempDir,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Starts a pooler in front of a new database.
async fn pooler(pool_mode: &str) -> Pooler {
    let database = fresh("").await.to_string();
    let (server, database) = database.strip_prefix("postgres://").unwrap().rsplit_once('/').unwrap();
    let (socket, port) = server.rsplit_once(':').unwrap();
    let folder = tempfile::Builder::new().prefix("pgb").tempdir_in("/tmp").unwrap();
    let path = folder.path().display();
    let settings = format!(
        "[databases]\n* = host={socket} port={port}\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = {path}\n\
         auth_type = trust\nauth_file = {path}/users\npool_mode = {pool_mode}\n"
    );
    let file = folder.path().join("pgbouncer.ini");
    std::fs::write(&file, settings).unwrap();
    std::fs::write(folder.path().join("users"), "\"touchline\" \"\"\n").unwrap();
    // PgBouncer refuses to run as root.
    let user = Command::new("id").arg("-un").output().unwrap();
    let mut command = if user.stdout == b"root\n" {
        assert!(Command::new("chown").args(["-R", "postgres"]).arg(folder.path()).status().unwrap().success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "pgbouncer"]);
        command
    } else {
        Command::new("pgbouncer")
    };
    let mut child = command.arg(&file).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(log.any(|line| line.contains("process up")), "scripts/need pgbouncer");
    std::thread::spawn(move || log.for_each(drop));
    let address = format!("postgres://touchline@localhost/{database}?host={path}&port=6432").parse().unwrap();
    Pooler { address, child, _folder: folder }
}

#[tokio::test]
async fn a_pooler_in_session_mode_serves_a_store() {
    let pooler = pooler("session").await;
    postgres::migrate(&pooler.address).await.unwrap();
    let store = PostgresStore::open(&pooler.address, "one", &*SeededEntropy::new(1)).await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn a_pooler_that_shares_sessions_is_refused_by_the_name_of_its_setting() {
    for pool_mode in ["transaction", "statement"] {
        let pooler = pooler(pool_mode).await;
        let migrated = postgres::migrate(&pooler.address).await.unwrap_err().to_string();
        let opened =
            PostgresStore::open(&pooler.address, "one", &*SeededEntropy::new(1)).await.unwrap_err().to_string();
        for refusal in [migrated, opened] {
            assert!(refusal.contains("`pool_mode = session`") && !refusal.contains('\n'), "{pool_mode}: {refusal}");
        }
    }
}
