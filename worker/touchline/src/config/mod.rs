//! The configuration of the worker: flags, then `TOUCHLINE_*` variables, then `touchline.toml`, validated before
//! anything listens (`OPS-2`).
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | the one table of settings |
//! | [`layers`] | the given values and their sources |
//! | [`stripe`] | the Stripe account |
//! | [`values`] | parsers of values |
//! | [`advice`] | warnings about likely mistakes |

mod advice;
mod layers;
mod settings;
mod stripe;
mod values;

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderName;
use clap::ArgMatches;
use ipnet::IpNet;
use touchline_channel::bucket::BucketAddress;
use touchline_datalake::{SinkConfig, SinkSecret};
use touchline_store::PostgresAddress;
use touchline_store::postgres::connections;
use touchline_upstream::Origin;
use url::Url;

pub(crate) use layers::ConfigError;
use layers::Layers;
pub(crate) use settings::{Kind, SETTINGS, Setting};
pub(crate) use stripe::Stripe;

/// The configuration. Every value is valid on its own; whether a port, folder or certificate is usable shows at startup.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) admin_listen: SocketAddr,
    pub(crate) data: PathBuf,
    /// `None`: the embedded channel API.
    pub(crate) origin: Option<Origin>,
    /// The time limit of a request to `origin`, shorter than that of a call.
    pub(crate) upstream_timeout: Duration,
    /// `None`: SQLite in the data folder.
    pub(crate) store: Option<PostgresAddress>,
    pub(crate) clips: PathBuf,
    /// The bucket for media and clips, in addition to the folders.
    pub(crate) media: Option<BucketAddress>,
    /// `None`: the demo channels in the binary.
    pub(crate) channels: Option<PathBuf>,
    /// Whether channel folders are looked at regularly, without file-system events.
    pub(crate) channels_poll: bool,
    /// The folder that encoders write to.
    pub(crate) live: PathBuf,
    /// The size limit of the cache of pulled media, in bytes.
    pub(crate) pull_bytes: u64,
    /// Memory for media files, in bytes.
    pub(crate) memory_bytes: u64,
    /// Whether media may be on private networks.
    pub(crate) private_media: bool,
    /// The size limit of all recordings, in bytes.
    pub(crate) recordings_bytes: u64,
    pub(crate) datalake: Datalake,
    pub(crate) sandbox_delay: Duration,
    /// `None`: sandbox payments.
    pub(crate) stripe: Option<Stripe>,
    pub(crate) mail: Mail,
    pub(crate) mail_from: String,
    pub(crate) google: Option<Provider>,
    pub(crate) facebook: Option<Provider>,
    pub(crate) recaptcha: Option<Recaptcha>,
    /// The interval between audits of the books.
    pub(crate) audit_interval: Duration,
    pub(crate) country_header: Option<HeaderName>,
    pub(crate) geo_file: Option<PathBuf>,
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) tls: Option<TlsFiles>,
    /// Whether HSTS covers subdomains.
    pub(crate) hsts_subdomains: bool,
    /// The time after SIGTERM in which the worker still serves requests but is not ready.
    pub(crate) drain: Duration,
    pub(crate) limits: Limits,
    /// Bytes of the disk reserved for the store.
    pub(crate) disk_reserve: u64,
    /// The folder size that triggers a warning, in bytes.
    pub(crate) disk_warn: u64,
    pub(crate) analytics_allow_localhost: bool,
    pub(crate) clock_offset_s: i64,
    /// Whether to accept the clock although records are ahead of it.
    pub(crate) accept_clock: bool,
    pub(crate) log: Log,
    /// Ignored variables of a Kubernetes service.
    pub(crate) of_kubernetes: Vec<String>,
}

/// The default sender of emails, an address that does not exist.
pub(crate) const NO_REPLY: &str = "no-reply@touchline.invalid";

/// See `upstream.timeout_s`.
const UPSTREAM_TIMEOUT: Duration = Duration::from_secs(25);
/// See `disk.warn_bytes`.
pub(crate) const DISK_WARN_BYTES: u64 = 20 << 30;

/// A value that never appears in logs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret<T>(pub(crate) T);

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[derive(Debug)]
pub(crate) struct Datalake {
    pub(crate) sinks: Vec<SinkConfig>,
    pub(crate) sink_secret: Option<SinkSecret>,
    pub(crate) close_age: Duration,
    pub(crate) queue_bytes: u64,
    pub(crate) node: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mail {
    Folder(PathBuf),
    Smtp(Secret<Url>),
}

#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) client_id: String,
    pub(crate) client_secret: Secret<String>,
    pub(crate) base_url: Option<Url>,
}

#[derive(Debug, Clone)]
pub(crate) struct Recaptcha {
    pub(crate) secret: Secret<String>,
    pub(crate) site_key: String,
    pub(crate) url: Option<Url>,
}

#[derive(Debug, Clone)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) connections: usize,
    /// Per address, of connections that have sent a request.
    pub(crate) connections_per_address: usize,
    pub(crate) calls_per_minute: u32,
    pub(crate) media_per_minute: u32,
    /// The time limit for the body of a call to arrive.
    pub(crate) body_timeout: Duration,
    pub(crate) analytics_bytes_per_hour: u64,
    pub(crate) sockets_per_address: usize,
    pub(crate) sockets_per_key: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let sockets = touchline_sync::Limits::default();
        Self {
            connections: 20_000,
            connections_per_address: 4_096,
            calls_per_minute: 6_000,
            media_per_minute: 60_000,
            body_timeout: Duration::from_secs(30),
            analytics_bytes_per_hour: touchline_datalake::Limits::default().sender_bytes_per_hour,
            sockets_per_address: sockets.per_address,
            sockets_per_key: sockets.per_key,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) filter: String,
    pub(crate) json: bool,
}

impl Config {
    pub(crate) fn load(
        flags: &ArgMatches,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let layers = Layers::collect(flags, variables)?;
        let address = |key, default: &str| {
            let raw = layers.one(key, values::address)?;
            raw.map_or_else(|| values::address(default).map_err(|fault| layers.fault(key, Some(default), &fault)), Ok)
        };
        let queue = touchline_datalake::Limits::default();
        let data = layers.one("data", values::path)?.unwrap_or_else(|| PathBuf::from("data"));
        Ok(Self {
            listen: address("listen", "127.0.0.1:8080")?,
            admin_listen: address("admin_listen", "127.0.0.1:0")?,
            origin: layers.one("origin", values::origin)?.flatten(),
            upstream_timeout: layers
                .one("upstream.timeout_s", |text| values::number(text, 1..=29))?
                .map_or(UPSTREAM_TIMEOUT, Duration::from_secs),
            store: store(&layers)?,
            media: layers.one("media", values::parsed::<BucketAddress>)?,
            clips: layers.one("clips.folder", values::path)?.unwrap_or_else(|| data.join("clips")),
            channels: layers.one("channels", values::path)?,
            channels_poll: layers.one("channels_poll", values::switch)?.unwrap_or(false),
            live: layers.one("live.folder", values::path)?.unwrap_or_else(|| data.join("live")),
            pull_bytes: layers
                .one("pull.disk_bytes", |text| values::number(text, 0..=1 << 50))?
                .unwrap_or(touchline_channel::pull::DISK_BYTES),
            memory_bytes: layers
                .one("media.memory_bytes", |text| values::number(text, 0..=1 << 50))?
                .unwrap_or(touchline_channel::media::memory::MEMORY_BYTES),
            private_media: layers.one("media.private_networks", values::switch)?.unwrap_or(false),
            recordings_bytes: layers
                .one("live.recordings_bytes", |text| values::number(text, 0..=1 << 50))?
                .unwrap_or(touchline_channel::broadcast::RECORDINGS_BYTES),
            datalake: Datalake {
                sinks: layers
                    .many("datalake.sinks", values::parsed::<SinkConfig>)?
                    .filter(|sinks| !sinks.is_empty())
                    .unwrap_or_else(|| vec![SinkConfig::LakeFolder(data.join("lake"))]),
                sink_secret: layers.one("datalake.sink_secret", values::sink_secret)?,
                close_age: layers
                    .one("datalake.close_age_s", |text| values::number(text, 1..=60))?
                    .map_or(queue.close_age, Duration::from_secs),
                queue_bytes: layers
                    .one("datalake.queue_bytes", |text| values::number(text, 1 << 20..=1 << 40))?
                    .unwrap_or(queue.queue_bytes),
                node: layers.one("node", values::node)?,
            },
            sandbox_delay: layers
                .one("sandbox.delay_ms", |text| values::number(text, 0..=60_000))?
                .map_or(Duration::from_millis(1500), Duration::from_millis),
            audit_interval: layers
                .one("audit_every_s", |text| values::number(text, 1..=86_400))?
                .map_or(crate::audit::INTERVAL, Duration::from_secs),
            stripe: stripe::read(&layers)?,
            mail: layers.one("mail", values::mail)?.unwrap_or_else(|| Mail::Folder(data.join("mail"))),
            mail_from: layers.one("mail_from", values::text)?.unwrap_or_else(|| NO_REPLY.to_owned()),
            google: provider(
                &layers,
                ["oauth.google.client_id", "oauth.google.client_secret", "oauth.google.base_url"],
            )?,
            facebook: provider(
                &layers,
                ["oauth.facebook.client_id", "oauth.facebook.client_secret", "oauth.facebook.base_url"],
            )?,
            recaptcha: recaptcha(&layers)?,
            geo_file: layers.one("geo.mmdb", values::path)?,
            country_header: layers.one("geo.country_header", values::header)?,
            trusted_proxies: layers.many("trusted_proxies", values::network)?.unwrap_or_default(),
            tls: pair(&layers, "tls.cert", "tls.key", values::path)?.map(|(cert, key)| TlsFiles { cert, key }),
            hsts_subdomains: layers.one("tls.hsts_subdomains", values::switch)?.unwrap_or(false),
            drain: Duration::from_secs(layers.one("drain_s", |text| values::number(text, 0..=600))?.unwrap_or(5)),
            limits: limits(&layers)?,
            disk_warn: layers
                .one("disk.warn_bytes", |text| values::number(text, 1..=1 << 50))?
                .unwrap_or(DISK_WARN_BYTES),
            disk_reserve: layers
                .one("disk.reserve_bytes", |text| values::number(text, 0..=1 << 40))?
                .unwrap_or(touchline_disk::RESERVE_BYTES),
            analytics_allow_localhost: layers.one("analytics.allow_localhost", values::switch)?.unwrap_or(false),
            accept_clock: layers.one("accept_clock", values::switch)?.unwrap_or(false),
            clock_offset_s: layers.one("clock_offset", values::seconds)?.unwrap_or(0),
            log: Log {
                filter: layers.one("log", values::log_filter)?.unwrap_or_else(|| "info".to_owned()),
                json: layers.one("log_format", values::log_format)?.unwrap_or(false),
            },
            of_kubernetes: layers.of_kubernetes,
            data,
        })
    }
}

fn store(layers: &Layers) -> Result<Option<PostgresAddress>, ConfigError> {
    let range = u64::from(connections::MIN)..=u64::from(connections::MAX);
    let connections = layers.one("store_connections", |text| values::number(text, range.clone()))?;
    let address = layers.one("store", values::store)?.flatten();
    Ok(match (address, connections) {
        (Some(address), Some(count)) => {
            Some(address.with_connections(u32::try_from(count).unwrap_or(connections::MAX)))
        }
        (address, _) => address,
    })
}

fn limits(layers: &Layers) -> Result<Limits, ConfigError> {
    let default = Limits::default();
    let count = |key, max: u64, default: u64| {
        Ok::<_, ConfigError>(layers.one(key, |text| values::number(text, 1..=max))?.unwrap_or(default))
    };
    Ok(Limits {
        connections: count("limits.connections", 1_000_000, default.connections as u64)? as usize,
        connections_per_address: count(
            "limits.connections_per_address",
            1_000_000,
            default.connections_per_address as u64,
        )? as usize,
        calls_per_minute: count("limits.calls_per_minute", 10_000_000, default.calls_per_minute.into())? as u32,
        media_per_minute: count("limits.media_per_minute", 10_000_000, default.media_per_minute.into())? as u32,
        body_timeout: Duration::from_secs(count("limits.body_s", 3_600, default.body_timeout.as_secs())?),
        analytics_bytes_per_hour: count("limits.analytics_bytes_per_hour", 1 << 40, default.analytics_bytes_per_hour)?,
        sockets_per_address: count("limits.sockets_per_address", 1_000_000, default.sockets_per_address as u64)?
            as usize,
        sockets_per_key: count("limits.sockets_per_key", 10_000, default.sockets_per_key as u64)? as usize,
    })
}

fn provider(layers: &Layers, [id, secret, base]: [&'static str; 3]) -> Result<Option<Provider>, ConfigError> {
    let base_url = layers.one(base, values::url)?;
    match pair(layers, id, secret, values::text)? {
        Some((client_id, client_secret)) => {
            Ok(Some(Provider { client_id, client_secret: Secret(client_secret), base_url }))
        }
        None if base_url.is_some() => Err(layers.fault(base, None, &format!("needs {id}"))),
        None => Ok(None),
    }
}

fn recaptcha(layers: &Layers) -> Result<Option<Recaptcha>, ConfigError> {
    let url = layers.one("recaptcha.url", values::url)?;
    match pair(layers, "recaptcha.secret", "recaptcha.site_key", values::text)? {
        Some((secret, site_key)) => Ok(Some(Recaptcha { secret: Secret(secret), site_key, url })),
        None if url.is_some() => Err(layers.fault("recaptcha.url", None, "needs recaptcha.secret")),
        None => Ok(None),
    }
}

/// Two settings that are only valid together.
fn pair<T>(
    layers: &Layers,
    a: &'static str,
    b: &'static str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<(T, T)>, ConfigError> {
    match (layers.one(a, &read)?, layers.one(b, &read)?) {
        (Some(first), Some(second)) => Ok(Some((first, second))),
        (Some(_), None) => Err(layers.fault(a, None, &format!("needs {b}"))),
        (None, Some(_)) => Err(layers.fault(b, None, &format!("needs {a}"))),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests;
