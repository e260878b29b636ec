//! The static web, dressed for the channel of the request's host.
//!
//! | module | what |
//! |---|---|
//! | [`assets`] | the built web, in the binary |
//! | [`content`] | a body with its type and tag, compressed once |
//! | [`branding`] | what a channel looks like from outside |
//! | [`shell`] | the page that every client route gets |
//! | [`icon`] | the channel's mark |
//! | [`routes`] | which paths are pages |
//! | [`headers`] | what a browser may do with all that |

mod assets;
mod branding;
mod content;
pub(crate) mod headers;
mod icon;
mod routes;
mod shell;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{FromRequestParts, RawQuery, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Router, body::Body};
use bytes::Bytes;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use touchline_channel::catalogue::MediaHosts;
use touchline_channel::http::PathName;
use touchline_channel::http::client::host_of;
use touchline_protocol::envelope::Failure;
use touchline_protocol::keys::ChannelKey;
use url::Url;
use utoipa::OpenApi;

use assets::Assets;
pub(crate) use branding::{Branding, Public};
use content::Content;
use headers::Needs;
pub(crate) use routes::Subject;

use crate::error_response::{method_not_allowed, not_found, unknown_host};

/// Which channel a host shows.
#[async_trait]
pub(crate) trait BrandingSource: Send + Sync + 'static {
    /// The channel of this host. The same face is the same `Arc` until the channel changes.
    fn of_host(&self, host: &str) -> Option<Arc<Branding>>;

    /// The key of the channel that is shown under this host. Every request of analytics asks so.
    fn key_of_host(&self, host: &str) -> Option<String> {
        self.of_host(host).map(|branding| branding.key.clone())
    }

    /// Whether a channel is shown under this host. Every request asks so, and most need no face.
    fn knows(&self, host: &str) -> bool {
        self.of_host(host).is_some()
    }

    /// Whether the channel of this host has what a page is of (`ROUTE-3`); also where nobody can tell at the moment.
    async fn has(&self, _host: &str, _subject: Subject<'_>) -> bool {
        true
    }
}

/// The part of the document that is about the site.
#[derive(OpenApi)]
#[openapi(paths(keys), components(schemas(Failure)))]
pub(crate) struct Document;

/// Whose site a request is for.
struct Visit {
    /// Lower case.
    host: String,
    branding: Arc<Branding>,
}

impl FromRequestParts<Site> for Visit {
    type Rejection = Response<Body>;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Response<Body>> {
        let host = host_of(&parts.uri, &parts.headers).to_ascii_lowercase();
        let branding = site.0.brandings.of_host(&host).ok_or_else(unknown_host)?;
        Ok(Self { host, branding })
    }
}

/// The static web.
#[derive(Clone)]
pub(crate) struct Site(Arc<Shared>);

struct Shared {
    brandings: Arc<dyn BrandingSource>,
    public: Public,
    assets: Assets,
    dressed: Mutex<HashMap<String, Arc<Dressed>>>,
}

/// What is made for one channel.
#[derive(Debug)]
struct Dressed {
    branding: Arc<Branding>,
    index: Option<String>,
    shell: Result<Arc<Content>, shell::ShellError>,
    worker: Option<Arc<Content>>,
    manifest: Arc<Content>,
    configuration: Arc<Content>,
    style_sheet: Arc<Content>,
    icons: HashMap<String, Arc<Content>>,
}

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

impl Site {
    pub(crate) fn new(brandings: Arc<dyn BrandingSource>, public: Public) -> Self {
        Self::of(Assets::default(), brandings, public)
    }

    fn of(assets: Assets, brandings: Arc<dyn BrandingSource>, public: Public) -> Self {
        Self(Arc::new(Shared { brandings, public, assets, dressed: Mutex::default() }))
    }

    /// What is wrong with the built web, for the operator; nothing when it can be served.
    pub(crate) fn fault(&self, branding: &Arc<Branding>) -> Option<String> {
        self.dressed(branding).shell.as_ref().err().map(ToString::to_string)
    }

    /// Compresses what a release build carries.
    pub(crate) async fn warm(&self) {
        self.0.assets.warm().await;
    }

    /// Everything that is neither a call nor a socket.
    pub(crate) fn router(&self) -> Router {
        Router::new()
            .route("/manifest.webmanifest", get(manifest))
            .route("/config.json", get(configuration))
            .route("/channel.css", get(style_sheet))
            .route("/sw.js", get(service_worker))
            .route("/icons/{file}", get(icon))
            .route("/keys/{file}", get(keys))
            .fallback(page_or_asset)
            .with_state(self.clone())
    }

    fn dressed(&self, branding: &Arc<Branding>) -> Arc<Dressed> {
        let index = self.0.assets.text("index.html");
        let mut dressed = self.0.dressed.lock();
        let fresh = |dressed: &&Arc<Dressed>| Arc::ptr_eq(&dressed.branding, branding) && dressed.index == index;
        if let Some(dressed) = dressed.get(&branding.key).filter(fresh) {
            return Arc::clone(dressed);
        }
        let new = Arc::new(self.dress(branding, index));
        dressed.insert(branding.key.clone(), Arc::clone(&new));
        new
    }

    fn dress(&self, branding: &Arc<Branding>, index: Option<String>) -> Dressed {
        let Shared { public, assets, .. } = &*self.0;
        let shell = shell::dress(index.as_deref(), branding, public);
        let worker = assets.text("sw.js").zip(shell.as_ref().ok()).map(|(worker, shell)| {
            // Another shell is another worker script, which is what makes a browser fetch the shell anew; so is another
            // policy, which the browser keeps with it.
            let policy = headers::policy("", &needs(branding, false), &branding.media_hosts);
            format!("{worker}\n// shell {}\n", hash_of(&[shell.as_bytes(), policy.as_bytes()].concat()))
        });
        let icons = icon::SIZES.into_iter().filter_map(|size| {
            let drawn =
                icon::draw(branding, size).inspect_err(|error| tracing::error!(%error, size, "no icon")).ok()?;
            Some((format!("{size}.png"), content(drawn, "image/png")))
        });
        Dressed {
            shell: shell.map(|shell| content(shell, "text/html; charset=utf-8")),
            worker: worker.map(|worker| content(worker, "text/javascript; charset=utf-8")),
            manifest: content(branding.manifest().to_string(), "application/manifest+json"),
            configuration: content(branding.configuration(public).to_string(), "application/json"),
            style_sheet: content(branding.style_sheet(), "text/css; charset=utf-8"),
            icons: icons.collect(),
            branding: Arc::clone(branding),
            index,
        }
    }
}

fn content(bytes: impl Into<Bytes>, media_type: &'static str) -> Arc<Content> {
    let bytes = bytes.into();
    let hash = hash_of(&bytes);
    Arc::new(Content::new(bytes, media_type, hash))
}

/// What a channel's pages need.
fn needs(branding: &Branding, embeddable: bool) -> Needs {
    let settings = &branding.settings;
    Needs {
        embeddable,
        tag_manager: settings.google_analytics.is_some(),
        recaptcha: settings.recaptcha_site_key.is_some(),
        stripe: settings.stripe_publishable_key.is_some(),
        stripe_stand_in: settings.stripe_script_url.as_deref().and_then(origin_of),
    }
}

fn origin_of(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| url.origin().ascii_serialization())
}

/// Names some bytes: the first half of their SHA-256, in hexadecimal.
fn hash_of(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..16])
}

type Asked = (State<Site>, Visit, HeaderMap);

async fn answer(content: &Arc<Content>, asked: &HeaderMap, keep: HeaderValue) -> Response<Body> {
    let mut response = content.answer(StatusCode::OK, asked).await;
    response.headers_mut().insert(header::CACHE_CONTROL, keep);
    response
}

async fn manifest((State(site), visit, asked): Asked) -> Response<Body> {
    answer(&site.dressed(&visit.branding).manifest, &asked, ASK_AGAIN).await
}

async fn configuration((State(site), visit, asked): Asked) -> Response<Body> {
    answer(&site.dressed(&visit.branding).configuration, &asked, ASK_AGAIN).await
}

async fn style_sheet((State(site), visit, asked): Asked, RawQuery(query): RawQuery) -> Response<Body> {
    let style = &site.dressed(&visit.branding).style_sheet;
    let named = query.and_then(|query| query.strip_prefix("v=").map(str::to_owned));
    let keep =
        if named.is_some_and(|hash| hash.len() >= 12 && style.hash().starts_with(&hash)) { FOREVER } else { ASK_AGAIN };
    answer(style, &asked, keep).await
}

async fn service_worker((State(site), visit, asked): Asked) -> Response<Body> {
    let Some(worker) = site.dressed(&visit.branding).worker.clone() else { return not_found() };
    let mut response = answer(&worker, &asked, ASK_AGAIN).await;
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        headers::policy(&visit.host, &Needs::default(), &MediaHosts::default()),
    );
    response
}

async fn icon((State(site), visit, asked): Asked, PathName(file): PathName) -> Response<Body> {
    match site.dressed(&visit.branding).icons.get(&file) {
        Some(icon) => answer(icon, &asked, ASK_AGAIN).await,
        None => not_found(),
    }
}

/// Names the channel that a host shows.
#[utoipa::path(
    get,
    path = "/keys/{hostname}.json",
    tag = "keys",
    params(("hostname" = String, Path, description = "A host, without port", example = "localhost")),
    responses(
        (status = 200, description = "The channel's key", body = ChannelKey),
        (status = 404, description = "No channel is shown under this host", body = Failure),
        (status = 421, description = "No channel is shown under the request's own host", body = Failure),
    ),
)]
async fn keys(asked: Asked, PathName(file): PathName) -> Response<Body> {
    let (State(site), _, asked) = asked;
    let host = file.strip_suffix(".json").filter(|host| host.parse::<Authority>().is_ok());
    let branding = host.and_then(|host| site.0.brandings.of_host(host));
    let Some(branding) = branding else { return not_found() };
    let keys = ChannelKey { channel_key: branding.key.clone() };
    let json = serde_json::json!(keys).to_string();
    answer(&content(json, "application/json"), &asked, ASK_AGAIN).await
}

async fn page_or_asset((State(site), visit, asked): Asked, method: Method, uri: Uri) -> Response<Body> {
    let path = uri.path().trim_start_matches('/');
    // The page itself is served by its routes alone, dressed.
    let asset = Some(path).filter(|path| *path != "index.html").and_then(|path| site.0.assets.get(path));
    if asset.is_none() && routes::is_reserved(path) {
        return not_found();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        let mut response = method_not_allowed();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if let Some(asset) = asset {
        let keep = if path.starts_with("assets/") { FOREVER } else { ASK_AGAIN };
        let mut response = answer(&asset, &asked, keep).await;
        response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            headers::policy(&visit.host, &Needs::default(), &MediaHosts::default()),
        );
        return response;
    }
    let dressed = site.dressed(&visit.branding);
    let shell = match &dressed.shell {
        Ok(shell) => shell,
        Err(error) => {
            tracing::error!(%error, "no page can be served");
            return (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response();
        }
    };
    let is_there = match routes::subject_of(uri.path()) {
        Some(subject) => site.0.brandings.has(&visit.host, subject).await,
        None => true,
    };
    let known = is_there && routes::is_page(uri.path(), visit.branding.pages.iter().map(String::as_str));
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let mut response = shell.answer(status, &asked).await;
    let needs = needs(&visit.branding, routes::is_embeddable(uri.path()));
    response.headers_mut().insert(header::CACHE_CONTROL, ASK_AGAIN);
    let policy = headers::policy(&visit.host, &needs, &visit.branding.media_hosts);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    needs.let_wallets_open(response.headers_mut());
    response
}

#[cfg(test)]
pub(crate) mod tests;
