//! Media and clips in an S3-compatible bucket (moto), shared by workers without a common folder.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::postgres::TestStore;
use crate::support::{Worker, client, eventually, touchline};

/// moto requires a signature but does not verify it.
const ANYONE: &str =
    "AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

struct Moto {
    process: Child,
    url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have exited already.
        let _ended = self.process.kill().and_then(|()| self.process.wait()).is_ok();
    }
}

impl Moto {
    fn start() -> Self {
        let program = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])";
        let mut process = Command::new("python3").args(["-c", program]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let url = lines.find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()));
        // It logs every request; a full pipe would block it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, url: url.expect("moto (PyPI: moto[server]) starts") }
    }

    async fn put(&self, path: &str, bytes: &str) {
        let put = client().put(format!("{}/{path}", self.url)).header("authorization", ANYONE);
        put.body(bytes.to_owned()).send().await.unwrap().error_for_status().unwrap();
    }

    async fn names(&self) -> String {
        let list = client().get(format!("{}/games?list-type=2", self.url)).header("authorization", ANYONE);
        list.send().await.unwrap().text().await.unwrap()
    }

    fn worker(&self, data: &Path, store: &str) -> Worker {
        let mut command = touchline(data.parent().unwrap());
        command
            .env("AWS_ENDPOINT_URL", &self.url)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_REGION", "us-east-1");
        Worker::start_by(command, data, &["--store", store, "--media", "s3://games/north"])
    }
}

/// Shows OPS-30.
#[tokio::test]
async fn clips_and_pictures_in_a_bucket_are_served_by_every_worker() {
    let (moto, store) = (Moto::start(), TestStore::postgres().await);
    let url = store.url.clone().unwrap();
    moto.put("games", "").await;
    moto.put("games/north/media/northfield/extra.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").await;
    let (one, other) = (moto.worker(&store.data, &url), moto.worker(&store.data.with_file_name("other"), &url));

    let part = other.http.get(other.url("/media/northfield/extra.svg")).header("range", "bytes=1-3");
    let part = part.send().await.unwrap();
    assert_eq!((part.status(), part.text().await.unwrap().as_str()), (StatusCode::PARTIAL_CONTENT, "svg"));
    moto.put("games/north/media/northfield/later.svg", "<svg/>").await;
    eventually("a new file is found", async || {
        (other.get("/media/northfield/later.svg").await.status() == StatusCode::OK).then_some(())
    })
    .await;

    let key = one.demo("demo").await;
    let request = json!({
        "api_key": key, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 6, "duration": 8, "tags": ["goal"],
    });
    let created = one.data(Method::POST, "clip", &request).await;
    let clip = eventually("the clip is ready", async || {
        let clips = other.data(Method::GET, &format!("clips/user?api_key={key}"), &Value::Null).await;
        let clip = clips.as_array().unwrap().iter().find(|clip| clip["id"] == created["id"]).cloned();
        clip.filter(|clip| clip["status"] == "ready")
    })
    .await;
    let address = clip["url"].as_str().unwrap();
    for worker in [&one, &other] {
        let playlist = worker.get(address).await.text().await.unwrap();
        let segment = playlist.lines().find(|line| line.ends_with(".m4s")).unwrap();
        let part = worker.http.get(worker.url(&address.replace("index.m3u8", segment))).header("range", "bytes=4-7");
        let part = part.send().await.unwrap();
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
        let kind = part.bytes().await.unwrap();
        assert!(["styp", "moof", "sidx"].iter().any(|kind_name| kind_name.as_bytes() == kind), "{kind:?}");
    }
    let uuid = clip["uuid"].as_str().unwrap().to_owned();
    assert!(moto.names().await.contains(&uuid));
    other.data(Method::DELETE, &format!("clip/{}?api_key={key}", clip["id"]), &Value::Null).await;
    assert!(!moto.names().await.contains(&uuid), "a deleted clip is still in the bucket");
    assert_eq!(one.get(address).await.status(), StatusCode::NOT_FOUND);
}
