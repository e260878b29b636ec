//! Caddy in front of a worker, with the shipped configuration (`OPS-56`).

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use reqwest::StatusCode;
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::nginx::free_port;
use crate::support::{Worker, client, eventually, folder};

/// A running Caddy with an authority of its own.
struct Caddy {
    folder: TempDir,
    child: Child,
    port: u16,
}

impl Caddy {
    async fn start(worker: &str, admin: &str) -> Self {
        let (folder, http_port, port) = (tempfile::tempdir().unwrap(), free_port(), free_port());
        let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy/Caddyfile");
        let documented = std::fs::read_to_string(documented).unwrap();
        let global = format!(
            "\n{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port {http_port}\n\thttps_port {port}\n\
             \tstorage file_system {}\n",
            folder.path().display()
        );
        let config = documented
            .replacen("\n{\n", &global, 1)
            .replace("127.0.0.1:8080 {", &format!("{worker} {{"))
            .replace("http://127.0.0.1:9090/", &format!("http://{admin}/"));
        let file = folder.path().join("Caddyfile");
        std::fs::write(&file, config).unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file).env("HOME", folder.path());
        let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("caddy is installed: scripts/need caddy");
        eventually("caddy listens", async || TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Self { folder, child, port }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// A request to a host by TLS. Its certificate is Caddy's own.
    fn get(&self, host: &str, path: &str) -> Output {
        let port = self.port;
        let mut command = Command::new("curl");
        command.args(["--silent", "--insecure", "--max-time", "20", "--write-out", "\n%{http_code}"]);
        command.args(["--resolve", &format!("{host}:{port}:127.0.0.1"), &format!("https://{host}:{port}{path}")]);
        command.output().expect("curl is installed: scripts/need curl")
    }
}

impl Drop for Caddy {
    fn drop(&mut self) {
        let _killed = self.child.kill().is_ok();
        let _ended = self.child.wait().is_ok();
    }
}

/// Shows OPS-56: a certificate for hosts of channels only, the page of the right channel, and no secret in Caddy's log.
#[tokio::test]
async fn caddy_gets_certificates_for_hosts_of_channels_only() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--trusted-proxies", "127.0.0.0/8"]);
    for (domain, status) in [
        ("laurentides.localhost", StatusCode::OK),
        ("LAURENTIDES.localhost", StatusCode::OK),
        ("northfield.localhost", StatusCode::OK),
        ("elsewhere.example", StatusCode::NOT_FOUND),
        ("laurentides.localhost.elsewhere.example", StatusCode::NOT_FOUND),
        ("a.laurentides.localhost", StatusCode::NOT_FOUND),
        ("", StatusCode::NOT_FOUND),
    ] {
        let answer = client().get(format!("http://{}/certificate?domain={domain}", worker.admin)).send().await.unwrap();
        assert_eq!(answer.status(), status, "{domain}");
    }

    let unnamed = client().get(format!("http://{}/certificate", worker.admin)).send().await.unwrap();
    assert_eq!(unnamed.status(), StatusCode::NOT_FOUND);

    let caddy = Caddy::start(&worker.address, &worker.admin).await;
    let page = caddy.get("laurentides.localhost", "/");
    let html = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(html.ends_with("\n200") && html.contains("Réseau Laurentides"), "{html}\n{}", caddy.log());
    let refused = caddy.get("elsewhere.example", "/");
    assert_eq!((refused.status.success(), refused.stdout.as_slice()), (false, b"\n000".as_slice()), "{}", caddy.log());

    // Its log has the failed request, without its query.
    drop(worker);
    let failed = caddy.get("laurentides.localhost", "/api/profile?api_key=0123456789abcdef");
    assert!(failed.stdout.ends_with(b"\n502"), "{}", String::from_utf8_lossy(&failed.stdout));
    let log = caddy.log();
    assert!(log.contains("http.log.error") && !log.contains("0123456789abcdef"), "{log}");
}
