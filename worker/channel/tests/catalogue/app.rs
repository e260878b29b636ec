//! The calls over a store in a folder of its own and a clock that stands still.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::Value;
use touchline_channel::auth::keyring::digest;
use touchline_channel::catalogue::FolderSource;
use touchline_channel::channel::{Channel, ChannelOptions};
use touchline_channel::http::{Caller, Client};
use touchline_channel::state::AppState;
use touchline_protocol::ambient::{Clock, ManualClock, SeededEntropy, SharedClock};
use touchline_protocol::favorites::FavoritableType;
use touchline_protocol::purchases::OrderType;
use touchline_store::{NewKey, NewOrder, NewSubscription, NewUser, Outcome, Placed, Registered};
use tower::ServiceExt;
use url::Url;

/// When everything starts: event 1 is ten minutes old, event 2 begins in an hour.
pub(crate) const NOW: i64 = 1_800_000_000;

pub(crate) struct App {
    router: Router,
    pub(crate) state: AppState,
    pub(crate) clock: Arc<ManualClock>,
    folders: Vec<tempfile::TempDir>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
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

    /// The ids of what stands under `data`.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.data().as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
    }

    pub(crate) fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Sees that this is a failure in the house's shape.
    pub(crate) fn fails(&self, status: u16, code: &str) -> Value {
        let json = self.json();
        assert_eq!((self.status.as_u16(), json["code"].as_str()), (status, Some(code)), "{json}");
        assert!(!json["message"].as_str().unwrap().is_empty());
        json
    }
}

/// Someone with a key.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub(crate) key: String,
    pub(crate) user_id: Option<i64>,
}

impl App {
    pub(crate) async fn new() -> Self {
        Self::over(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/channels")).await
    }

    /// Over a copy of the small channel that asks nobody where they are.
    pub(crate) async fn without_regions() -> Self {
        let channels = tempfile::tempdir().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/channels"), channels.path());
        let mut app = Self::over(channels.path().to_owned()).await;
        app.folders.push(channels);
        app.change("channel.json", r#"{ "deny": ["KP"], "unknown": "allow" }"#, "{}");
        app
    }

    /// Changes a file of the copied channel, and loads it.
    pub(crate) fn change(&self, file: &str, from: &str, to: &str) {
        let file = self.folders.last().unwrap().path().join("meadow").join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).unwrap();
        assert!(self.state.channels.reload().unwrap());
    }

    async fn over(channels: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at_ms(NOW * 1000);
        let entropy = SeededEntropy::new(7);
        let source = Arc::new(FolderSource::new(channels));
        let site = Url::parse("http://127.0.0.1:8080").unwrap();
        let store = folder.path().join("channel.sqlite");
        let options = ChannelOptions::new(store, source, Arc::clone(&clock) as SharedClock, entropy, site);
        let channel = Channel::open(options).await.unwrap();
        let (router, _) = channel.router().split_for_parts();
        let state = channel.state().clone();
        Self { router, state, clock, folders: vec![folder] }
    }

    async fn give(&self, name: &str, user_id: Option<i64>) -> Viewer {
        let new = NewKey {
            hash: hex::encode(digest(name)),
            channel_key: "meadow".to_owned(),
            user_id,
            device_name: String::new(),
            at: self.clock.now_ms(),
        };
        self.state.store.give_key(new, None).await.unwrap().unwrap();
        Viewer { key: name.to_owned(), user_id }
    }

    /// A visitor.
    pub(crate) async fn visitor(&self) -> Viewer {
        self.give("visitor", None).await
    }

    /// A person with these rights; `name` makes their address and key.
    pub(crate) async fn person(&self, name: &str, capabilities: &[&str]) -> Viewer {
        self.register(name, capabilities, false).await
    }

    /// A person who must change their password first.
    pub(crate) async fn temporary(&self, name: &str) -> Viewer {
        self.register(name, &["watch", "download"], true).await
    }

    async fn register(&self, name: &str, capabilities: &[&str], temporary_password: bool) -> Viewer {
        let new = NewUser {
            channel_key: "meadow".to_owned(),
            email: format!("{name}@meadow.test"),
            email_verified: true,
            first_name: "Morgan".to_owned(),
            last_name: "Olsen".to_owned(),
            password_hash: None,
            temporary_password,
            capabilities: capabilities.iter().map(|&name| name.to_owned()).collect(),
            social: None,
            at: self.clock.now_ms(),
        };
        match self.state.store.register_user(new, None, None).await.unwrap() {
            Registered::New(user, _) => self.give(name, Some(user.id)).await,
            other => panic!("{other:?}"),
        }
    }

    /// Sees to it that the person has paid for this.
    pub(crate) async fn buys(
        &self,
        viewer: &Viewer,
        kind: OrderType,
        product_id: i64,
        covers: &[i64],
        team: Option<i64>,
    ) {
        let at = self.clock.now_ms();
        let subscription = (kind == OrderType::Subscription).then_some(NewSubscription {
            annual: false,
            trial_days: 0,
            renewal_price: 1299,
        });
        let new = NewOrder {
            channel_key: "meadow".to_owned(),
            user_id: viewer.user_id.unwrap(),
            kind,
            product_id,
            product_name: "Something".to_owned(),
            event_category_id: None,
            participant_id: team,
            event_categories: covers.to_vec(),
            base_price: 1000,
            discount: 0,
            service_fee: 0,
            currency: "USD".to_owned(),
            promo_code: None,
            payment_method_id: "pm".to_owned(),
            period_days: 0,
            subscription,
            at,
            charge_at: at,
        };
        let order = match self.state.store.place_order(new, None).await.unwrap() {
            Placed::Order(order) => order,
            other => panic!("{other:?}"),
        };
        let period_end = (kind == OrderType::Subscription).then_some(at + 30 * 86_400_000);
        let paid = Outcome::Paid { period_end, trial_end: None };
        self.state.store.settle_order(order.id, 0, paid, at).await.unwrap().unwrap();
    }

    /// Marks a favourite.
    pub(crate) async fn marks(&self, viewer: &Viewer, kind: FavoritableType, id: i64) {
        self.state.store.mark_favorite(viewer.user_id.unwrap(), kind, id, 100, NOW * 1000, None).await.unwrap();
    }

    /// Asks without a key, from a country, with headers.
    pub(crate) async fn fetch(
        &self,
        path: &str,
        country: Option<&str>,
        headers: &[(header::HeaderName, &str)],
    ) -> Answer {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        let client = Client { country: country.map(str::to_owned), ..Client::default() };
        request.extensions_mut().insert(client);
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        Answer { status, headers, body }
    }

    /// Fetches something that is not under `/api`.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.fetch(path, None, &[]).await
    }

    /// Asks where the event's first medium of this type is watched.
    pub(crate) async fn playback(&self, viewer: &Viewer, event: i64, kind: i64) -> Answer {
        let media = self.call(viewer, &format!("events/{event}")).await.data()["media"].clone();
        let medium = media.as_array().unwrap().iter().find(|medium| medium["type"] == kind).unwrap();
        self.call(viewer, &format!("events/{event}/playback/{}", medium["id"])).await
    }

    /// Someone as the handlers see them.
    pub(crate) async fn caller(&self, viewer: &Viewer) -> Caller {
        let identity = self.state.authenticate(&viewer.key).await.unwrap().unwrap();
        let channel = self.state.channels.by_key("meadow").unwrap();
        let (key_id, user_id, person_id) = (identity.key_id, identity.user_id, identity.person_id);
        Caller { channel, key_id, user_id, person_id, client: Client::default() }
    }

    /// Makes a call with a key.
    pub(crate) async fn call(&self, viewer: &Viewer, call: &str) -> Answer {
        self.call_from(viewer, call, None, &[]).await
    }

    /// Makes a call with a key, from a country, with headers.
    pub(crate) async fn call_from(
        &self,
        viewer: &Viewer,
        call: &str,
        country: Option<&str>,
        headers: &[(header::HeaderName, &str)],
    ) -> Answer {
        let joint = if call.contains('?') { '&' } else { '?' };
        self.fetch(&format!("/api/{call}{joint}api_key={}", viewer.key), country, headers).await
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
