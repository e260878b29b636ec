//! The calls, with a separate store and a stopped clock. The store is a file, or with `TOUCHLINE_TEST_STORE=postgres` a
//! database of a cluster that the tests start.

mod backend;
mod channel_folder;
#[path = "../../../store/tests/contract/cluster.rs"]
mod cluster;
mod host;
mod people;
mod purchases;
mod response;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use touchline_channel::auth::limits::Rates;
use touchline_channel::auth::passwords::PasswordCost;
use touchline_channel::catalogue::FolderSource;
use touchline_channel::http::{AppState, Client};
use touchline_channel::{Channel, ChannelOptions};
use touchline_protocol::ambient::{Clock, ManualClock, SeededEntropy};
use touchline_store::PostgresAddress;
use tower::ServiceExt;
use url::Url;

pub(crate) use channel_folder::{ChannelFolder, SMALL_CHANNEL};
pub(crate) use host::{Host, HostResponse, MEDIA};
pub(crate) use people::{PASSWORD, Person, registration};
pub(crate) use purchases::VALID_CARD;
pub(crate) use response::Answer;

/// Time of every start: event 1 started ten minutes ago, event 2 starts in an hour.
pub(crate) const NOW: i64 = 1_800_000_000;
pub(crate) const DAY_MS: i64 = 24 * 3600 * 1000;

pub(crate) struct App {
    router: Router,
    pub(crate) state: AppState,
    pub(crate) channel: Channel,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) folder: tempfile::TempDir,
    postgres: Option<PostgresAddress>,
    channel_key: &'static str,
}

/// The database of a test without a store file.
async fn test_database() -> Option<PostgresAddress> {
    match std::env::var("TOUCHLINE_TEST_STORE").as_deref() {
        Ok("postgres") => Some(cluster::migrated().await),
        Ok(other) => panic!("TOUCHLINE_TEST_STORE={other}: say postgres, or nothing"),
        Err(_) => None,
    }
}

/// Opening.
impl App {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut ChannelOptions)) -> Self {
        Self::over(tempfile::tempdir().unwrap(), test_database().await, change).await
    }

    /// Opens a folder that a test changes.
    pub(crate) async fn of(folder: &ChannelFolder) -> Self {
        Self::with(|options| options.source = Arc::new(FolderSource::new(folder.path()))).await
    }

    /// Opens the demo channel with its accounts, which the API document's examples refer to.
    pub(crate) async fn with_demo() -> Self {
        let channels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels");
        let change = |options: &mut ChannelOptions| {
            options.source = Arc::new(FolderSource::new(channels));
            options.demo_accounts = true;
        };
        Self { channel_key: "northfield", ..Self::with(change).await }
    }

    /// Restarts on the same store.
    pub(crate) async fn restarted(self) -> Self {
        self.channel.close().await;
        Self::over(self.folder, self.postgres, |_| {}).await
    }

    /// Restarts on the same store, with the same channel folders and time.
    pub(crate) async fn restarted_unchanged(self) -> Self {
        self.channel.close().await;
        let (source, now_ms) = (Arc::clone(self.state.channels.source()), self.clock.now_ms());
        let again = Self::over(self.folder, self.postgres, |options| options.source = source).await;
        again.clock.advance_ms(now_ms - again.clock.now_ms());
        again
    }

    async fn over(
        folder: tempfile::TempDir,
        postgres: Option<PostgresAddress>,
        change: impl FnOnce(&mut ChannelOptions),
    ) -> Self {
        let clock = ManualClock::at_ms(NOW * 1000);
        let mut options = ChannelOptions {
            postgres: postgres.clone(),
            sandbox_delay: Duration::ZERO,
            password_cost: PasswordCost { memory_kib: 8, passes: 1 },
            rates: Rates::unlimited(),
            mail_from: "no-reply@meadow.test".to_owned(),
            ..ChannelOptions::new(
                folder.path().join("channel.sqlite"),
                Arc::new(FolderSource::new(SMALL_CHANNEL)),
                Arc::clone(&clock) as Arc<dyn Clock>,
                SeededEntropy::new(7),
                Url::parse("http://127.0.0.1:8080").unwrap(),
            )
        };
        change(&mut options);
        let channel = Channel::open(options).await.unwrap();
        let (router, _) = channel.router().split_for_parts();
        Self { router, state: channel.state().clone(), channel, clock, folder, postgres, channel_key: "meadow" }
    }

    /// Loads the changes of the channel's folder.
    pub(crate) fn reload(&self) {
        assert!(self.state.channels.reload().unwrap());
    }
}

/// Requests.
impl App {
    /// Sends any body and headers.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let request = Request::builder().method(method).uri(format!("/api/{path}"));
        self.call(with_headers(request, headers).body(body.into()).unwrap(), Client::default()).await
    }

    async fn call(&self, mut request: Request<Body>, client: Client) -> Answer {
        request.extensions_mut().insert(client);
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, headers, body }
    }

    /// Fetches an address, from this country if one is given.
    pub(crate) async fn fetch(&self, address: &str, country: Option<&str>) -> Answer {
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        self.call(request, Client { country: country.map(str::to_owned), ..Client::default() }).await
    }

    /// Requests the headers of an address.
    pub(crate) async fn head(&self, address: &str) -> Answer {
        let request = Request::head(address).body(Body::empty()).unwrap();
        self.call(request, Client::default()).await
    }

    /// Fetches an address with headers.
    pub(crate) async fn fetch_with(&self, headers: &[(&str, &str)], address: &str) -> Answer {
        let request = with_headers(Request::builder().uri(address), headers);
        self.call(request.body(Body::empty()).unwrap(), Client::default()).await
    }

    /// Fetches an address from this network.
    pub(crate) async fn fetch_from(&self, network: [u8; 4], address: &str) -> Answer {
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        self.call(request, Client { address: network.into(), ..Client::default() }).await
    }

    pub(crate) async fn get(&self, key: &str, path: &str) -> Answer {
        self.get_with(&[], key, path).await
    }

    pub(crate) async fn get_with(&self, headers: &[(&str, &str)], key: &str, path: &str) -> Answer {
        self.send(Method::GET, &keyed(path, key), headers, Body::empty()).await
    }

    pub(crate) async fn get_from(&self, country: Option<&str>, key: &str, path: &str) -> Answer {
        self.fetch(&format!("/api/{}", keyed(path, key)), country).await
    }

    /// Requests the playback of the event's first medium of this type.
    pub(crate) async fn playback(&self, key: &str, event: i64, kind: i64) -> Answer {
        let media = self.get(key, &format!("events/{event}")).await.data()["media"].clone();
        let medium = media.as_array().unwrap().iter().find(|medium| medium["type"] == kind).unwrap();
        self.get(key, &format!("events/{event}/playback/{}", medium["id"])).await
    }

    pub(crate) async fn delete(&self, key: &str, path: &str) -> Answer {
        self.send(Method::DELETE, &keyed(path, key), &[], Body::empty()).await
    }

    pub(crate) async fn post(&self, key: &str, path: &str, body: Value) -> Answer {
        self.post_with(key, path, &[], body).await
    }

    pub(crate) async fn post_with(&self, key: &str, path: &str, headers: &[(&str, &str)], mut body: Value) -> Answer {
        body["api_key"] = json!(key);
        self.send(Method::POST, path, headers, body.to_string()).await
    }

    pub(crate) async fn post_from(&self, address: [u8; 4], key: &str, path: &str, body: Value) -> Answer {
        self.post_on(address, None, key, path, body).await
    }

    /// Posts from an address, with the device's cookie if it has one.
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
        self.call(request.body(Body::from(body.to_string())).unwrap(), client).await
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
        self.call(request.body(Body::from(body.to_string())).unwrap(), client).await
    }
}

fn keyed(path: &str, key: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}api_key={key}")
}

fn with_headers(mut request: request::Builder, headers: &[(&str, &str)]) -> request::Builder {
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request
}
