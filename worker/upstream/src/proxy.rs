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

use crate::cache::{CacheEntry, FetchResult, Subject};
use crate::calls::{Audience, Call, Owner, call_of, has_lookup};
use crate::client::{Outgoing, Reply};
use crate::derived::transactions_of;
use crate::failure::{self, Failure};
use crate::request::{PostBody, Public, Query, Viewpoint, api_path, forwarded_headers, idempotency_key, is_safe};
use crate::upstream::Upstream;
use crate::viewers::{Viewer, key_in, names_bad_key};
use crate::writes::WriteResult;

/// Largest request body, in bytes. The router has already refused larger ones.
const MAX_BODY_BYTES: usize = 1 << 20;

/// A call outside the specification.
const EXTRA: Call = Call { path: "", method: "", owner: Owner::Extra, audience: Audience::Private, feature: "" };

pub(crate) struct Incoming {
    call: Call,
    /// Path of the route below `/api/`, such as `events/{id}`.
    route: String,
    /// Path of the request below `/api/`.
    path: String,
    method: Method,
    headers: HeaderMap,
    query: Query,
    post_body: Option<PostBody>,
    host: String,
    channel_key: String,
    viewpoint: Viewpoint,
}

impl Incoming {
    /// A public read that this worker makes for itself. `route` is a path such as `events/{id}`.
    pub(crate) fn public_read(route: &str, path: String, rest: &str, site: &Public<'_>) -> Self {
        let method = Method::GET;
        let call = call_of(&method, route).unwrap_or(EXTRA);
        Self {
            call,
            route: route.to_owned(),
            path,
            method,
            headers: HeaderMap::new(),
            query: Query { api_key: None, rest: rest.to_owned() },
            post_body: None,
            host: site.host.to_owned(),
            channel_key: site.channel_key.to_owned(),
            viewpoint: site.viewpoint.clone(),
        }
    }

    /// The cache key of a response for all viewers.
    pub(crate) fn public_subject(&self) -> Subject {
        let country = self.viewpoint.country.as_deref().unwrap_or_default();
        let scheme = self.viewpoint.scheme();
        Subject { audience: format!("{} {country} {scheme}", self.channel_key), call: self.name() }
    }

    fn name(&self) -> String {
        format!("{}?{}", self.path, self.query.rest)
    }

    fn api_key(&self) -> Option<&str> {
        self.post_body.as_ref().map_or(self.query.api_key.as_deref(), |post_body| post_body.api_key.as_deref())
    }

    /// Headers for a read for all viewers. Nothing of the first client is forwarded except the country and scheme,
    /// which are part of the cache key.
    fn public_headers(&self) -> HeaderMap {
        // If the viewer's country is unknown, the response must not depend on their address.
        let address = self.viewpoint.country.as_ref().and(self.viewpoint.address.clone());
        let viewpoint = Viewpoint { address, ..self.viewpoint.clone() };
        forwarded_headers(&HeaderMap::new(), &viewpoint, self.headers.get("x-request-id"))
    }

    fn outgoing(&self, api_key: Option<&str>) -> Outgoing {
        let request_id = self.headers.get("x-request-id");
        let mut headers = forwarded_headers(&self.headers, &self.viewpoint, request_id);
        let (query, body) = match &self.post_body {
            Some(post_body) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                (String::new(), Some(post_body.bytes.clone()))
            }
            None => (self.query.with_key(api_key), None),
        };
        Outgoing { method: self.method.clone(), path: self.path.clone(), query, headers, body }
    }
}

impl Upstream {
    /// Middleware that answers a call, or passes it to this worker's own handlers.
    pub(crate) async fn handle(self, request: Request, next: Next) -> Response {
        let Some(below) = request.uri().path().strip_prefix("/api/") else {
            return self.handle_file(request, next).await;
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
            Ok(incoming) => self.respond(incoming).await,
            Err(response) => response,
        }
    }

    async fn read(&self, call: Call, route: String, method: Method, request: Request) -> Result<Incoming, Response> {
        let fault = |(place, fault)| failure::malformed(place, fault);
        let (parts, body) = request.into_parts();
        let host = self.site().host_of(&parts.uri, &parts.headers);
        let channel_key = self.site().channel_of(&host).unwrap_or_default();
        let post_body = if method == Method::POST {
            let bytes = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| fault(("body", "the body was cut short")))?;
            idempotency_key(&parts.headers).map_err(fault)?;
            Some(PostBody::read(bytes).map_err(fault)?)
        } else {
            None
        };
        Ok(Incoming {
            call,
            route,
            path: api_path(parts.uri.path()).map_err(fault)?,
            method,
            query: Query::read(parts.uri.query()).map_err(fault)?,
            post_body,
            host,
            channel_key,
            viewpoint: self.site().viewpoint(&parts.extensions),
            headers: parts.headers,
        })
    }

    async fn respond(&self, incoming: Incoming) -> Response {
        if incoming.call.owner == Owner::Folder && !self.features().has(incoming.method.as_str(), &incoming.route) {
            return self.folder_response(&incoming).await.unwrap_or_else(failure::switched_off);
        }
        if incoming.call.owner == Owner::Orders && !self.features().has(incoming.method.as_str(), &incoming.route) {
            return self.transactions_from_orders(&incoming).await;
        }
        if incoming.method == Method::GET && incoming.call.audience != Audience::Private {
            return self.cached_read(incoming).await;
        }
        if let Some(post_body) = &incoming.post_body
            && has_lookup(&incoming.route)
            && !self.features().supports_idempotency()
            && let Ok(Some(key)) = idempotency_key(&incoming.headers)
        {
            let post_body = post_body.clone();
            return self.write_once(incoming, key, post_body).await;
        }
        if is_safe(&incoming.method) {
            return self.forward(&incoming).await;
        }
        // A write completes even if its viewer disconnects. The next request with the key gets the result.
        let this = self.clone();
        let forwarding = async move { this.forward(&incoming).await };
        tokio::spawn(forwarding).await.unwrap_or_else(|_| Failure::Broken.into_response())
    }

    /// Handles a write whose response is stored under its `Idempotency-Key`.
    async fn write_once(&self, incoming: Incoming, key: String, post_body: PostBody) -> Response {
        let Some(api_key) = post_body.api_key.clone() else {
            return self.forward(&incoming).await;
        };
        let scope = match self.viewers().identify(self.client(), &api_key).await {
            Ok(Viewer::Person(id)) => format!("user:{id}"),
            // The upstream's own refusal is returned.
            Ok(Viewer::Anonymous | Viewer::Refused) => return self.forward(&incoming).await,
            Err(failure) => return failure.into_response(),
        };
        let this = self.clone();
        let writing = async move {
            match this.writes().send_once(scope, key, incoming.outgoing(None), post_body).await {
                WriteResult::Done(body) => this.correct_response(&incoming, body, &HeaderMap::new()).await,
                WriteResult::Refused(reply) => this.viewer_response(&incoming, reply).await,
                WriteResult::Error(response) => response,
            }
        };
        tokio::spawn(writing).await.unwrap_or_else(|_| Failure::Broken.into_response())
    }

    async fn forward(&self, incoming: &Incoming) -> Response {
        match self.client().send(&incoming.outgoing(incoming.api_key())).await {
            Ok(reply) => self.viewer_response(incoming, reply).await,
            Err(failure) => failure.into_response(),
        }
    }

    /// Reads catalogue data. The response for all viewers is requested with this worker's own key, so it can't contain
    /// a viewer's data. A signed-in viewer's response is cached only under their key.
    async fn cached_read(&self, incoming: Incoming) -> Response {
        let Some(viewer_key) = incoming.query.api_key.clone() else { return self.forward(&incoming).await };
        let is_public = incoming.call.audience == Audience::Channel || self.is_anonymous(&viewer_key).await;
        let subject = if is_public {
            incoming.public_subject()
        } else {
            let country = incoming.viewpoint.country.as_deref().unwrap_or_default();
            let number = self.cache().number_of(&viewer_key).await;
            Subject { audience: format!("key {number} {country}"), call: incoming.name() }
        };
        let (this, headers, is_paused) = (self.clone(), incoming.headers.clone(), self.client().is_paused());
        let incoming = Arc::new(incoming);
        let fetch = move |cached: Option<Arc<CacheEntry>>| async move {
            if is_public {
                this.fetch_public(&incoming, cached).await
            } else {
                this.fetch(&incoming, &viewer_key, cached).await
            }
        };
        self.cache().read(subject, &headers, is_public, is_paused, fetch).await
    }

    /// Whether the key gets the response for all viewers. If that isn't known yet it doesn't, and the next request
    /// will.
    async fn is_anonymous(&self, api_key: &str) -> bool {
        let is_anonymous_key = self.viewers().is_anonymous(api_key).await;
        if is_anonymous_key.is_none() && !self.client().is_paused() {
            let (this, api_key) = (self.clone(), api_key.to_owned());
            tokio::spawn(async move { this.viewers().identify(this.client(), &api_key).await.is_ok() });
        }
        is_anonymous_key.unwrap_or(false)
    }

    pub(crate) async fn fetch_public(
        &self,
        incoming: &Incoming,
        cached: Option<Arc<CacheEntry>>,
    ) -> Result<FetchResult, Failure> {
        for is_last in [false, true] {
            let key = self.viewers().worker_key(self.client(), &incoming.channel_key).await?;
            let request = Outgoing { headers: incoming.public_headers(), ..incoming.outgoing(Some(&key)) };
            let reply = self.client().send(&if_changed(request, cached.as_deref())).await?;
            if names_bad_key(&reply) && !is_last {
                self.viewers().drop_worker_key(&incoming.channel_key, &key).await;
                continue;
            }
            return self.to_fetch_result(incoming, reply).await;
        }
        Err(Failure::InvalidReply("the upstream refused its own key"))
    }

    async fn fetch(
        &self,
        incoming: &Incoming,
        key: &str,
        cached: Option<Arc<CacheEntry>>,
    ) -> Result<FetchResult, Failure> {
        let reply = self.client().send(&if_changed(incoming.outgoing(Some(key)), cached.as_deref())).await?;
        self.to_fetch_result(incoming, reply).await
    }

    async fn to_fetch_result(&self, incoming: &Incoming, reply: Reply) -> Result<FetchResult, Failure> {
        if reply.status == StatusCode::NOT_MODIFIED {
            return Ok(FetchResult::Unchanged);
        }
        if reply.status != StatusCode::OK {
            reply.json()?;
            if reply.status == StatusCode::NOT_FOUND
                && incoming.call.audience == Audience::Channel
                && let Some(local) = self.folder_response(incoming).await
            {
                return Ok(FetchResult::Refused(local));
            }
            return Ok(FetchResult::Refused(self.viewer_response(incoming, reply).await));
        }
        let etag = reply.etag.clone();
        let body = self.apply_schema(incoming, reply.json()?).await?;
        Ok(FetchResult::New(CacheEntry::new(body.to_string().into(), etag)))
    }

    /// Transactions derived from the upstream's orders.
    async fn transactions_from_orders(&self, incoming: &Incoming) -> Response {
        let query = Query { api_key: None, rest: "no_limit=1".to_owned() }.with_key(incoming.api_key());
        let mut request = incoming.outgoing(None);
        (request.path, request.query) = ("orders".to_owned(), query);
        match self.client().send(&request).await {
            Ok(reply) if reply.status == StatusCode::OK => match reply.json() {
                Ok(orders) => {
                    let (orders, corrections) = self.shapes().correct("GET", "orders", orders);
                    self.log_corrections("GET", "orders", &corrections);
                    self.correct_response(incoming, transactions_of(&orders.unwrap_or_default()), &HeaderMap::new())
                        .await
                }
                Err(failure) => failure.into_response(),
            },
            Ok(reply) => self.viewer_response(incoming, reply).await,
            Err(failure) => failure.into_response(),
        }
    }

    /// The channel folder's response.
    async fn folder_response(&self, incoming: &Incoming) -> Option<Response> {
        let reply = self.local()?.read(&incoming.host, &incoming.channel_key, &incoming.path, &incoming.query).await?;
        Some(json_response(StatusCode::OK, reply.to_string().into(), &HeaderMap::new()))
    }

    /// Converts the upstream's response for the viewer.
    async fn viewer_response(&self, incoming: &Incoming, reply: Reply) -> Response {
        if let Some(kind) =
            self.shapes().file_type(&incoming.method, &incoming.route).filter(|_| reply.status.is_success())
        {
            return file_response(reply, kind);
        }
        let Ok(body) = reply.json() else {
            return Failure::InvalidReply("the body is not JSON").into_response();
        };
        if reply.status.is_success() {
            return self.correct_response(incoming, body, &reply.headers).await;
        }
        if let Some(key) = incoming.api_key()
            && (names_bad_key(&reply) || reply.status == StatusCode::UNAUTHORIZED)
        {
            self.key_failed(key).await;
        }
        json_response(reply.status, reply.body, &reply.headers)
    }

    /// Corrects a successful response to its call's schema, and remembers what it reveals about the viewer's key.
    async fn correct_response(&self, incoming: &Incoming, body: Value, headers: &HeaderMap) -> Response {
        let body = match self.apply_schema(incoming, body).await {
            Ok(body) => body,
            Err(failure) => return failure.into_response(),
        };
        self.learn(incoming, &body).await;
        json_response(StatusCode::OK, body.to_string().into(), headers)
    }

    async fn apply_schema(&self, incoming: &Incoming, mut body: Value) -> Result<Value, Failure> {
        let is_bundle = incoming.route == "channel-bootstrap-data";
        if incoming.route == "settings" || is_bundle {
            let local = match self.local() {
                Some(local) => local.read(&incoming.host, &incoming.channel_key, "settings", &Query::default()).await,
                None => None,
            };
            if body.get("data").is_none() {
                body = json!({ "data": body });
            }
            let settings = if is_bundle { &mut body["data"]["settings"] } else { &mut body["data"] };
            self.complete(settings, local.as_ref().and_then(|local| local["data"].as_object()));
        }
        let (body, corrections) = self.shapes().correct(incoming.method.as_str(), &incoming.route, body);
        self.log_corrections(incoming.method.as_str(), &incoming.route, &corrections);
        body.ok_or(Failure::InvalidReply("the price cannot be read"))
    }

    async fn learn(&self, incoming: &Incoming, body: &Value) {
        let data = &body["data"];
        match &*incoming.route {
            "get_api_key" => {
                if let Some(key) = key_in(body) {
                    self.viewers().learn(&key, Viewer::Anonymous).await;
                }
            }
            "v2/auth/login" | "v2/auth/register" | "v2/auth/social/{provider}" | "auth/logout" => {
                if let Some(key) = incoming.api_key() {
                    self.viewers().forget(key).await;
                    self.cache().forget(key).await;
                    if incoming.route == "auth/logout" {
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
            "stripe/buy" | "stripe/subscription/start_trial" => self.watch_result(incoming, StatusKind::Order, data),
            "clip" => self.watch_result(incoming, StatusKind::Clip, data),
            _ => {}
        }
    }

    /// Watches a new order or clip until it is final, even if no page asks for that.
    fn watch_result(&self, incoming: &Incoming, kind: StatusKind, data: &Value) {
        let is_pending = matches!(data["status"].as_str(), Some("created" | "queued" | "processing"));
        if let (true, Some(id), Some(key)) = (is_pending, data["id"].as_i64(), incoming.api_key()) {
            let (this, key, channel_key) = (self.clone(), key.to_owned(), incoming.channel_key.clone());
            tokio::spawn(async move {
                if let Ok(Viewer::Person(user_id)) = this.viewers().identify(this.client(), &key).await {
                    this.watch_for(user_id, &channel_key, &key, kind, id, 0);
                }
            });
        }
    }

    /// Forwards media and files of another Touchline's site. This worker serves the ones that the upstream doesn't
    /// have, and all files of other upstreams.
    async fn handle_file(&self, request: Request, next: Next) -> Response {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let path = SitePath::parse(request.uri().path()).ok().filter(|_| is_read && self.features().is_touchline());
        let Some(url) = path.and_then(|path| self.client().file_url(&path, request.uri().query())) else {
            return next.run(request).await;
        };
        let viewpoint = self.site().viewpoint(request.extensions());
        let mut headers = forwarded_headers(&HeaderMap::new(), &viewpoint, None);
        for name in [header::RANGE, header::IF_NONE_MATCH, header::IF_RANGE, header::IF_MODIFIED_SINCE, header::ACCEPT]
        {
            if let Some(value) = request.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        match self.client().stream(request.method().clone(), url, headers).await {
            Ok(reply) if reply.status() != StatusCode::NOT_FOUND && !reply.status().is_server_error() => {
                let status = reply.status();
                let mut returned = crate::request::returned_headers(reply.headers());
                for name in [header::ETAG, header::CONTENT_LENGTH, header::VARY] {
                    if let Some(value) = reply.headers().get(&name) {
                        returned.insert(name, value.clone());
                    }
                }
                let mut response = Response::new(Body::from_stream(self.client().chunks(reply)));
                *response.status_mut() = status;
                *response.headers_mut() = returned;
                response
            }
            Ok(_) | Err(_) => next.run(request).await,
        }
    }
}

/// Adds the tag of the cached response.
fn if_changed(mut request: Outgoing, cached: Option<&CacheEntry>) -> Outgoing {
    if let Some(tag) = cached.and_then(|cached| cached.upstream_etag.clone()) {
        request.headers.insert(header::IF_NONE_MATCH, tag);
    }
    request
}

/// A response other than JSON, unchanged.
fn file_response(reply: Reply, kind: &str) -> Response {
    let content_type =
        reply.headers.get(header::CONTENT_TYPE).and_then(|content_type| content_type.to_str().ok()).unwrap_or_default();
    if !content_type.starts_with(kind) {
        return Failure::InvalidReply("unexpected content type").into_response();
    }
    let mut response = Response::new(Body::from(reply.body));
    *response.headers_mut() = reply.headers;
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
