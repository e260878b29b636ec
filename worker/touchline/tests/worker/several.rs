//! Three workers on one PostgreSQL behind nginx: confirmed actions survive, money moves once, and statuses only move
//! forward, whatever dies (`OPS-30`).

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::postgres::PgPool;
use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::nginx::{Nginx, free_port};
use crate::postgres::{Cluster, SHARED};
use crate::support::{SOON, Worker, eventually, fresh, touchline};

/// The time limit for a broken socket to be welcomed again.
const RESUME_LIMIT: Duration = Duration::from_secs(5);

/// Three workers that share a database and a folder of clips.
struct Several {
    folder: TempDir,
    url: String,
    ports: [u16; 3],
    workers: Vec<Option<Worker>>,
}

impl Several {
    async fn start(cluster: &Cluster) -> Self {
        let (folder, url) = (tempfile::tempdir().unwrap(), cluster.database().await);
        let ports = [free_port(), free_port(), free_port()];
        let mut several = Self { folder, url, ports, workers: Vec::new() };
        for index in 0..3 {
            let worker = several.begin(index);
            several.workers.push(Some(worker));
        }
        several
    }

    fn begin(&self, index: usize) -> Worker {
        let (data, listen) =
            (self.folder.path().join(format!("data{index}")), format!("127.0.0.1:{}", self.ports[index]));
        let clips = self.folder.path().join("clips");
        let more = [
            "--listen",
            &listen,
            "--store",
            &self.url,
            "--clips-folder",
            clips.to_str().unwrap(),
            "--trusted-proxies",
            "127.0.0.0/8",
            "--sandbox-delay-ms",
            "300",
        ];
        Worker::start_by(touchline(self.folder.path()), &data, &more)
    }

    fn worker(&self, index: usize) -> &Worker {
        self.workers[index].as_ref().unwrap()
    }

    /// Shuts a worker down, as an upgrade does, and restarts it.
    fn replace(&mut self, index: usize) {
        let (status, log) = self.workers[index].take().unwrap().end();
        assert!(status.success(), "{log}");
        self.workers[index] = Some(self.begin(index));
    }

    /// Kills a worker and restarts it.
    fn kill(&mut self, index: usize) {
        self.workers[index].take().unwrap().kill();
        self.workers[index] = Some(self.begin(index));
    }
}

/// Asserts that nginx terminates TLS with HTTP/2 in front of the workers.
async fn expect_tls(port: u16) {
    let certificate = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/worker/tls/cert.pem")).unwrap();
    let trusted = reqwest::Certificate::from_pem(&certificate).unwrap();
    let http = reqwest::Client::builder().tls_certs_only([trusted]).no_proxy().build().unwrap();
    let answer = http.get(format!("https://127.0.0.1:{port}/healthz")).send().await.unwrap();
    assert_eq!((answer.status(), answer.version()), (StatusCode::OK, reqwest::Version::HTTP_2));
}

/// The viewers' actions and observations.
#[derive(Default)]
struct Observed {
    orders: Mutex<Vec<(String, i64)>>,
    favourites: AtomicU64,
    clips: Mutex<Vec<i64>>,
    resumed: Mutex<Vec<Duration>>,
    faults: Mutex<Vec<String>>,
}

/// A browser with an address of its own. It repeats a request with the same key until it is answered.
struct Browser {
    http: reqwest::Client,
    from: Ipv4Addr,
    port: u16,
}

impl Browser {
    fn new(port: u16) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let from = Ipv4Addr::new(127, 9, (number / 250) as u8, (number % 250 + 1) as u8);
        let http =
            reqwest::Client::builder().no_proxy().local_address(Some(from.into())).timeout(Duration::from_secs(5));
        Self { http: http.build().unwrap(), from, port }
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Value {
        let (url, key) = (format!("http://127.0.0.1:{}/api/{path}", self.port), fresh("several"));
        let deadline = Instant::now() + 2 * SOON;
        loop {
            let mut request = self.http.request(method.clone(), &url);
            if method == Method::POST {
                request = request.json(body).header("idempotency-key", &key);
            }
            let why = match request.send().await {
                Ok(response) if response.status() == StatusCode::OK => {
                    if let Ok(mut answer) = response.json::<Value>().await {
                        return answer["data"].take();
                    }
                    "half an answer".to_owned()
                }
                Ok(response)
                    if response.status().is_server_error() || response.status() == StatusCode::TOO_MANY_REQUESTS =>
                {
                    response.status().to_string()
                }
                Ok(response) => panic!("{path}: {} {}", response.status(), response.text().await.unwrap_or_default()),
                Err(error) => error.to_string(),
            };
            assert!(Instant::now() < deadline, "{path}: {why}");
            sleep(Duration::from_millis(100)).await;
        }
    }

    async fn key(&self) -> String {
        let key = self.call(Method::POST, "get_api_key", &json!({ "channel_key": "northfield" })).await;
        key["api_key"].as_str().unwrap().to_owned()
    }

    /// An unanswered registration may have used its email address, so each attempt has a new one.
    async fn register(&self) -> String {
        loop {
            let body = json!({
                "api_key": self.key().await, "first_name": "Vi", "last_name": "Ewer",
                "email": format!("{}@viewers.example", fresh("several")), "password": "correct horse",
                "password_confirmation": "correct horse", "terms": true,
            });
            let url = format!("http://127.0.0.1:{}/api/v2/auth/register", self.port);
            if let Ok(response) = self.http.post(url).json(&body).send().await
                && response.status() == StatusCode::OK
                && let Ok(answer) = response.json::<Value>().await
            {
                return answer["data"]["api_key"].as_str().unwrap().to_owned();
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    async fn card(&self, key: &str) -> String {
        let intent = self.call(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
        let card = json!({
            "api_key": key, "client_secret": intent["client_secret"], "number": "4242424242424242", "exp": "12/40",
            "cvc": "123",
        });
        let method = self.call(Method::POST, "stripe/sandbox-card", &card).await;
        method["payment_method_id"].as_str().unwrap().to_owned()
    }

    async fn socket(&self, key: &str, resume: Option<Value>) -> Option<(WebSocketStream<TcpStream>, Value)> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((self.from, 0).into()).unwrap();
        let stream = socket.connect((Ipv4Addr::LOCALHOST, self.port).into()).await.ok()?;
        let opened = client_async(format!("ws://127.0.0.1:{}/sync", self.port), stream);
        let (mut socket, _) = timeout(Duration::from_secs(2), opened).await.ok()?.ok()?;
        let mut hello = json!({ "t": "hello", "v": 1, "api_key": key });
        if let Some(resume) = resume {
            hello["resume"] = resume;
        }
        socket.send(Message::text(hello.to_string())).await.ok()?;
        let Ok(Some(Ok(Message::Text(welcome)))) = timeout(Duration::from_secs(2), socket.next()).await else {
            return None;
        };
        let welcome: Value = serde_json::from_str(&welcome).unwrap();
        (welcome["t"] == "welcome").then_some((socket, welcome))
    }
}

/// Keeps a viewer's socket open until stopped, and checks that its statuses only move forward.
async fn listen(browser: Arc<Browser>, key: String, observed: Arc<Observed>, stop: Arc<AtomicBool>) {
    let mut index: Option<(String, u64, u64)> = None;
    let mut versions: HashMap<(String, i64), i64> = HashMap::new();
    let mut broke = Instant::now();
    let fault = |fault: String| observed.faults.lock().push(fault);
    while !stop.load(Ordering::Relaxed) {
        let resume = index
            .as_ref()
            .map(|(epoch, user, channel)| json!({ "epoch": epoch, "user_seq": user, "channel_seq": channel }));
        let Some((mut socket, welcome)) = browser.socket(&key, resume).await else {
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (user, channel) = (welcome["user_seq"].as_u64().unwrap(), welcome["channel_seq"].as_u64().unwrap());
        match &index {
            Some((_, before, _)) => {
                observed.resumed.lock().push(broke.elapsed());
                if user < *before {
                    fault(format!("a position went back from {before} to {user}"));
                }
                if welcome["mode"] != "resumed" {
                    fault(format!("no resume, {}", welcome["mode"]));
                }
            }
            None => index = Some((welcome["epoch"].as_str().unwrap().to_owned(), user, channel)),
        }
        while !stop.load(Ordering::Relaxed) {
            let frame = match timeout(Duration::from_millis(500), socket.next()).await {
                Err(_) => continue,
                Ok(Some(Ok(Message::Text(frame)))) => serde_json::from_str::<Value>(&frame).unwrap(),
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => continue,
                Ok(_) => break,
            };
            if frame["t"] == "ping" {
                let _sent = socket.send(Message::text(json!({ "t": "pong" }).to_string())).await.is_ok();
            }
            if frame["t"] != "status" {
                continue;
            }
            let seq = frame["seq"].as_u64().unwrap();
            let (_, user, channel) = index.as_mut().unwrap();
            let position = if frame["stream"] == "user" { user } else { channel };
            if seq != *position + 1 {
                fault(format!("{} {seq} came after {position}", frame["stream"]));
            }
            *position = seq;
            let resource = (frame["kind"].as_str().unwrap().to_owned(), frame["id"].as_i64().unwrap());
            let version = frame["version"].as_i64().unwrap();
            if versions.insert(resource, version).is_some_and(|before| before >= version) {
                fault(format!("a status went back: {frame}"));
            }
        }
        broke = Instant::now();
    }
}

/// Viewers, one after the other: each registers, opens a socket, buys, follows a team, and waits for the payment.
async fn viewer_sessions(port: u16, observed: Arc<Observed>, until: Instant) {
    while Instant::now() < until {
        let (browser, stop) = (Arc::new(Browser::new(port)), Arc::new(AtomicBool::new(false)));
        let key = browser.register().await;
        let listening =
            tokio::spawn(listen(Arc::clone(&browser), key.clone(), Arc::clone(&observed), Arc::clone(&stop)));
        let card = browser.card(&key).await;
        let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
        let order = browser.call(Method::POST, "stripe/buy", &body).await;
        let id = order["id"].as_i64().unwrap();
        observed.orders.lock().push((key.clone(), id));
        let mark = json!({ "api_key": key, "favoritable_type": "participant", "favoritable_id": 101 });
        browser.call(Method::POST, "favorite", &mark).await;
        observed.favourites.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + Duration::from_secs(60);
        while browser.call(Method::GET, &format!("orders/{id}?api_key={key}"), &Value::Null).await["status"] != "paid" {
            assert!(Instant::now() < deadline, "order {id} is never paid");
            sleep(Duration::from_millis(250)).await;
        }
        // Long enough to meet a kill.
        sleep(Duration::from_secs(3)).await;
        stop.store(true, Ordering::Relaxed);
        listening.await.unwrap();
    }
}

async fn clipping(port: u16, observed: Arc<Observed>, until: Instant) {
    let browser = Browser::new(port);
    let login = json!({ "api_key": browser.key().await, "email": "demo@northfield.example", "password": "touchline" });
    let key = browser.call(Method::POST, "v2/auth/login", &login).await["api_key"].as_str().unwrap().to_owned();
    // A person can have two hundred clips.
    let pause = Duration::from_secs(2).max((until - Instant::now()) / 150);
    while Instant::now() < until {
        let wanted = json!({
            "api_key": key, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 6, "duration": 8, "tags": ["goal"],
        });
        let created = browser.call(Method::POST, "clip", &wanted).await;
        observed.clips.lock().push(created["id"].as_i64().unwrap());
        sleep(pause).await;
    }
}

fn seconds(variable: &str, quick: u64) -> Duration {
    Duration::from_secs(std::env::var(variable).map_or(quick, |seconds| seconds.parse().unwrap()))
}

/// `make soak` runs it for ten minutes. Shows OPS-30c, OPS-30d.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_workers_and_a_restarted_database_lose_nothing_and_charge_once() {
    let cluster = Cluster::start();
    let mut several = Several::start(&cluster).await;
    let nginx = Nginx::start(several.ports).await;
    expect_tls(nginx.tls_port).await;
    let (observed, duration) = (Arc::new(Observed::default()), seconds("TOUCHLINE_SEVERAL_S", 20));
    let (started, until) = (Instant::now(), Instant::now() + duration);
    let mut work = JoinSet::new();
    for _ in 0..6 {
        work.spawn(viewer_sessions(nginx.port, Arc::clone(&observed), until));
    }
    work.spawn(clipping(nginx.port, Arc::clone(&observed), until));
    let (mut kills, mut restarted) = (0, false);
    while Instant::now() < until {
        sleep(Duration::from_secs(4)).await;
        if !restarted && started.elapsed() > duration / 2 {
            cluster.restart();
            restarted = true;
        } else {
            // Every third worker is replaced, as by an upgrade.
            let index = kills % 3;
            if index == 2 {
                several.replace(index)
            } else {
                several.kill(index)
            }
            kills += 1;
        }
    }
    while let Some(done) = work.join_next().await {
        done.unwrap();
    }

    let faults = observed.faults.lock().clone();
    assert!(faults.is_empty(), "{faults:#?}");
    let (orders, clips) = (observed.orders.lock().clone(), observed.clips.lock().clone());
    let pool = PgPool::connect(&several.url).await.unwrap();
    let count = async |query: &'static str| sqlx::query_scalar::<_, i64>(query).fetch_one(&pool).await.unwrap();
    let paid = count(
        "SELECT COUNT(*) FROM orders o JOIN users u ON u.id = o.user_id
         WHERE o.status = 'paid' AND u.email LIKE '%@viewers.example'",
    )
    .await;
    let charged = count("SELECT COUNT(*) FROM sandbox_charges WHERE status = 'succeeded'").await;
    let rows = count("SELECT COUNT(*) FROM charges WHERE status = 'succeeded'").await;
    let marked = count("SELECT COUNT(*) FROM favorites").await;
    let waiting = async || {
        let remaining =
            sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM clips WHERE status IN ('queued', 'processing')");
        (remaining.fetch_one(&pool).await.unwrap() == 0).then_some(())
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while waiting().await.is_none() {
        assert!(Instant::now() < deadline, "clips of a killed worker are never created");
        sleep(Duration::from_millis(200)).await;
    }
    let ready = count("SELECT COUNT(*) FROM clips WHERE status = 'ready'").await;
    let resumed = observed.resumed.lock().clone();
    let longest = resumed.iter().max().copied().unwrap_or_default();
    println!(
        "{} purchases, {kills} workers killed or replaced, {} sockets resumed, the slowest after {longest:?}, {} clips",
        orders.len(),
        resumed.len(),
        clips.len(),
    );
    assert_eq!((charged, rows), (paid, paid), "each order is charged once");
    assert!(paid >= orders.len() as i64, "{paid} of {} answered orders are paid", orders.len());
    assert!(marked >= observed.favourites.load(Ordering::Relaxed) as i64);
    assert!(ready >= clips.len() as i64, "{ready} of {} clips", clips.len());
    assert!(longest <= RESUME_LIMIT, "{longest:?}");
    assert!(orders.len() >= 6 && !resumed.is_empty(), "{} purchases, {} resumed", orders.len(), resumed.len());
}

/// Shows OPS-30a: workers share their state.
#[tokio::test]
async fn workers_share_codes_login_limits_revoked_keys_and_statuses() {
    let several = Several::start(&SHARED).await;
    let (one, other, third) = (several.worker(0), several.worker(1), several.worker(2));

    // A status caused by another worker.
    let browser = Browser::new(several.ports[1]);
    let key = one.register().await;
    let (mut socket, _) = browser.socket(&key, None).await.unwrap();
    let card = one.card(&key, "4242424242424242").await;
    let started = Instant::now();
    let (_, answer) = one.buy(&key, &card, &fresh("buy")).await;
    let mut states = Vec::new();
    while states.last() != Some(&json!("paid")) {
        let Message::Text(frame) = timeout(SOON, socket.next()).await.unwrap().unwrap().unwrap() else { continue };
        let frame: Value = serde_json::from_str(&frame).unwrap();
        if frame["kind"] == "order" {
            assert_eq!(frame["id"], answer["data"]["id"]);
            states.push(frame["state"]["status"].clone());
            println!("{} after {:?}", frame["state"]["status"], started.elapsed());
        }
    }
    assert_eq!(states, ["created", "paid"]);

    // A device code from one worker is entered at another, once.
    let device = third.key().await;
    let code = third.data(Method::POST, "auth/session_code", &json!({ "api_key": device })).await["code"].clone();
    let link = json!({ "api_key": key, "code": code });
    let entered = other.call(Method::POST, "auth/add_session", &link).await;
    assert_eq!(entered.0, StatusCode::OK, "{}", entered.1);
    assert_ne!(one.call(Method::POST, "auth/add_session", &link).await.0, StatusCode::OK);

    // Failed sign-ins count across workers.
    let guess = json!({ "email": fresh("nobody") + "@viewers.example", "password": "wrong" });
    let mut refused = 0;
    for round in 0..24 {
        let worker = [one, other, third][round % 3];
        let mut guess = guess.clone();
        guess["api_key"] = json!(worker.key().await);
        let (status, _) = worker.call(Method::POST, "v2/auth/login", &guess).await;
        refused += usize::from(status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(refused, 14, "an account allows ten attempts per address across all workers");

    // A session that ends at one worker ends at the others within seconds.
    assert!(other.user_of(&key).await.is_some());
    one.data(Method::POST, "auth/logout", &json!({ "api_key": key })).await;
    let started = Instant::now();
    eventually("every worker refuses the key", async || other.user_of(&key).await.is_none().then_some(())).await;
    println!("another worker refused the revoked key after {:?}", started.elapsed());
}
