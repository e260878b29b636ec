//! The calls over a store in a folder of its own and a clock that stands still.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use touchline_channel::auth::limits::Rates;
use touchline_channel::auth::passwords::PasswordCost;
use touchline_channel::catalogue::FolderSource;
use touchline_channel::http::Client;
use touchline_channel::mail::{FolderMailer, delivery};
use touchline_channel::payments::billing;
use touchline_channel::state::AppState;
use touchline_channel::{Channel, ChannelOptions};
use touchline_protocol::ambient::{Clock, ManualClock, SeededEntropy};
use touchline_store::UserChange;
use tower::ServiceExt;
use url::Url;

pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const DAY_MS: i64 = 24 * 3600 * 1000;
pub(crate) const PAYS: &str = "4242 4242 4242 4242";
pub(crate) const PASSWORD: &str = "correct horse";

pub(crate) struct App {
    router: Router,
    pub(crate) state: AppState,
    pub(crate) channel: Channel,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) folder: tempfile::TempDir,
    channel_key: &'static str,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Someone who is logged in.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) key: String,
    pub(crate) id: i64,
    pub(crate) email: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// What stands under `data`, of a success.
    pub(crate) fn data(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        self.json()["data"].clone()
    }

    /// Sees that this is a failure in the house's shape; gives its message.
    pub(crate) fn fails(&self, status: u16, code: &str) -> String {
        let json = self.json();
        assert_eq!((self.status.as_u16(), json["code"].as_str()), (status, Some(code)), "{json}");
        assert!(json["errors"].is_object(), "{json}");
        json["message"].as_str().unwrap().to_owned()
    }

    /// Sees that this is a 400 that blames this field; gives the field's first fault.
    pub(crate) fn blames(&self, field: &str) -> String {
        let json = self.json();
        assert_eq!(self.status, StatusCode::BAD_REQUEST, "{json}");
        json["errors"][field][0].as_str().unwrap_or_else(|| panic!("{field} is not blamed: {json}")).to_owned()
    }
}

impl App {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut ChannelOptions)) -> Self {
        Self::over(tempfile::tempdir().unwrap(), change).await
    }

    /// Over the demo channel, with its accounts: what the document's examples are of.
    pub(crate) async fn of_the_demo() -> Self {
        let channels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels");
        let change = |options: &mut ChannelOptions| {
            options.source = Arc::new(FolderSource::new(channels));
            options.demo_accounts = true;
        };
        Self { channel_key: "northfield", ..Self::with(change).await }
    }

    /// Stops everything and starts again over the same store.
    pub(crate) async fn restarted(self) -> Self {
        self.channel.close().await;
        Self::over(self.folder, |_| {}).await
    }

    async fn over(folder: tempfile::TempDir, change: impl FnOnce(&mut ChannelOptions)) -> Self {
        let clock = ManualClock::at_ms(NOW * 1000);
        let channels: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/channels");
        let mut options = ChannelOptions {
            sandbox_delay: Duration::ZERO,
            password_cost: PasswordCost { memory_kib: 8, passes: 1 },
            rates: Rates::unlimited(),
            mail_from: "no-reply@meadow.test".to_owned(),
            ..ChannelOptions::new(
                folder.path().join("channel.sqlite"),
                Arc::new(FolderSource::new(channels)),
                Arc::clone(&clock) as Arc<dyn Clock>,
                SeededEntropy::new(7),
                Url::parse("http://127.0.0.1:8080").unwrap(),
            )
        };
        change(&mut options);
        let channel = Channel::open(options).await.unwrap();
        let (router, _) = channel.router().split_for_parts();
        Self { router, state: channel.state().clone(), channel, clock, folder, channel_key: "meadow" }
    }

    /// Asks with any body and headers.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/api/{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.ask(request.body(body.into()).unwrap(), Client::default()).await
    }

    async fn ask(&self, mut request: Request<Body>, client: Client) -> Answer {
        request.extensions_mut().insert(client);
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, headers, body }
    }

    /// A file under `/media`, by its address, from this country when one is named.
    pub(crate) async fn fetch(&self, address: &str, country: Option<&str>) -> Answer {
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        self.ask(request, Client { country: country.map(str::to_owned), ..Client::default() }).await
    }

    /// A file under `/media`, from a network of its own.
    pub(crate) async fn fetch_from(&self, network: [u8; 4], address: &str) -> Answer {
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        self.ask(request, Client { address: network.into(), ..Client::default() }).await
    }

    /// Posts from an address of its own.
    pub(crate) async fn post_from(&self, address: [u8; 4], key: &str, path: &str, mut body: Value) -> Answer {
        body["api_key"] = json!(key);
        let request = Request::post(format!("/api/{path}")).body(Body::from(body.to_string())).unwrap();
        self.ask(request, Client { address: address.into(), ..Client::default() }).await
    }

    /// Posts from an address, with a device's cookie when it has one.
    pub(crate) async fn post_on(
        &self,
        address: [u8; 4],
        cookie: Option<&str>,
        key: &str,
        path: &str,
        mut body: Value,
    ) -> Answer {
        body["api_key"] = json!(key);
        let mut request = Request::post(format!("/api/{path}"));
        if let Some(cookie) = cookie {
            request = request.header("cookie", format!("theme=dark; {cookie}"));
        }
        let client = Client { address: address.into(), ..Client::default() };
        self.ask(request.body(Body::from(body.to_string())).unwrap(), client).await
    }

    /// Posts from a country, with an `Idempotency-Key`.
    pub(crate) async fn post_in(
        &self,
        country: &str,
        key: &str,
        path: &str,
        idempotency: &str,
        mut body: Value,
    ) -> Answer {
        body["api_key"] = json!(key);
        let request = Request::post(format!("/api/{path}")).header("idempotency-key", idempotency);
        let client = Client { country: Some(country.to_owned()), ..Client::default() };
        self.ask(request.body(Body::from(body.to_string())).unwrap(), client).await
    }

    /// Asks from a country.
    pub(crate) async fn get_from(&self, country: &str, key: &str, path: &str) -> Answer {
        self.fetch(&format!("/api/{path}&api_key={key}"), Some(country)).await
    }

    pub(crate) async fn get(&self, key: &str, path: &str) -> Answer {
        let joint = if path.contains('?') { '&' } else { '?' };
        self.send(Method::GET, &format!("{path}{joint}api_key={key}"), &[], Body::empty()).await
    }

    pub(crate) async fn delete(&self, key: &str, path: &str) -> Answer {
        self.send(Method::DELETE, &format!("{path}?api_key={key}"), &[], Body::empty()).await
    }

    pub(crate) async fn post(&self, key: &str, path: &str, body: Value) -> Answer {
        self.post_with(key, path, &[], body).await
    }

    pub(crate) async fn post_with(&self, key: &str, path: &str, headers: &[(&str, &str)], mut body: Value) -> Answer {
        body["api_key"] = json!(key);
        self.send(Method::POST, path, headers, body.to_string()).await
    }

    /// A key of nobody.
    pub(crate) async fn visitor(&self) -> String {
        let body = json!({ "channel_key": self.channel_key }).to_string();
        let answer = self.send(Method::POST, "get_api_key", &[], body).await.data();
        answer["api_key"].as_str().unwrap().to_owned()
    }

    /// Registers someone by name.
    pub(crate) async fn person(&self, name: &str) -> Person {
        let email = format!("{name}@example.com");
        let session = self.post(&self.visitor().await, "v2/auth/register", registration(&email)).await.data();
        Person {
            key: session["api_key"].as_str().unwrap().to_owned(),
            id: session["user"]["id"].as_i64().unwrap(),
            email,
        }
    }

    /// Registers someone by name, whose address is verified.
    pub(crate) async fn verified_person(&self, name: &str) -> Person {
        let person = self.person(name).await;
        let change = UserChange { email_verified: Some(true), ..UserChange::default() };
        self.state.store.change_user(person.id, change, &[]).await.unwrap();
        person
    }

    /// Logs someone in on another device.
    pub(crate) async fn login(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post(&self.visitor().await, "v2/auth/login", body).await
    }

    /// Enters a test card.
    pub(crate) async fn card(&self, person: &Person, number: &str) -> String {
        let intent = self.post(&person.key, "stripe/setup-intent", json!({})).await.data();
        let body = json!({ "client_secret": intent["client_secret"], "number": number, "exp": "12/34", "cvc": "123" });
        let card = self.post(&person.key, "stripe/sandbox-card", body).await.data();
        card["payment_method_id"].as_str().unwrap().to_owned()
    }

    /// Buys with a key for the purchase.
    pub(crate) async fn buy(&self, person: &Person, key: &str, body: Value) -> Answer {
        self.post_with(&person.key, "stripe/buy", &[("idempotency-key", key)], body).await
    }

    /// Buys with a new card of this number, and has it charged; gives the order.
    pub(crate) async fn bought(&self, person: &Person, number: &str, mut body: Value) -> Value {
        let card = self.card(person, number).await;
        body["payment_method_id"] = json!(card);
        let placed = self.buy(person, &card, body).await.data();
        self.settle().await;
        self.order(person, &placed["id"]).await
    }

    /// Does the work behind the calls that is due.
    pub(crate) async fn settle(&self) {
        billing::settle_due(&self.state.billing()).await.unwrap();
    }

    pub(crate) async fn order(&self, person: &Person, id: &Value) -> Value {
        self.get(&person.key, &format!("orders/{id}")).await.data()
    }

    /// Changes the store behind the worker's back.
    pub(crate) async fn in_the_store(&self, statement: &'static str) {
        let path = self.folder.path().join("channel.sqlite");
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        sqlx::query(statement).execute(&pool).await.unwrap();
        pool.close().await;
    }

    /// Counts in the store behind the worker's back.
    pub(crate) async fn count(&self, statement: &'static str) -> i64 {
        let path = self.folder.path().join("channel.sqlite");
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        let count = sqlx::query_scalar(statement).fetch_one(&pool).await.unwrap();
        pool.close().await;
        count
    }

    /// How many letters to `ada@example.com` were sent.
    pub(crate) async fn letters(&self) -> u64 {
        delivery::send_due(&self.state.delivery()).await.unwrap();
        let mail = FolderMailer::new(self.folder.path().join("mail"), "a@b.test".parse().unwrap()).unwrap();
        mail.letters().unwrap().iter().filter(|letter| letter.raw.contains("To: ada@example.com")).count() as u64
    }

    /// How many charges the provider counts, by status.
    pub(crate) async fn charges(&self, status: &str) -> i64 {
        let path = self.folder.path().join("channel.sqlite");
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM sandbox_charges WHERE status = $1")
            .bind(status)
            .fetch_one(&pool)
            .await
            .unwrap();
        pool.close().await;
        count
    }

    /// The link of the newest letter to someone, as the body of the call that it leads to; nothing when there is none.
    pub(crate) async fn link_to(&self, email: &str) -> Option<Value> {
        delivery::send_due(&self.state.delivery()).await.unwrap();
        let mail = FolderMailer::new(self.folder.path().join("mail"), "a@b.test".parse().unwrap()).unwrap();
        let letter = mail.letters().unwrap().into_iter().find(|letter| letter.raw.contains(&format!("To: {email}")))?;
        let text = letter.raw.replace("=\r\n", "").replace("=3D", "=");
        let start = ["https://meadow.test/", "http://127.0.0.1:8080/"].iter().find_map(|site| text.find(site)).unwrap();
        let link = Url::parse(text[start..].split_whitespace().next().unwrap()).unwrap();
        let value = |name: &str| link.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        let expires: i64 = value("expires").parse().unwrap();
        Some(json!({ "email": value("email"), "expires": expires, "signature": value("signature") }))
    }
}

/// A registration that nothing is wrong with.
pub(crate) fn registration(email: &str) -> Value {
    json!({
        "first_name": "Ada", "last_name": "Byron", "email": email, "password": PASSWORD,
        "password_confirmation": PASSWORD, "terms": true,
    })
}

/// Copies a folder, so that a test can change what is in it.
pub(crate) fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}
