//! Handling of one call: the upstream, this worker or the channel folder answers it, and the response is corrected and
//! cached (`UP-1` to `UP-5`).

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Value, json};
use touchline_protocol::site_path::SitePath;
use touchline_protocol::sync::StatusKind;

use crate::calls::{Audience, Call, Owner, call_of, is_looked_up};
use crate::client::{Answer, Outgoing};
use crate::derived::transactions_of;
use crate::failure::{self, Failure};
use crate::memory::{Fetched, Kept, Subject};
use crate::request::{Posted, Public, Query, Viewpoint, headers_of, idempotency_key, is_safe, path_of};
use crate::upstream::Upstream;
use crate::viewers::{Viewer, blames_key, key_in};
use crate::writes::Written;

/// Largest request body, in bytes. The router has already refused larger ones.
const BODY_BYTES: usize = 1 << 20;

/// A call outside the specification.
const EXTRA: Call = Call { path: "", method: "", owner: Owner::Extra, audience: Audience::Private, feature: "" };

pub(crate) struct Asked {
    call: Call,
    /// Path of the route below `/api/`, such as `events/{id}`.
    route: String,
    /// Path of the request below `/api/`.
    path: String,
    method: Method,
    headers: HeaderMap,
    query: Query,
    posted: Option<Posted>,
    host: String,
    channel_key: String,
    viewpoint: Viewpoint,
}

impl Asked {
    /// A public read that this worker makes for itself. `route` is a path such as `events/{id}`.
    pub(crate) fn of_everyones(route: &str, path: String, rest: &str, site: &Public<'_>) -> Self {
        let method = Method::GET;
        let call = call_of(&method, route).unwrap_or(EXTRA);
        Self {
            call,
            route: route.to_owned(),
            path,
            method,
            headers: HeaderMap::new(),
            query: Query { api_key: None, rest: rest.to_owned() },
            posted: None,
            host: site.host.to_owned(),
            channel_key: site.channel_key.to_owned(),
            viewpoint: site.viewpoint.clone(),
        }
    }

    /// The cache key of a response for all viewers.
    pub(crate) fn shared_subject(&self) -> Subject {
        let country = self.viewpoint.country.as_deref().unwrap_or_default();
        let scheme = self.viewpoint.scheme();
        Subject { audience: format!("{} {country} {scheme}", self.channel_key), call: self.name() }
    }

    fn name(&self) -> String {
        format!("{}?{}", self.path, self.query.rest)
    }

    fn api_key(&self) -> Option<&str> {
        self.posted.as_ref().map_or(self.query.api_key.as_deref(), |posted| posted.api_key.as_deref())
    }

    /// Headers for a read for all viewers. Nothing of the first client is forwarded except the country and scheme,
    /// which are part of the cache key.
    fn everyones_headers(&self) -> HeaderMap {
        // If the viewer's country is unknown, the response must not depend on their address.
        let address = self.viewpoint.country.as_ref().and(self.viewpoint.address.clone());
        let viewpoint = Viewpoint { address, ..self.viewpoint.clone() };
        headers_of(&HeaderMap::new(), &viewpoint, self.headers.get("x-request-id"))
    }

    fn outgoing(&self, api_key: Option<&str>) -> Outgoing {
        let request_id = self.headers.get("x-request-id");
        let mut headers = headers_of(&self.headers, &self.viewpoint, request_id);
        let (query, body) = match &self.posted {
            Some(posted) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                (String::new(), Some(posted.bytes.clone()))
            }
            None => (self.query.with_key(api_key), None),
        };
        Outgoing { method: self.method.clone(), path: self.path.clone(), query, headers, body }
    }
}

impl Upstream {
    /// Middleware that answers a call, or passes it to this worker's own handlers.
    pub(crate) async fn pass(self, request: Request, next: Next) -> Response {
        let Some(below) = request.uri().path().strip_prefix("/api/") else {
            return self.pass_file(request, next).await;
        };
        // Paths outside the API document have no handler, and the router answers 404.
        let Some(route) = self.shapes().route_of(below) else { return next.run(request).await };
        let route = route.to_owned();
        let method = if *request.method() == Method::HEAD { Method::GET } else { request.method().clone() };
        let call = call_of(&method, &route).unwrap_or(EXTRA);
        match call.owner {
            Owner::Worker => return next.run(request).await,
            Owner::Extra if !self.features().has(method.as_str(), &route) => return failure::switched_off(),
            _ => {}
        }
        match self.read(call, route, method, request).await {
            Ok(asked) => self.answer(asked).await,
            Err(response) => response,
        }
    }

    async fn read(&self, call: Call, route: String, method: Method, request: Request) -> Result<Asked, Response> {
        let fault = |(place, fault)| failure::malformed(place, fault);
        let (parts, body) = request.into_parts();
        let host = self.site().host_of(&parts.uri, &parts.headers);
        let channel_key = self.site().channel_of(&host).unwrap_or_default();
        let posted = if method == Method::POST {
            let bytes = to_bytes(body, BODY_BYTES).await.map_err(|_| fault(("body", "the body was cut short")))?;
            idempotency_key(&parts.headers).map_err(fault)?;
            Some(Posted::read(bytes).map_err(fault)?)
        } else {
            None
        };
        Ok(Asked {
            call,
            route,
            path: path_of(parts.uri.path()).map_err(fault)?,
            method,
            query: Query::read(parts.uri.query()).map_err(fault)?,
            posted,
            host,
            channel_key,
            viewpoint: self.site().viewpoint(&parts.extensions),
            headers: parts.headers,
        })
    }

    async fn answer(&self, asked: Asked) -> Response {
        if asked.call.owner == Owner::Folder && !self.features().has(asked.method.as_str(), &asked.route) {
            return self.of_folder(&asked).await.unwrap_or_else(failure::switched_off);
        }
        if asked.call.owner == Owner::Orders && !self.features().has(asked.method.as_str(), &asked.route) {
            return self.of_orders(&asked).await;
        }
        if asked.method == Method::GET && asked.call.audience != Audience::Private {
            return self.remembered(asked).await;
        }
        if let Some(posted) = &asked.posted
            && is_looked_up(&asked.route)
            && !self.features().knows_keys()
            && let Ok(Some(key)) = idempotency_key(&asked.headers)
        {
            let posted = posted.clone();
            return self.written(asked, key, posted).await;
        }
        if is_safe(&asked.method) {
            return self.pass_on(&asked).await;
        }
        // A write completes even if its viewer disconnects. The next request with the key gets the result.
        let this = self.clone();
        let passed = async move { this.pass_on(&asked).await };
        tokio::spawn(passed).await.unwrap_or_else(|_| Failure::Broken.into_response())
    }

    /// Handles a write whose response is stored under its `Idempotency-Key`.
    async fn written(&self, asked: Asked, key: String, posted: Posted) -> Response {
        let Some(api_key) = posted.api_key.clone() else {
            return self.pass_on(&asked).await;
        };
        let scope = match self.viewers().identify(self.client(), &api_key).await {
            Ok(Viewer::Person(id)) => format!("user:{id}"),
            // The upstream's own refusal is returned.
            Ok(Viewer::Anonymous | Viewer::Refused) => return self.pass_on(&asked).await,
            Err(failure) => return failure.into_response(),
        };
        let this = self.clone();
        let writing = async move {
            match this.writes().once(scope, key, asked.outgoing(None), posted).await {
                Written::Done(body) => this.mended(&asked, body, &HeaderMap::new()).await,
                Written::Refused(answer) => this.returned(&asked, answer).await,
                Written::Told(response) => response,
            }
        };
        tokio::spawn(writing).await.unwrap_or_else(|_| Failure::Broken.into_response())
    }

    async fn pass_on(&self, asked: &Asked) -> Response {
        match self.client().ask(&asked.outgoing(asked.api_key())).await {
            Ok(answer) => self.returned(asked, answer).await,
            Err(failure) => failure.into_response(),
        }
    }

    /// Reads catalogue data. The response for all viewers is requested with this worker's own key, so it can't contain
    /// a viewer's data. A signed-in viewer's response is cached only under their key.
    async fn remembered(&self, asked: Asked) -> Response {
        let Some(viewer_key) = asked.query.api_key.clone() else { return self.pass_on(&asked).await };
        let is_everyones = asked.call.audience == Audience::Channel || self.is_anonymous(&viewer_key).await;
        let subject = if is_everyones {
            asked.shared_subject()
        } else {
            let country = asked.viewpoint.country.as_deref().unwrap_or_default();
            let number = self.memory().number_of(&viewer_key).await;
            Subject { audience: format!("key {number} {country}"), call: asked.name() }
        };
        let (this, headers, rests) = (self.clone(), asked.headers.clone(), self.client().rests());
        let asked = Arc::new(asked);
        let fetch = move |kept: Option<Arc<Kept>>| async move {
            if is_everyones {
                this.fetch_for_all(&asked, kept).await
            } else {
                this.fetch(&asked, &viewer_key, kept).await
            }
        };
        self.memory().read(subject, &headers, is_everyones, rests, fetch).await
    }

    /// Whether the key gets the response for all viewers. If that isn't known yet it doesn't, and the next request
    /// will.
    async fn is_anonymous(&self, api_key: &str) -> bool {
        let known = self.viewers().is_anonymous(api_key).await;
        if known.is_none() && !self.client().rests() {
            let (this, api_key) = (self.clone(), api_key.to_owned());
            tokio::spawn(async move { this.viewers().identify(this.client(), &api_key).await.is_ok() });
        }
        known.unwrap_or(false)
    }

    pub(crate) async fn fetch_for_all(&self, asked: &Asked, kept: Option<Arc<Kept>>) -> Result<Fetched, Failure> {
        for is_last in [false, true] {
            let own = self.viewers().own_key(self.client(), &asked.channel_key).await?;
            let request = Outgoing { headers: asked.everyones_headers(), ..asked.outgoing(Some(&own)) };
            let answer = self.client().ask(&if_changed(request, kept.as_deref())).await?;
            if blames_key(&answer) && !is_last {
                self.viewers().drop_own_key(&asked.channel_key, &own).await;
                continue;
            }
            return self.fetched(asked, answer).await;
        }
        Err(Failure::Foreign("the upstream refused its own key"))
    }

    async fn fetch(&self, asked: &Asked, key: &str, kept: Option<Arc<Kept>>) -> Result<Fetched, Failure> {
        let answer = self.client().ask(&if_changed(asked.outgoing(Some(key)), kept.as_deref())).await?;
        self.fetched(asked, answer).await
    }

    async fn fetched(&self, asked: &Asked, answer: Answer) -> Result<Fetched, Failure> {
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(Fetched::Same);
        }
        if answer.status != StatusCode::OK {
            answer.json()?;
            if answer.status == StatusCode::NOT_FOUND
                && asked.call.audience == Audience::Channel
                && let Some(local) = self.of_folder(asked).await
            {
                return Ok(Fetched::Refused(local));
            }
            return Ok(Fetched::Refused(self.returned(asked, answer).await));
        }
        let etag = answer.etag.clone();
        let body = self.shaped(asked, answer.json()?).await?;
        Ok(Fetched::New(Kept::new(body.to_string().into(), etag)))
    }

    /// Transactions derived from the upstream's orders.
    async fn of_orders(&self, asked: &Asked) -> Response {
        let query = Query { api_key: None, rest: "no_limit=1".to_owned() }.with_key(asked.api_key());
        let mut request = asked.outgoing(None);
        (request.path, request.query) = ("orders".to_owned(), query);
        match self.client().ask(&request).await {
            Ok(answer) if answer.status == StatusCode::OK => match answer.json() {
                Ok(orders) => {
                    let (orders, mends) = self.shapes().mend("GET", "orders", orders);
                    self.tell_mends("GET", "orders", &mends);
                    self.mended(asked, transactions_of(&orders.unwrap_or_default()), &HeaderMap::new()).await
                }
                Err(failure) => failure.into_response(),
            },
            Ok(answer) => self.returned(asked, answer).await,
            Err(failure) => failure.into_response(),
        }
    }

    /// The channel folder's response.
    async fn of_folder(&self, asked: &Asked) -> Option<Response> {
        let answer = self.local()?.answer(&asked.host, &asked.channel_key, &asked.path, &asked.query).await?;
        Some(json_response(StatusCode::OK, answer.to_string().into(), &HeaderMap::new()))
    }

    /// Converts the upstream's response for the viewer.
    async fn returned(&self, asked: &Asked, answer: Answer) -> Response {
        if let Some(kind) = self.shapes().file_kind(&asked.method, &asked.route).filter(|_| answer.status.is_success())
        {
            return file_response(answer, kind);
        }
        let Ok(body) = answer.json() else {
            return Failure::Foreign("the body is not JSON").into_response();
        };
        if answer.status.is_success() {
            return self.mended(asked, body, &answer.headers).await;
        }
        if let Some(key) = asked.api_key()
            && (blames_key(&answer) || answer.status == StatusCode::UNAUTHORIZED)
        {
            self.key_failed(key).await;
        }
        json_response(answer.status, answer.body, &answer.headers)
    }

    /// Corrects a successful response to its call's schema, and remembers what it reveals about the viewer's key.
    async fn mended(&self, asked: &Asked, body: Value, headers: &HeaderMap) -> Response {
        let body = match self.shaped(asked, body).await {
            Ok(body) => body,
            Err(failure) => return failure.into_response(),
        };
        self.learn(asked, &body).await;
        json_response(StatusCode::OK, body.to_string().into(), headers)
    }

    async fn shaped(&self, asked: &Asked, mut body: Value) -> Result<Value, Failure> {
        let is_bundle = asked.route == "channel-bootstrap-data";
        if asked.route == "settings" || is_bundle {
            let local = match self.local() {
                Some(local) => local.answer(&asked.host, &asked.channel_key, "settings", &Query::default()).await,
                None => None,
            };
            if body.get("data").is_none() {
                body = json!({ "data": body });
            }
            let settings = if is_bundle { &mut body["data"]["settings"] } else { &mut body["data"] };
            self.complete(settings, local.as_ref().and_then(|local| local["data"].as_object()));
        }
        let (body, mends) = self.shapes().mend(asked.method.as_str(), &asked.route, body);
        self.tell_mends(asked.method.as_str(), &asked.route, &mends);
        body.ok_or(Failure::Foreign("the price cannot be read"))
    }

    async fn learn(&self, asked: &Asked, body: &Value) {
        let data = &body["data"];
        match &*asked.route {
            "get_api_key" => {
                if let Some(key) = key_in(body) {
                    self.viewers().learn(&key, Viewer::Anonymous).await;
                }
            }
            "v2/auth/login" | "v2/auth/register" | "v2/auth/social/{provider}" | "auth/logout" => {
                if let Some(key) = asked.api_key() {
                    self.viewers().forget(key).await;
                    self.memory().forget(key).await;
                    if asked.route == "auth/logout" {
                        self.revoke(key);
                    }
                }
                if let Some(key) = key_in(body) {
                    match data["user"]["id"].as_i64().filter(|id| *id > 0) {
                        Some(id) => self.viewers().learn(&key, Viewer::Person(id)).await,
                        None => self.viewers().forget(&key).await,
                    }
                }
            }
            "stripe/buy" | "stripe/subscription/start_trial" => self.expect(asked, StatusKind::Order, data),
            "clip" => self.expect(asked, StatusKind::Clip, data),
            _ => {}
        }
    }

    /// Watches a new order or clip until it is final, even if no page asks for that.
    fn expect(&self, asked: &Asked, kind: StatusKind, data: &Value) {
        let is_open = matches!(data["status"].as_str(), Some("created" | "queued" | "processing"));
        if let (true, Some(id), Some(key)) = (is_open, data["id"].as_i64(), asked.api_key()) {
            let (this, key, channel_key) = (self.clone(), key.to_owned(), asked.channel_key.clone());
            tokio::spawn(async move {
                if let Ok(Viewer::Person(user_id)) = this.viewers().identify(this.client(), &key).await {
                    this.watch_for(user_id, &channel_key, &key, kind, id, 0);
                }
            });
        }
    }

    /// Forwards media and files of another Touchline's site. This worker serves the ones that the upstream doesn't
    /// have, and all files of other upstreams.
    async fn pass_file(&self, request: Request, next: Next) -> Response {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let path = SitePath::parse(request.uri().path()).ok().filter(|_| is_read && self.features().is_touchline());
        let Some(url) = path.and_then(|path| self.client().file_url(&path, request.uri().query())) else {
            return next.run(request).await;
        };
        let viewpoint = self.site().viewpoint(request.extensions());
        let mut headers = headers_of(&HeaderMap::new(), &viewpoint, None);
        for name in [header::RANGE, header::IF_NONE_MATCH, header::IF_RANGE, header::IF_MODIFIED_SINCE, header::ACCEPT]
        {
            if let Some(value) = request.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        match self.client().stream(request.method().clone(), url, headers).await {
            Ok(answer) if answer.status() != StatusCode::NOT_FOUND && !answer.status().is_server_error() => {
                let status = answer.status();
                let mut returned = crate::request::returned(answer.headers());
                for name in [header::ETAG, header::CONTENT_LENGTH, header::VARY] {
                    if let Some(value) = answer.headers().get(&name) {
                        returned.insert(name, value.clone());
                    }
                }
                let mut response = Response::new(Body::from_stream(self.client().parts(answer)));
                *response.status_mut() = status;
                *response.headers_mut() = returned;
                response
            }
            Ok(_) | Err(_) => next.run(request).await,
        }
    }
}

/// Adds the tag of the cached response.
fn if_changed(mut request: Outgoing, kept: Option<&Kept>) -> Outgoing {
    if let Some(tag) = kept.and_then(|kept| kept.upstream_etag.clone()) {
        request.headers.insert(header::IF_NONE_MATCH, tag);
    }
    request
}

/// A response other than JSON, unchanged.
fn file_response(answer: Answer, kind: &str) -> Response {
    let found = answer.headers.get(header::CONTENT_TYPE).and_then(|found| found.to_str().ok()).unwrap_or_default();
    if !found.starts_with(kind) {
        return Failure::Foreign("unexpected content type").into_response();
    }
    let mut response = Response::new(Body::from(answer.body));
    *response.headers_mut() = answer.headers;
    response
}

fn json_response(status: StatusCode, body: Bytes, headers: &HeaderMap) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    for name in [header::RETRY_AFTER, header::SET_COOKIE] {
        for value in headers.get_all(&name) {
            response.headers_mut().append(&name, value.clone());
        }
    }
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
