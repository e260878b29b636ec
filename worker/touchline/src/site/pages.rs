//! A page per request: the shell with the page's head. It is the same for every visitor in a country, and cached until
//! the channel or the status of one of its events changes.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use serde_json::json;
use touchline_channel::catalogue::ChannelSnapshot;
use touchline_channel::catalogue::hosts::host_name;
use touchline_channel::http::PathName;
use touchline_http::{BodyCache, Effort, NegotiatedBody};
use touchline_protocol::catalogue::LANGUAGES;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use super::first;
use super::found::{Availability, PageContext, PageFacts, head, sitemap as sitemap_xml};
use super::routes::{self, Narrowing, Subject};
use super::shell::{self, ShellError};

use super::{HTML, REVALIDATE, Shared, Site, SiteRequest, Visit, answer, content, not_found};

/// The size limit of cached pages and sitemaps in all encodings, in bytes.
const MAX_BYTES: u64 = 48 << 20;
/// Part of the limits table.
#[cfg(test)]
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes(
        "pages.kept",
        MAX_BYTES,
        "Pages and sitemaps cached in memory; the least recently used are dropped first.",
    ),
    Limit::count("sitemap.part", sitemap_xml::PART_SIZE as u64, "pages", "Pages in one part of the sitemap."),
];
/// The longest that a page is cached, in seconds.
const MAX_AGE_S: i64 = 300;
const XML: &str = "application/xml";
/// In seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("30");

pub(super) struct Page {
    pub(super) status: StatusCode,
    pub(super) content: Arc<NegotiatedBody>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    channel: String,
    /// The generations of the channel and of the shell.
    generation: (u64, String),
    moves: usize,
    /// Limits the age of relative times in the page.
    period: i64,
    /// Only set if the channel or an event depends on it.
    country: Option<String>,
    site: String,
    language: String,
    what: String,
}

impl Key {
    fn bytes(&self) -> usize {
        let texts = [&self.channel, &self.generation.1, &self.site, &self.language, &self.what];
        size_of::<Self>() + texts.into_iter().chain(&self.country).map(String::capacity).sum::<usize>()
    }
}

/// The cached texts.
pub(super) type Pages = BodyCache<Key>;

pub(super) fn no_pages() -> Pages {
    BodyCache::new(MAX_BYTES, Key::bytes)
}

/// A request for a channel's site: the channel, its address, the language.
struct Request {
    channel: Arc<ChannelSnapshot>,
    now_s: i64,
    site: String,
    language: String,
    country: Option<String>,
}

impl Request {
    fn context(&self) -> PageContext<'_> {
        PageContext {
            channel: &self.channel,
            site: &self.site,
            language: &self.language,
            country: self.country.as_deref(),
            now_s: self.now_s,
        }
    }

    fn key(&self, shell: &str, what: &str) -> Key {
        Key {
            channel: self.channel.key().to_owned(),
            generation: (self.channel.generation, shell.to_owned()),
            moves: self.channel.status_changes_by(self.now_s),
            period: self.now_s / MAX_AGE_S,
            country: self.country.clone().filter(|_| self.channel.depends_on_country()),
            site: self.site.clone(),
            language: self.language.clone(),
            what: what.to_owned(),
        }
    }
}

impl Site {
    fn request(&self, visit: &Visit, query: Option<&str>) -> Option<Request> {
        let (channel, now_s) = self.0.brandings.channel_of(&visit.host, &visit.visitor)?;
        let requested = query.into_iter().flat_map(|query| url::form_urlencoded::parse(query.as_bytes()));
        let requested = requested.filter(|(name, _)| name == "lang").map(|(_, language)| language.into_owned());
        let language = requested.last().filter(|language| LANGUAGES.contains(&language.as_str()));
        Some(Request {
            site: address_of(&channel, &visit.host, self.0.public.tls || visit.visitor.https),
            language: language.unwrap_or_else(|| channel.settings.language.clone()),
            country: visit.visitor.country.clone(),
            channel,
            now_s,
        })
    }

    /// Returns the page at this address.
    ///
    /// # Errors
    /// The site is not built.
    pub(super) async fn page(&self, visit: &Visit, uri: &Uri) -> Result<Page, ShellError> {
        let rendered = self.rendered(&visit.branding);
        let (shell, bare) = rendered.shell.as_ref().map_err(Clone::clone)?;
        let path = uri.path();
        let Some(request) = self.request(visit, uri.query()) else {
            let is_page = routes::is_page(path, visit.branding.pages.iter().map(String::as_str));
            let status = if is_page { StatusCode::OK } else { StatusCode::NOT_FOUND };
            return Ok(Page { status, content: Arc::clone(bare) });
        };
        let what = path.split('/').filter(|segment| !segment.is_empty()).collect::<Vec<_>>().join("/");
        let narrowing = routes::narrowing_of(path, uri.query());
        let is_narrowed = routes::is_narrowed_list(path, uri.query());
        let is_closed = routes::is_closed_replayer(path, uri.query(), request.channel.settings.simulate);
        // No path contains a question mark.
        let what = match &narrowing {
            Some(narrowing) => format!("?{narrowing:?}"),
            None if is_narrowed => what + "?",
            None => what,
        };
        let key = request.key(bare.hash(), &what);
        if let Some(content) = self.0.pages.get(&key).await.filter(|_| !is_closed) {
            return Ok(Page { status: StatusCode::OK, content });
        }
        let (facts, is_cacheable) = if is_closed {
            (request.context().missing(), true)
        } else {
            self.facts(&request, visit, path, narrowing.as_ref()).await
        };
        let (status, key) = match facts.availability {
            Availability::Exists => (StatusCode::OK, key),
            // All missing pages share one entry.
            Availability::Removed => (StatusCode::GONE, request.key(bare.hash(), "//410")),
            Availability::Missing => (StatusCode::NOT_FOUND, request.key(bare.hash(), "//404")),
        };
        if let Some(content) = self.0.pages.get(&key).await.filter(|_| is_cacheable) {
            return Ok(Page { status, content });
        }
        let displayed_path = if status == StatusCode::OK { path } else { "/404" };
        let context = request.context();
        let mut head = head(&context, &facts, displayed_path);
        let (mut screen, mut answers, mut styles) = (None, String::new(), String::new());
        if status == StatusCode::OK {
            head.push_str(&rendered.chunks.links(path, &request.language));
            styles = rendered.chunks.styles(path);
            if let Some(found) = self.answers(&request, &visit.host, path) {
                answers = found;
                // Only the site can choose the slides of a school, team or sport. A screen whose calls are not embedded
                // would disappear again.
                let drawings = &visit.branding.drawings;
                screen = first::screen(&context, drawings, path, is_narrowed).filter(|_| narrowing.is_none());
            }
        }
        let screen = screen.unwrap_or_default();
        head.push_str(&screen.preload);
        let other;
        let shell = if request.language == visit.branding.settings.language {
            shell
        } else {
            let mut branding = super::Branding::clone(&visit.branding);
            branding.settings.language.clone_from(&request.language);
            other = shell::render(rendered.index.as_deref(), &branding, &self.0.public)?;
            &other
        };
        let text = shell.page(&head, &styles, &screen.body, &answers);
        let content = NegotiatedBody::new(text, HTML, Effort::High);
        let content = if is_cacheable { self.0.pages.insert(key, content).await } else { Arc::new(content) };
        Ok(Page { status, content })
    }

    /// The responses to the page's first calls, as an element: nothing in it is about any viewer (`FAST-3`).
    fn answers(&self, request: &Request, host: &str, path: &str) -> Option<String> {
        let mut answers =
            self.0.brandings.answers(&request.channel, request.country.as_deref(), request.now_s, path)?;
        answers[format!("/keys/{}.json", host_name(host))] =
            json!({ "data": { "channel_key": request.channel.key() } });
        let answers = shell::json_in_html(&answers);
        Some(format!("<script type=\"application/json\" id=\"touchline-answers\">{answers}</script>"))
    }

    /// The page's metadata, and whether it can be cached.
    async fn facts(
        &self,
        request: &Request,
        visit: &Visit,
        path: &str,
        narrowing: Option<&Narrowing>,
    ) -> (PageFacts, bool) {
        let (context, brandings) = (request.context(), &self.0.brandings);
        if let Some(narrowing) = narrowing {
            return (context.narrowed(narrowing).unwrap_or_else(|| context.missing()), true);
        }
        match routes::subject_of(path) {
            Some(Subject::SharedClip { id, uuid }) => {
                let facts = match brandings.shared_clip(&request.channel, id, uuid, &visit.visitor).await {
                    Shared::Clip { name, event_id, vod_id } => context.shared_clip(&name, event_id, vod_id),
                    Shared::Missing => return (context.missing(), true),
                    Shared::Unknown => context.unknown(),
                };
                (facts, false)
            }
            Some(Subject::Clip(id)) => match brandings.has_clip(&request.channel, id).await {
                Some(false) => (context.missing(), true),
                // A clip can be deleted at any moment.
                _ => (context.page(path), false),
            },
            Some(subject)
                if !context.has(subject) && !brandings.lacks(&request.channel, subject, &visit.visitor).await =>
            {
                (context.unknown(), false)
            }
            Some(Subject::Event(id)) if request.channel.event(id).is_none() => {
                let existed = brandings.had_event(&request.channel, id).await;
                (if existed { context.removed() } else { context.missing() }, true)
            }
            _ => (context.page(path), true),
        }
    }

    /// Responds with the cached sitemap, generating it if missing.
    async fn sitemap(
        &self,
        request: Request,
        what: String,
        requested: &HeaderMap,
        make: impl FnOnce(&PageContext<'_>) -> Option<String> + Send + 'static,
    ) -> Response<Body> {
        let key = request.key("", &what);
        if let Some(cached) = self.0.pages.get(&key).await {
            return answer(&cached, requested, REVALIDATE).await;
        }
        // Ten thousand entries take a few milliseconds.
        let generated = tokio::task::spawn_blocking(move || {
            make(&request.context()).map(|text| NegotiatedBody::new(text, XML, Effort::High))
        });
        match generated.await.ok().flatten() {
            Some(sitemap) => answer(&*self.0.pages.insert(key, sitemap).await, requested, REVALIDATE).await,
            None => not_found(),
        }
    }
}

/// The address of a channel's site without a trailing slash: its public URL, otherwise the requested host if it is one
/// of the channel's, otherwise its first host.
pub(super) fn address_of(channel: &ChannelSnapshot, host: &str, https: bool) -> String {
    let config = &channel.config;
    if let Some(public_url) = &config.public_url {
        return public_url.trim_end_matches('/').to_owned();
    }
    let name = host_name(host);
    let scheme = if https { "https" } else { "http" };
    match config.hosts.first() {
        Some(first) if !config.hosts.iter().any(|host| *host == name) => {
            let port = host.get(name.len()..).filter(|port| port.starts_with(':')).unwrap_or_default();
            format!("{scheme}://{first}{port}")
        }
        _ => format!("{scheme}://{host}"),
    }
}

/// `/robots.txt`
pub(super) async fn robots((State(site), visit, requested): SiteRequest) -> Response<Body> {
    let Some(channel) = site.0.brandings.channel_of_key(&visit.branding.key) else { return not_found() };
    let address = address_of(&channel, &visit.host, site.0.public.tls || visit.visitor.https);
    answer(&content(sitemap_xml::robots(&address), "text/plain; charset=utf-8"), &requested, REVALIDATE).await
}

/// `/sitemap.xml`
pub(super) async fn sitemap((State(site), visit, requested): SiteRequest) -> Response<Body> {
    let Some(request) = site.request(&visit, None) else { return not_ready() };
    let index = |context: &PageContext<'_>| Some(sitemap_xml::index(context));
    site.sitemap(request, "sitemap.xml".to_owned(), &requested, index).await
}

/// `/sitemaps/{part}.xml`
pub(super) async fn sitemap_part(
    (State(site), visit, requested): SiteRequest,
    PathName(file): PathName,
) -> Response<Body> {
    let Some(request) = site.request(&visit, None) else { return not_ready() };
    let part = file.strip_suffix(".xml").and_then(|part| part.parse::<usize>().ok());
    let Some(part) = part else { return not_found() };
    let what = format!("sitemaps/{part}.xml");
    site.sitemap(request, what, &requested, move |context| sitemap_xml::part(context, part)).await
}

/// Search engines would read a missing sitemap as a site without pages.
fn not_ready() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    response
}
