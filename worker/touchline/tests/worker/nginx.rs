//! nginx in front of workers, with the shipped configuration, and its logs (`OPS-4`).

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU16, Ordering};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::support::{Worker, client, done, eventually, files_of, folder, sent_emails};

/// A running nginx.
pub(crate) struct Nginx {
    folder: TempDir,
    child: Child,
    pub(crate) port: u16,
    pub(crate) tls_port: u16,
}

/// A free port below those that the system picks, so that nobody takes it while a worker restarts.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + u16::try_from(std::process::id() * 16 % 12_000).unwrap();
    loop {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Nginx {
    /// Starts nginx in front of workers on `ports`.
    pub(crate) async fn start(ports: [u16; 3]) -> Self {
        Self::with("nginx.conf", ports).await
    }

    /// Starts a cache for video in front of workers, or of another cache, on `ports`.
    pub(crate) async fn cache(ports: [u16; 3]) -> Self {
        Self::with("nginx-cache.conf", ports).await
    }

    /// Starts nginx with a shipped configuration.
    async fn with(file: &str, ports: [u16; 3]) -> Self {
        let (folder, port, tls_port) = (tempfile::tempdir().unwrap(), free_port(), free_port());
        let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy").join(file);
        let mut server = std::fs::read_to_string(documented).unwrap();
        for (said, ours) in [8081, 8082, 8083, 8080, 8443].into_iter().zip(ports.into_iter().chain([port, tls_port])) {
            server = server.replace(&format!("127.0.0.1:{said}"), &format!("127.0.0.1:{ours}"));
        }
        server = server.replace("/etc/touchline", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/worker/tls"));
        for folder_of in ["/var/log/nginx", "/var/cache"] {
            server = server.replace(folder_of, folder.path().to_str().unwrap());
        }
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {}/{name};\n", folder.path().display()))
            .concat();
        let user = if rustix::process::geteuid().is_root() { "user root;\n" } else { "" };
        let config = format!(
            "{user}worker_processes 1;\npid {0}/pid;\nerror_log {0}/errors;\nevents {{ worker_connections 1024; }}\n\
             http {{\n{temporary}{server}\n}}\n",
            folder.path().display()
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, config).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).arg("-c").arg(&file).args(["-g", "daemon off;"]);
        let child = command.spawn().expect("nginx is installed: scripts/need nginx");
        eventually("nginx listens", async || TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Self { folder, child, port, tls_port }
    }

    /// All files it wrote, except its configuration.
    fn written(&self) -> String {
        let files = files_of(self.folder.path()).into_iter().filter(|file| !file.ends_with("nginx.conf"));
        files.map(|file: PathBuf| std::fs::read_to_string(file).unwrap_or_default()).collect()
    }

    /// Sends raw bytes and returns the start of the response.
    fn send(&self, request: &str) -> String {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 64];
        let length = stream.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // On SIGTERM it also stops its children.
        let _signalled = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().is_ok();
        let _ended = self.child.wait().is_ok();
    }
}

/// The query of the password reset link in an email.
fn reset_link(data: &Path) -> Option<String> {
    let mails = sent_emails(data).into_iter().filter_map(|file| std::fs::read_to_string(file).ok());
    mails.filter_map(|mail| link_in(&mail.replace("=\r\n", "").replace("=3D", "="))).next()
}

fn link_in(mail: &str) -> Option<String> {
    let link = mail.split("/password-reset?").nth(1)?;
    let end = link.find(|end: char| end.is_whitespace() || matches!(end, '"' | '<'))?;
    Some(link[..end].replace("&amp;", "&"))
}

/// Shows OPS-4: keys, secrets from emails and sign-ins, email addresses and media passes, in every part of a request,
/// also when nginx refuses it or has no worker.
#[tokio::test]
async fn the_nginx_log_contains_no_secrets() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--trusted-proxies", "127.0.0.0/8"]);
    let port = worker.address.rsplit_once(':').unwrap().1.parse().unwrap();
    let nginx = Nginx::start([port; 3]).await;
    let http = client();
    let get = async |path: &str| http.get(format!("http://127.0.0.1:{}{path}", nginx.port)).send().await.unwrap();

    let email = "vi.ewer@viewers.example";
    let key = worker.register_as(email).await;
    done(&data, &["order", "grant", "--channel", "northfield", "--email", email, "--type", "event", "--id", "1"]);
    let reset_request = json!({ "api_key": key, "email": email });
    worker.data(Method::POST, "auth/password-reset-request", &reset_request).await;
    let link = eventually("an email", async || reset_link(&data)).await;
    let signature = link.split("signature=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let playback = worker.data(Method::GET, &format!("events/1/playback/12?api_key={key}"), &Value::Null).await;
    let signed = playback["playback_url"].as_str().unwrap().to_owned();
    let pass = signed.split('/').nth(5).unwrap().to_owned();
    assert!(signature.len() > 20 && pass.len() > 20, "{signature} {pass}");
    let uuid = "0190b0c4-7d5e-7abc-8def-0123456789ab";

    // These reach a worker.
    assert_eq!(get(&format!("/api/profile?api_key={key}")).await.status(), StatusCode::OK);
    assert_eq!(get(&format!("/password-reset?{link}")).await.status(), StatusCode::OK);
    assert_eq!(get(&signed).await.status(), StatusCode::OK);
    for path in [
        format!("/media/northfield/d/l12/{pass}/game.mp4"),
        format!("/media/northfield/s/l12/{pass}"),
        format!("/media/northfield/%73/l12/{pass}/a.ts"),
        format!("//media//northfield/s/l12/{pass}/a.ts"),
        format!("/media/northfield/c/{uuid}/clip.mp4"),
        format!("/media/northfield/c/{uuid}/{pass}/clip.mp4"),
        format!("/share/1/{uuid}"),
        format!("/auth/login/google/callback?code={signature}&state={key}"),
        format!("/{email}"),
        format!("/api/{key}"),
        format!("/api/{email}/favorites"),
        format!("/assets/{pass}.js"),
        format!("/device?code={key}"),
    ] {
        assert!(get(&path).await.status().as_u16() < 500, "{path}");
    }
    let page = http.get(format!("http://127.0.0.1:{}/", nginx.port));
    let page = page.header("referer", format!("https://north.example/password-reset?{link}"));
    let page = page.header("user-agent", &key).header("cookie", format!("a={key}")).basic_auth(&key, Some(&pass));
    assert_eq!(page.send().await.unwrap().status(), StatusCode::OK);

    // nginx refuses these.
    let line = format!("/api/profile?api_key={key}&email={email}&signature={signature}");
    let refused = [
        (format!("POST {line} HTTP/1.1\r\nHost: a\r\nContent-Length: 99000000\r\n\r\n"), "413"),
        (format!("GET {line} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), "400"),
        (format!("GET {line} HTTP/1.1\r\nHost: a b\r\n\r\n"), "400"),
        (format!("GET {line} HTTP/7.1\r\nHost: a\r\n\r\n"), "505"),
        (format!("GET {line} FTP\r\nHost: a\r\n\r\n"), "400"),
        (format!("GET {line}&more={} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(40_000)), "414"),
    ];
    for (request, status) in refused {
        let answer = nginx.send(&request);
        assert!(answer.contains(status), "{status}: {answer}");
    }
    drop(worker);
    let lost = get(&line).await.status();
    assert!(matches!(lost, StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE), "{lost}");

    let last = " 502 ";
    eventually("the last request is logged", async || nginx.written().contains(last).then_some(())).await;
    let written = nginx.written();
    for (what, secret) in [
        ("an API key", key.as_str()),
        ("a signature", &signature),
        ("a mail address", email),
        ("an encoded email address", &email.replace('@', "%40")),
        ("a pass", &pass),
        ("a clip's uuid", uuid),
    ] {
        assert!(!written.contains(secret), "{what}: {written}");
    }
    // The log is still useful.
    let requests = ["GET /api/profile HTTP/1.1\" 200", "GET /password-reset HTTP/1.1\" 200", "/media/northfield/s/"];
    assert!(requests.iter().all(|request| written.contains(request)), "{written}");
    assert!(written.contains("POST /api/profile HTTP/1.1\" 413"), "{written}");
}
