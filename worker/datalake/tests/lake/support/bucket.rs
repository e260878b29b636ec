//! An S3-compatible server (moto's), and what a lake in a bucket of it shows.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use super::duck;

/// moto wants a signature of readers, and does not look at it.
const ANYONE: &str =
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

/// moto's server, for as long as this lives.
pub(crate) struct Moto {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn moto() -> Moto {
    // Its tests ask it by clients of their own. A second installation, in another test of the process, changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let program = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])";
    let mut process = Command::new("python3").args(["-c", program]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()));
    // It goes on telling of requests: a full pipe would stop it.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(url) = url else { panic!("moto (PyPI: moto[server]) did not start") };
    let address = url.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    Moto { process, address, url }
}

/// The ids of every row of the tables below `games/north` in the bucket, as their logs have them, sorted, doubles
/// included.
pub(crate) async fn shown(client: &reqwest::Client, bucket: &str) -> Vec<String> {
    let copy = tempfile::tempdir().unwrap();
    let mut next = String::new();
    loop {
        let listing = client.get(format!("{bucket}?list-type=2{next}")).send().await.unwrap().text().await.unwrap();
        for key in listing.split("<Key>").skip(1) {
            let key = key.split("</Key>").next().unwrap();
            assert!(key.starts_with("north/"), "{key}");
            let file = client.get(format!("{bucket}/{key}")).header("authorization", ANYONE).send().await.unwrap();
            let path = copy.path().join(key);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file.error_for_status().unwrap().bytes().await.unwrap()).unwrap();
        }
        let Some((_, token)) = listing.split_once("<NextContinuationToken>") else { break };
        next = format!("&continuation-token={}", token.split('<').next().unwrap());
    }
    duck::ids(copy.path())
}
