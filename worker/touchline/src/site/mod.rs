//! The web client, rendered for the channel of the requested host.
//!
//! | module | what |
//! |---|---|
//! | [`assets`] | the built web client |
//! | [`chunks`] | the files each page needs |
//! | [`branding`] | a channel's name, language, colours and pages |
//! | [`shell`] | the HTML page behind every route |
//! | [`first`] | the first screen, before any script has run |
//! | [`start`] | when scripts are fetched |
//! | [`icon`] | the channel's icon |
//! | [`routes`] | the paths of pages |
//! | [`texts`] | words of pages in English and French |
//! | [`found`] | metadata for search engines and link previews |
//! | [`other_channel`] | links to another channel |
//! | [`pages`] | pages per request, with their cache |
//! | [`headers`] | security headers |

mod assets;
mod branding;
mod chunks;
mod first;
pub(crate) mod found;
pub(crate) mod headers;
mod icon;
mod other_channel;
mod pages;
mod routes;
mod shell;
mod start;
mod texts;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{FromRequestParts, State};
use axum::http::request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use axum::{Router, body::Body};
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use touchline_channel::catalogue::{ChannelSnapshot, MediaHosts};
use touchline_channel::http::PathName;
use touchline_channel::http::client::host_of;
use touchline_http::{Effort, NegotiatedBody, hash_of};
use touchline_protocol::envelope::Failure;
use touchline_protocol::keys::ChannelKey;
use url::Url;
use utoipa::OpenApi;

use assets::Assets;
pub(crate) use branding::{Branding, Public, Shared};
use headers::PolicyOptions;
#[cfg(test)]
pub(crate) use pages::LIMITS;
pub(crate) use routes::{Subject, is_reserved, subject_of};

use crate::error_response::{method_not_allowed, not_found, unknown_host};

/// The channels of all hosts.
#[async_trait]
pub(crate) trait BrandingSource: Send + Sync + 'static {
    /// The channel of a host. It is the same `Arc` until the channel changes.
    fn of_host(&self, host: &str) -> Option<Arc<Branding>>;

    /// The key of a host's channel. Every request calls this, and most need no branding.
    fn key_of_host(&self, host: &str) -> Option<String> {
        self.of_host(host).map(|branding| branding.key.clone())
    }

    /// Whether a host belongs to a channel that cannot be served.
    fn is_down(&self, _host: &str) -> bool {
        false
    }

    /// The channel of a host as a visitor sees it, and the time in Unix seconds; `None` while it is unknown.
    fn channel_of(&self, _host: &str, _visitor: &Visitor) -> Option<(Arc<ChannelSnapshot>, i64)> {
        None
    }

    /// The channel with this key, whatever its host.
    fn channel_of_key(&self, _key: &str) -> Option<Arc<ChannelSnapshot>> {
        None
    }

    /// Responses to the first calls of the page at `path` for visitors of a country, by call.
    fn answers(&self, _channel: &ChannelSnapshot, _country: Option<&str>, _now_s: i64, _path: &str) -> Option<Value> {
        None
    }

    /// Whether a subject missing from the channel's records does not exist; an upstream may have it.
    async fn lacks(&self, _channel: &ChannelSnapshot, _subject: Subject<'_>, _visitor: &Visitor) -> bool {
        true
    }

    async fn shared_clip(&self, _channel: &ChannelSnapshot, _id: i64, _uuid: &str, _visitor: &Visitor) -> Shared {
        Shared::Unknown
    }

    /// Whether the channel has a clip with this id; `None` if the lookup failed.
    async fn has_clip(&self, _channel: &ChannelSnapshot, _id: i64) -> Option<bool> {
        None
    }

    /// A file from another build of the site, and whether it is compressed with brotli.
    async fn file_of_another_build(&self, _path: &str) -> Option<(Vec<u8>, bool)> {
        None
    }

    /// Whether an event that the channel lacks was announced to viewers before.
    async fn had_event(&self, _channel: &ChannelSnapshot, _id: i64) -> bool {
        false
    }
}

/// The visitor's connection, as far as pages depend on it. A request extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// Whether a proxy reports that the client's connection is encrypted.
    pub(crate) https: bool,
    /// ISO 3166-1 alpha-2, upper case.
    pub(crate) country: Option<String>,
    pub(crate) address: Option<IpAddr>,
}

/// The site's part of the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(keys), components(schemas(Failure)))]
pub(crate) struct Document;

struct Visit {
    /// Lower case.
    host: String,
    branding: Arc<Branding>,
    visitor: Visitor,
}

impl FromRequestParts<Site> for Visit {
    type Rejection = Response<Body>;

    async fn from_request_parts(parts: &mut request::Parts, site: &Site) -> Result<Self, Response<Body>> {
        let host = host_of(&parts.uri, &parts.headers).to_ascii_lowercase();
        let branding = site.0.brandings.of_host(&host).ok_or_else(unknown_host)?;
        let visitor = parts.extensions.get().cloned().unwrap_or_default();
        Ok(Self { host, branding, visitor })
    }
}

#[derive(Clone)]
pub(crate) struct Site(Arc<Inner>);

struct Inner {
    brandings: Arc<dyn BrandingSource>,
    public: Public,
    assets: Assets,
    rendered: Mutex<HashMap<String, Arc<RenderedSite>>>,
    pages: pages::Pages,
}

/// The parts made for one channel.
#[derive(Debug)]
struct RenderedSite {
    branding: Arc<Branding>,
    index: Option<String>,
    chunks: chunks::Chunks,
    shell: Result<(shell::Shell, Arc<NegotiatedBody>), shell::ShellError>,
    worker: Option<Arc<NegotiatedBody>>,
    manifest: Arc<NegotiatedBody>,
    configuration: Arc<NegotiatedBody>,
    icons: HashMap<String, Arc<NegotiatedBody>>,
}

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
const HTML: &str = "text/html; charset=utf-8";

impl Site {
    pub(crate) fn new(brandings: Arc<dyn BrandingSource>, public: Public) -> Self {
        Self::of(Assets::default(), brandings, public)
    }

    fn of(assets: Assets, brandings: Arc<dyn BrandingSource>, public: Public) -> Self {
        Self(Arc::new(Inner { brandings, public, assets, rendered: Mutex::default(), pages: pages::no_pages() }))
    }

    /// Returns what is wrong with the built site, if anything.
    pub(crate) fn fault(&self, branding: &Arc<Branding>) -> Option<String> {
        self.rendered(branding).shell.as_ref().err().map(ToString::to_string)
    }

    /// Compresses the files of a release build.
    pub(crate) async fn warm(&self) {
        self.0.assets.warm().await;
    }

    /// The paths of this build's files whose names contain a hash of their content.
    pub(crate) fn build_paths(&self) -> Vec<String> {
        self.0.assets.hashed_paths()
    }

    /// A file of this build, and whether it is compressed with brotli.
    pub(crate) fn build_file(&self, path: &str) -> Option<(Bytes, bool)> {
        self.0.assets.encoded(path)
    }

    /// A file of this build or of another one that is served beside it, or was recently.
    async fn asset(&self, path: &str) -> Option<Arc<NegotiatedBody>> {
        // The index is only served rendered, by its routes.
        if path == "index.html" {
            return None;
        }
        if let Some(asset) = self.0.assets.get(path) {
            return Some(asset);
        }
        if !assets::is_hashed_name(path) {
            return None;
        }
        let (bytes, is_brotli) = self.0.brandings.file_of_another_build(path).await?;
        assets::of_another_build(path, bytes, is_brotli)
    }

    /// The routes that are neither calls nor sockets.
    pub(crate) fn router(&self) -> Router {
        Router::new()
            .route("/manifest.webmanifest", get(manifest))
            .route("/config.json", get(configuration))
            .route("/sw.js", get(service_worker))
            .route("/shell.html", get(bare_shell))
            .route("/robots.txt", get(pages::robots))
            .route("/sitemap.xml", get(pages::sitemap))
            .route("/sitemaps/{file}", get(pages::sitemap_part))
            .route("/icons/{file}", get(icon))
            // Browsers and phones request these without being told.
            .route("/favicon.ico", get(|request| icon_named(request, "192.png")))
            .route("/apple-touch-icon.png", get(|request| icon_named(request, "180.png")))
            .route("/apple-touch-icon-precomposed.png", get(|request| icon_named(request, "180.png")))
            // Password managers open it: https://www.w3.org/TR/change-password-url/.
            .route("/.well-known/change-password", get(async || Redirect::temporary("/profile/edit")))
            .route("/keys/{file}", get(keys))
            .fallback(page_or_asset)
            .with_state(self.clone())
    }

    fn rendered(&self, branding: &Arc<Branding>) -> Arc<RenderedSite> {
        let index = self.0.assets.text("index.html");
        let mut rendered = self.0.rendered.lock();
        let fresh =
            |rendered: &&Arc<RenderedSite>| Arc::ptr_eq(&rendered.branding, branding) && rendered.index == index;
        if let Some(rendered) = rendered.get(&branding.key).filter(fresh) {
            return Arc::clone(rendered);
        }
        let new = Arc::new(self.render(branding, index));
        rendered.insert(branding.key.clone(), Arc::clone(&new));
        new
    }

    fn render(&self, branding: &Arc<Branding>, index: Option<String>) -> RenderedSite {
        let Inner { public, assets, .. } = &*self.0;
        let shell = shell::render(index.as_deref(), branding, public).map(|shell| {
            let bare = content(shell.bare(), HTML);
            (shell, bare)
        });
        let worker = assets.text("sw.js").zip(shell.as_ref().ok()).map(|(worker, (shell, _))| {
            // A changed shell or policy has to change the service worker's script, which makes browsers fetch the shell
            // again; they cache its policy with it.
            let policy = headers::policy("", &needs(branding, false), &branding.media_hosts);
            format!("{worker}\n// shell {}\n", hash_of(&[shell.bare().as_bytes(), policy.as_bytes()].concat()))
        });
        let icons = icon::ICONS.into_iter().filter_map(|(name, size, is_maskable)| {
            let drawn = icon::draw(branding, size, is_maskable)
                .inspect_err(|error| tracing::error!(%error, size, "an icon cannot be drawn"))
                .ok()?;
            Some((format!("{name}.png"), content(drawn, "image/png")))
        });
        RenderedSite {
            shell,
            worker: worker.map(|worker| content(worker, "text/javascript; charset=utf-8")),
            manifest: content(branding.manifest().to_string(), "application/manifest+json"),
            configuration: content(branding.configuration(public).to_string(), "application/json"),
            icons: icons.collect(),
            branding: Arc::clone(branding),
            chunks: chunks::Chunks::read(assets.text(".vite/manifest.json").as_deref()),
            index,
        }
    }
}

fn content(bytes: impl Into<Bytes>, media_type: &'static str) -> Arc<NegotiatedBody> {
    Arc::new(NegotiatedBody::new(bytes, media_type, Effort::High))
}

fn needs(branding: &Branding, embeddable: bool) -> PolicyOptions {
    let settings = &branding.settings;
    PolicyOptions {
        embeddable,
        tag_manager: settings.google_analytics.is_some(),
        style: Some(branding.style_sheet()),
        recaptcha: settings.recaptcha_site_key.is_some(),
        stripe: settings.stripe_publishable_key.is_some(),
        stripe_stand_in: settings.stripe_script_url.as_deref().and_then(origin_of),
    }
}

fn origin_of(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| url.origin().ascii_serialization())
}

type SiteRequest = (State<Site>, Visit, HeaderMap);

async fn answer(content: &NegotiatedBody, headers: &HeaderMap, cache_control: HeaderValue) -> Response<Body> {
    let mut response = content.respond(StatusCode::OK, headers).await;
    response.headers_mut().insert(header::CACHE_CONTROL, cache_control);
    response
}

async fn manifest((State(site), visit, headers): SiteRequest) -> Response<Body> {
    answer(&site.rendered(&visit.branding).manifest, &headers, REVALIDATE).await
}

async fn configuration((State(site), visit, headers): SiteRequest) -> Response<Body> {
    answer(&site.rendered(&visit.branding).configuration, &headers, REVALIDATE).await
}

async fn service_worker((State(site), visit, headers): SiteRequest) -> Response<Body> {
    let Some(worker) = site.rendered(&visit.branding).worker.clone() else { return not_found() };
    let mut response = answer(&worker, &headers, REVALIDATE).await;
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        headers::policy(&visit.host, &PolicyOptions::default(), &MediaHosts::default()),
    );
    response
}

async fn icon(request: SiteRequest, PathName(file): PathName) -> Response<Body> {
    icon_named(request, &file).await
}

async fn icon_named((State(site), visit, headers): SiteRequest, file: &str) -> Response<Body> {
    match site.rendered(&visit.branding).icons.get(file) {
        Some(icon) => answer(icon, &headers, REVALIDATE).await,
        None => not_found(),
    }
}

/// Returns the channel key for a hostname.
#[utoipa::path(
    get,
    path = "/keys/{hostname}.json",
    tag = "keys",
    params(("hostname" = String, Path, description = "Hostname, without a port.", example = "localhost")),
    responses(
        (status = 200, description = "success", body = ChannelKey),
        (status = 404, description = "the hostname in the path serves no channel", body = Failure),
        (status = 421, description = "the host of the request serves no channel", body = Failure),
    ),
)]
async fn keys(request: SiteRequest, PathName(file): PathName) -> Response<Body> {
    let (State(site), _, headers) = request;
    let host = file.strip_suffix(".json").filter(|host| host.parse::<Authority>().is_ok());
    let branding = host.and_then(|host| site.0.brandings.of_host(host));
    let Some(branding) = branding else { return not_found() };
    let keys = ChannelKey { channel_key: branding.key.clone() };
    let json = serde_json::json!(keys).to_string();
    answer(&content(json, "application/json"), &headers, REVALIDATE).await
}

async fn page_or_asset((State(site), visit, headers): SiteRequest, method: Method, uri: Uri) -> Response<Body> {
    let path = uri.path().trim_start_matches('/');
    let asset = site.asset(path).await;
    if asset.is_none() && is_reserved(path) {
        return not_found();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        let mut response = method_not_allowed();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if let Some(asset) = asset {
        let cache_control = if path.starts_with(assets::HASHED) { FOREVER } else { REVALIDATE };
        let mut response = answer(&asset, &headers, cache_control).await;
        response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            headers::policy(&visit.host, &PolicyOptions::default(), &MediaHosts::default()),
        );
        return response;
    }
    if let Some(redirect) = site.other_channel(&visit, &uri) {
        return redirect;
    }
    let Ok(page) = site.page(&visit, &uri).await else { return not_built(&site, &visit) };
    as_page(page.content.respond(page.status, &headers).await, &visit, routes::is_embeddable(uri.path()))
}

/// The shell without a page. The service worker caches it as the start of every page.
async fn bare_shell((State(site), visit, headers): SiteRequest) -> Response<Body> {
    match &site.rendered(&visit.branding).shell {
        Ok((_, bare)) => as_page(bare.respond(StatusCode::OK, &headers).await, &visit, false),
        Err(_) => not_built(&site, &visit),
    }
}

fn not_built(site: &Site, visit: &Visit) -> Response<Body> {
    let error = site.fault(&visit.branding).unwrap_or_default();
    tracing::error!(error, "no page can be served");
    (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response()
}

/// Adds the headers of a page.
fn as_page(mut response: Response<Body>, visit: &Visit, embeddable: bool) -> Response<Body> {
    let needs = needs(&visit.branding, embeddable);
    response.headers_mut().insert(header::CACHE_CONTROL, REVALIDATE);
    let policy = headers::policy(&visit.host, &needs, &visit.branding.media_hosts);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    needs.allow_wallets(response.headers_mut());
    response
}

#[cfg(test)]
pub(crate) mod tests;
