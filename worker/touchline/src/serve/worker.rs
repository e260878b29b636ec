use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Extensions;
use axum::routing::get;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use touchline_channel::Channel;
use touchline_channel::catalogue::{ChannelAdvice, Channels, FaultyChannel};
use touchline_channel::http::Client;
use touchline_channel::mail::FolderMailer;
use touchline_channel::routes::webhooks;
use touchline_datalake::{Datalake, Sender, SinkConfig};
use touchline_disk::Disk;
use touchline_protocol::ambient::{SharedClock, SharedEntropy, SystemClock, SystemEntropy};
use touchline_protocol::rate::Buckets;
use touchline_sync::{Hub, Peer, StatusSource};
use touchline_upstream::Upstream;

use super::area::Area;
use super::bodies::Bodies;
use super::books;
use super::branding::ChannelBranding;
use super::client_address::{Origin, Proxies};
use super::clock;
use super::data_folder::DataFolder;
use super::folder_sizes::{self, GrowingFolder};
use super::geoip::GeoIp;
use super::health::{Components, Health};
use super::middleware::{self, Middleware};
use super::opening::{demo_mail, has_demo_social, is_demo, open_channel, open_datalake, open_journal, store_file};
use super::rate::Calls;
use super::request_metrics::RequestMetrics;
use super::sales::PaidOrders;
use super::site_files::Publisher;
use super::statuses::{ChannelOrigins, ChannelStatuses};
use super::upstream::{self, ObservedOrders, UpstreamStatuses};
use super::upstream_pages::UpstreamPages;
use crate::admin::calls::Operations;
use crate::audit;
use crate::config::{Config, ConfigError, Mail};
use crate::error_response::method_not_allowed;
use crate::journal::Journal;
use crate::pages;
use crate::site::{Public, Site, Visitor, headers};

/// The components, opened and wired together.
pub(crate) struct Worker {
    pub(crate) folder: DataFolder,
    pub(crate) entropy: SharedEntropy,
    pub(crate) hub: Hub,
    pub(crate) middleware: Arc<Middleware>,
    channel: Channel,
    /// All API calls and the media.
    calls: Router,
    /// The upstream, if it answers the calls.
    upstream: Option<Upstream>,
    datalake: Datalake,
    site: Site,
    health: Arc<Health>,
    journal: Journal,
    /// Cancelled when shutdown starts; from then on the worker is not ready.
    pub(crate) leaving: CancellationToken,
    stop: CancellationToken,
    /// Background work. It ends when `stop` is cancelled or a part of it fails.
    background_task: JoinHandle<()>,
    /// Feeds the books to the lake.
    feed_task: JoinHandle<()>,
    is_demo: bool,
    /// Whether the demo has its own sign-in provider.
    has_demo_social: bool,
    /// The demo's letters, if they go to a folder.
    demo_mail: Option<FolderMailer>,
}

impl Worker {
    /// Opens all components. `address` is where the site will be served.
    pub(crate) async fn open(config: &Config, address: SocketAddr) -> Result<Self, ConfigError> {
        let clock: SharedClock = Arc::new(SystemClock::with_offset(config.clock_offset_s));
        let entropy: SharedEntropy = Arc::new(SystemEntropy);
        let folder = DataFolder::lock(&config.data)?;
        let disk = Disk::new(config.disk_reserve);
        let datalake = open_datalake(config, &folder, &disk, &clock, &entropy).await?;
        let opened = Self::open_beside(&datalake, config, address, folder, disk, (clock, entropy)).await;
        if opened.is_err() {
            // A shipper whose runtime disappears would report a healthy sink as failing.
            datalake.stop().await;
        }
        opened
    }

    async fn open_beside(
        datalake: &Datalake,
        config: &Config,
        address: SocketAddr,
        folder: DataFolder,
        disk: Disk,
        (clock, entropy): (SharedClock, SharedEntropy),
    ) -> Result<Self, ConfigError> {
        let channel = open_channel(config, &folder, &disk, (&clock, &entropy), datalake, address).await?;
        let state = channel.state();
        let (calls, document) = channel.router().split_for_parts();
        let upstream = upstream::open(config, &channel, &document, config.tls.is_some()).await?;
        datalake.set_sales(match &upstream {
            Some(_) => Arc::new(ObservedOrders(Arc::clone(&state.store))),
            None => Arc::new(PaidOrders(channel.clone())),
        });
        let journal = open_journal(&folder, document, &disk, &clock)?;

        let upstream_pages = upstream
            .clone()
            .map(|upstream| UpstreamPages::new(upstream, Arc::clone(&state.channels), Arc::clone(&clock)));
        let brandings = Arc::new(ChannelBranding::new(
            Arc::clone(&state.channels),
            Arc::clone(&state.store),
            upstream_pages.clone(),
            Arc::clone(&clock),
        ));
        let public = Public {
            analytics_allow_localhost: config.analytics_allow_localhost,
            build: env!("BUILD_NAME"),
            tls: config.tls.is_some(),
        };
        let site = Site::new(brandings.clone(), public);
        // Calls still work without the site: a build of the web in progress is not an error.
        if let Some(fault) = brandings.all().first().and_then(|branding| site.fault(branding)) {
            tracing::warn!(fault, "no page can be served yet");
        }
        let limits = touchline_sync::Limits {
            per_address: config.limits.sockets_per_address,
            per_key: config.limits.sockets_per_key,
            total: config.limits.connections,
            ..touchline_sync::Limits::default()
        };
        let origins = Arc::new(ChannelOrigins(Arc::clone(&state.channels)));
        let log = ChannelStatuses(state.clone());
        let statuses: Arc<dyn StatusSource> = match &upstream {
            Some(upstream) => Arc::new(UpstreamStatuses::new(upstream.clone(), state, log)),
            None => Arc::new(log),
        };
        let hub = Hub::start(statuses, origins, limits);
        let publisher = Publisher { store: Arc::clone(&state.store), site: site.clone(), clock: Arc::clone(&clock) };
        let middleware = Arc::new(Middleware {
            proxies: Arc::new(Proxies {
                trusted: config.trusted_proxies.clone(),
                country_header: config.country_header.clone(),
                geoip: config.geo_file.as_deref().map(GeoIp::read).transpose()?,
            }),
            brandings,
            request_metrics: RequestMetrics::default(),
            journal: journal.clone(),
            bodies: Bodies::new(),
            calls: Calls::new(config.limits.calls_per_minute, Arc::clone(&clock)),
            media: Calls::new(config.limits.media_per_minute, Arc::clone(&clock)),
            access: Buckets::new(middleware::ACCESS_ADDRESSES),
            clock,
            entropy: Arc::clone(&entropy),
            call_timeout: middleware::CALL_TIMEOUT,
            body_timeout: config.limits.body_timeout,
            tls: config.tls.is_some(),
            hsts: headers::hsts(config.hsts_subdomains),
            add_origin,
        });
        let stop = CancellationToken::new();
        let wait = publisher.publish().await;
        tokio::spawn(publisher.run(wait, stop.clone()));
        let ready_from = clock::ready_from(&channel, config.accept_clock).await?;
        tokio::spawn(clock::compare(channel.clone(), stop.clone()));
        let components = Components {
            ready_from,
            channel: channel.clone(),
            datalake: datalake.clone(),
            disk: disk.clone(),
            data: config.data.clone(),
        };
        tokio::spawn(folder_sizes::watch(growing_folders(config, &folder), config.disk_warn, stop.clone()));
        tokio::spawn(journal.clone().run(stop.clone()));
        let leaving = CancellationToken::new();
        let health = Health::watch(components, leaving.clone());
        let (background, cancel) = (channel.clone(), stop.clone());
        let (feed_task, background_task) = match upstream_pages {
            // Money, accounts and events are the upstream's: no audit, books or clips here.
            Some(pages) => (
                tokio::spawn(async {}),
                tokio::spawn(async move {
                    tokio::join!(
                        background.run_beside_upstream(cancel.clone()),
                        pages.upstream().run(cancel.clone()),
                        pages.run(cancel),
                    );
                }),
            ),
            None => {
                tokio::spawn(audit::repeat(
                    channel.state().clone(),
                    datalake.clone(),
                    config.audit_interval,
                    stop.clone(),
                ));
                (
                    tokio::spawn(books::run(channel.clone(), datalake.clone(), stop.clone())),
                    tokio::spawn(async move { background.run(cancel).await }),
                )
            }
        };
        if !cfg!(debug_assertions) {
            let site = site.clone();
            tokio::spawn(async move { site.warm().await });
        }
        let is_demo = is_demo(config);
        let demo_mail = match &config.mail {
            Mail::Folder(folder) if is_demo => Some(demo_mail(folder, &config.mail_from)?),
            _ => None,
        };
        Ok(Self {
            folder,
            entropy,
            hub,
            channel,
            calls,
            upstream,
            datalake: datalake.clone(),
            site,
            middleware,
            health,
            journal,
            leaving,
            stop,
            background_task,
            feed_task,
            is_demo,
            has_demo_social: has_demo_social(config),
            demo_mail,
        })
    }

    /// Logs the configuration, and warnings about likely mistakes, as the first lines of the log (`OPS-9`).
    pub(crate) fn log_configuration(&self, config: &Config) {
        let channels = self.channel.state().channels.all();
        let names: Vec<_> = channels.iter().map(|channel| channel.key()).collect();
        let sinks: Vec<_> = config.datalake.sinks.iter().map(ToString::to_string).collect();
        let mail = match &config.mail {
            Mail::Folder(folder) => folder.display().to_string(),
            Mail::Smtp(url) => format!("{}://{}", url.0.scheme(), url.0.host_str().unwrap_or_default()),
        };
        tracing::info!(
            version = env!("BUILD_NAME"),
            channels = names.join(","),
            origin = config.origin.as_ref().map_or_else(|| "embedded".to_owned(), ToString::to_string),
            store = config
                .store
                .as_ref()
                .map_or_else(|| self.folder.join(store_file(config)).display().to_string(), ToString::to_string),
            sinks = sinks.join(","),
            mail,
            mail_from = config.mail_from,
            "touchline starts"
        );
        for FaultyChannel { key, fault, is_served } in self.channel.state().channels.faulty() {
            tracing::error!(channel = key, fault, is_served, "the channel is faulty");
        }
        let channels: Vec<_> = channels.iter().map(|channel| ChannelAdvice::of(channel)).collect();
        for warning in config.advice(&channels) {
            tracing::warn!("{warning}");
        }
    }

    /// The router of the public port, to run behind its [`Middleware`].
    pub(crate) fn router(&self) -> Router {
        let calls = self.calls.clone();
        let calls = match &self.upstream {
            Some(upstream) => upstream.wrap(calls),
            None => calls,
        };
        let (datalake, _) = self.datalake.router().split_for_parts();
        let (health, channels) = (Arc::clone(&self.health), self.channels());
        let ready = async move || health.answer(&channels.faulty());
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(ready))
            .merge(calls)
            .merge(webhooks::router(self.channel.state().clone()))
            .merge(datalake)
            .merge(self.hub.router())
            .merge(pages::router(self.demo_mail.clone(), self.has_demo_social))
            .merge(self.site.router())
            .method_not_allowed_fallback(async || method_not_allowed())
    }

    pub(crate) fn channels(&self) -> Arc<Channels> {
        Arc::clone(&self.channel.state().channels)
    }

    pub(crate) fn operations(&self) -> Operations {
        Operations {
            channel: self.channel.state().clone(),
            datalake: self.datalake.clone(),
            journal: self.journal.clone(),
            is_proxy: self.upstream.is_some(),
        }
    }

    /// Email addresses and passwords of the demo's accounts.
    pub(crate) fn demo_accounts(&self) -> Vec<(String, String)> {
        let channels = if self.is_demo { self.channel.state().channels.all() } else { Vec::new() };
        let first = channels.iter().filter_map(|channel| channel.config.demo_accounts.first());
        first.map(|account| (account.email.clone(), account.password.clone())).collect()
    }

    /// Waits until a part of the background work fails.
    pub(crate) async fn failed(&mut self) {
        // It should never end on its own, even without an error.
        tokio::select! {
            _ended = &mut self.background_task => {}
            reason = self.datalake.gave_up() => {
                tracing::error!(why = reason, "the analytics queue cannot be reopened; the worker exits to be restarted");
            }
        }
    }

    /// Stops the background work, ships the last analytics within `ship_within`, and closes the files.
    pub(crate) async fn close(self, ship_within: Duration) {
        self.stop.cancel();
        if !self.background_task.is_finished() {
            let _ended = self.background_task.await.is_ok();
        }
        let _ended = self.feed_task.await.is_ok();
        self.journal.flush().await;
        self.datalake.shutdown(ship_within).await;
        self.channel.close().await;
    }
}

fn growing_folders(config: &Config, folder: &DataFolder) -> Vec<GrowingFolder> {
    let of = |name| GrowingFolder { name, path: folder.join(name) };
    let clips = GrowingFolder { name: "clips", path: config.clips.clone() };
    let mut growing_folders = vec![clips, of("recordings"), of("reports")];
    growing_folders.extend(config.datalake.sinks.iter().filter_map(|sink| match sink {
        SinkConfig::LakeFolder(path) => Some(GrowingFolder { name: "lake", path: path.clone() }),
        _ => None,
    }));
    if let Mail::Folder(path) = &config.mail {
        growing_folders.push(GrowingFolder { name: "mail", path: path.clone() });
    }
    growing_folders
}

/// Adds the origin of a request in the type its area expects.
fn add_origin(area: Area, extensions: &mut Extensions, origin: &Origin) {
    match area {
        Area::Datalake => drop(extensions.insert(Sender(middleware::subject(origin)))),
        Area::Sync => drop(extensions.insert(Peer(origin.address))),
        Area::Site => {
            extensions.insert(Visitor {
                https: origin.https,
                country: origin.country.clone(),
                address: Some(origin.address),
            });
            // The worker's own pages are next to the site's, and the demo mailbox checks the address.
            extensions.insert(Client { address: origin.address, country: origin.country.clone() });
        }
        _ => drop(extensions.insert(Client { address: origin.address, country: origin.country.clone() })),
    }
}
