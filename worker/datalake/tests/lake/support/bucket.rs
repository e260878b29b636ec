//! An S3-compatible server (moto's), and the rows of a lake in its bucket.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use super::duck;

/// moto requires a signature for reads but does not verify it.
const ANYONE: &str =
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

/// moto's server, until dropped.
pub(crate) struct Moto {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn moto() -> Moto {
    // Its tests use HTTP clients of their own. Another test of the process may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let program = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])";
    let mut process = Command::new("python3").args(["-c", program]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()));
    // It keeps logging requests: a full pipe would block it.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(url) = url else { panic!("moto (PyPI: moto[server]) did not start") };
    let address = url.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    Moto { process, address, url }
}

/// The ids of every row of the tables below `games/north` in the bucket according to their logs, sorted, with
/// duplicates.
pub(crate) async fn rows_in_bucket(client: &reqwest::Client, bucket: &str) -> Vec<String> {
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
