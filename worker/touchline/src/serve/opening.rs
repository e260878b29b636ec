//! Opens the components from the settings.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use touchline_channel::auth::recaptcha::RecaptchaOptions;
use touchline_channel::auth::social::SocialProvider;
use touchline_channel::broadcast::BroadcastOptions;
use touchline_channel::catalogue::{ChannelSource, ChannelsError, FolderSource};
use touchline_channel::mail::FolderMailer;
use touchline_channel::payments::stripe::StripeOptions;
use touchline_channel::pull::PullOptions;
use touchline_channel::{Channel, ChannelOptions, MailOptions, OpenError};
use touchline_datalake::{Datalake, DatalakeOptions, SinkConfig};
use touchline_disk::Disk;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use url::Url;
use utoipa::openapi::OpenApi;

use super::data_folder::DataFolder;
use super::demo::Demo;
use super::erasure::DatalakeEraser;
use super::upstream;
use crate::config::{self, Config, ConfigError, Mail, Provider};
use crate::journal::{self, Journal};
use crate::pages;

/// The channel's records, in the data folder.
pub(crate) const STORE_FILE: &str = "channel.sqlite";
const STRIPE: &str = "https://api.stripe.com";
const RECAPTCHA: &str = "https://www.google.com/recaptcha/api/siteverify";

pub(crate) fn source_of(config: &Config) -> Arc<dyn ChannelSource> {
    match &config.channels {
        Some(folder) if config.channels_poll => Arc::new(FolderSource::new(folder)),
        Some(folder) => Arc::new(FolderSource::new(folder).with_events()),
        None => Arc::new(Demo),
    }
}

pub(crate) fn store_file(config: &Config) -> &'static str {
    if config.origin.is_some() { upstream::STORE_FILE } else { STORE_FILE }
}

pub(super) async fn open_datalake(
    config: &Config,
    folder: &DataFolder,
    disk: &Disk,
    clock: &SharedClock,
    entropy: &SharedEntropy,
) -> Result<Datalake, ConfigError> {
    let options = DatalakeOptions {
        folder: folder.join("datalake"),
        node: config.datalake.node.clone(),
        sinks: config.datalake.sinks.iter().cloned().map(with_absolute_path).collect(),
        sink_secret: config.datalake.sink_secret.clone(),
        limits: touchline_datalake::Limits {
            close_age: config.datalake.close_age,
            queue_bytes: config.datalake.queue_bytes,
            disk: disk.clone(),
            sender_bytes_per_hour: config.limits.analytics_bytes_per_hour,
            ..touchline_datalake::Limits::default()
        },
        clock: Arc::clone(clock),
        entropy: Arc::clone(entropy),
    };
    Datalake::open(options).await.map_err(|error| ConfigError(error.to_string()))
}

/// A sink is identified by its text: a relative folder would be a different sink for a worker started elsewhere.
fn with_absolute_path(sink: SinkConfig) -> SinkConfig {
    match sink {
        SinkConfig::LakeFolder(folder) => SinkConfig::LakeFolder(std::path::absolute(&folder).unwrap_or(folder)),
        other => other,
    }
}

pub(super) async fn open_channel(
    config: &Config,
    folder: &DataFolder,
    disk: &Disk,
    (clock, entropy): (&SharedClock, &SharedEntropy),
    datalake: &Datalake,
    address: SocketAddr,
) -> Result<Channel, ConfigError> {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    // Links in emails name a host that a browser on this machine can open.
    let host =
        if address.ip().is_unspecified() { format!("localhost:{}", address.port()) } else { address.to_string() };
    let base_url = url(&format!("{scheme}://{host}"))?;
    let defaults = ChannelOptions::new(
        folder.join(store_file(config)),
        source_of(config),
        Arc::clone(clock),
        Arc::clone(entropy),
        base_url.clone(),
    );
    let options = ChannelOptions {
        broadcasts: BroadcastOptions {
            live: config.live.clone(),
            recordings: folder.join("recordings"),
            recordings_bytes: config.recordings_bytes,
        },
        pulls: PullOptions { folder: folder.join("pulled"), disk_bytes: config.pull_bytes },
        postgres: config.store.clone(),
        clips: config.clips.clone(),
        bucket: config.media.clone(),
        memory_bytes: config.memory_bytes,
        private_media: config.private_media,
        sandbox_delay: config.sandbox_delay,
        stripe: config.stripe.as_ref().map(stripe).transpose()?,
        disk: disk.clone(),
        mail: match &config.mail {
            Mail::Folder(folder) => MailOptions::Folder(folder.clone()),
            Mail::Smtp(url) => MailOptions::Smtp(url.0.to_string()),
        },
        mail_from: config.mail_from.clone(),
        social: social(config, &base_url)?,
        recaptcha: match &config.recaptcha {
            None => None,
            Some(recaptcha) => {
                let verify_url = recaptcha.url.clone().map_or_else(|| url(RECAPTCHA), Ok)?;
                let options = RecaptchaOptions { secret: recaptcha.secret.0.clone(), verify_url };
                Some((options, recaptcha.site_key.clone()))
            }
        },
        demo_accounts: is_demo(config),
        erasers: vec![Arc::new(DatalakeEraser(datalake.clone()))],
        ..defaults
    };
    Channel::open(options).await.map_err(|error| config_error(&error, config.channels.as_ref()))
}

fn stripe(options: &config::Stripe) -> Result<StripeOptions, ConfigError> {
    Ok(StripeOptions {
        secret_key: options.secret_key.0.clone(),
        publishable_key: options.publishable_key.clone(),
        webhook_secret: options.webhook_secret.0.clone(),
        base_url: options.base_url.clone().map_or_else(|| url(STRIPE), Ok)?,
        script_url: options.script_url.clone(),
    })
}

pub(super) fn open_journal(
    folder: &DataFolder,
    document: OpenApi,
    disk: &Disk,
    clock: &SharedClock,
) -> Result<Journal, ConfigError> {
    let (folder, routes) = (folder.join("journal"), document.paths.paths.into_keys());
    let path = folder.display().to_string();
    Journal::open(folder, journal::BOUNDS, routes, disk.clone(), Arc::clone(clock))
        .map_err(|error| ConfigError(format!("cannot open the request journal {path}: {error}")))
}

pub(super) fn demo_mail(folder: &Path, from: &str) -> Result<FolderMailer, ConfigError> {
    let from = from.parse().map_err(|error| ConfigError(format!("mail_from {from}: {error}")))?;
    FolderMailer::new(folder.to_owned(), from)
        .map_err(|error| ConfigError(format!("mail {}: {error}", folder.display())))
}

/// The reason a channel cannot open, in one line.
fn config_error(error: &OpenError, folder: Option<&PathBuf>) -> ConfigError {
    let folder =
        folder.map_or_else(|| "the demo channels".to_owned(), |folder| format!("channels {}", folder.display()));
    ConfigError(match error {
        OpenError::Channels(ChannelsError::Faulty(faults)) => {
            let first = faults.0.first().map(ToString::to_string).unwrap_or_default();
            match faults.0.len().saturating_sub(1) {
                0 => format!("{folder}: {first}"),
                more => format!("{folder}: {first} (and {more} more: `touchline check` lists all)"),
            }
        }
        OpenError::Channels(error) => format!("{folder}: {error}"),
        other => other.to_string(),
    })
}

/// Whether the worker serves the demo's channels from its own records.
pub(super) fn is_demo(config: &Config) -> bool {
    config.channels.is_none() && config.origin.is_none()
}

/// The demo's channels sign in through a stand-in unless a provider is configured (`AUTH-14`).
pub(super) fn has_demo_social(config: &Config) -> bool {
    is_demo(config) && config.google.is_none() && config.facebook.is_none()
}

fn social(config: &Config, base_url: &Url) -> Result<BTreeMap<String, SocialProvider>, ConfigError> {
    if has_demo_social(config) {
        let endpoint =
            |name: &str| url(&format!("{}{}/{name}", base_url.as_str().trim_end_matches('/'), pages::DEMO_SOCIAL));
        let stand_in = SocialProvider {
            client_id: "demo".to_owned(),
            client_secret: String::new(),
            authorize_url: endpoint("authorize")?,
            token_url: endpoint("token")?,
            userinfo_url: endpoint("userinfo")?,
            scope: "openid email profile".to_owned(),
        };
        return Ok(["google", "facebook"].map(|name| (name.to_owned(), stand_in.clone())).into());
    }
    type Constructor = fn(String, String) -> Result<SocialProvider, url::ParseError>;
    let providers: [(&str, &Option<Provider>, Constructor); 2] =
        [("google", &config.google, SocialProvider::google), ("facebook", &config.facebook, SocialProvider::facebook)];
    let mut social = BTreeMap::new();
    for (name, configured, constructor) in providers {
        let Some(configured) = configured else { continue };
        let fault = |error: url::ParseError| ConfigError(format!("oauth.{name}: {error}"));
        let mut provider =
            constructor(configured.client_id.clone(), configured.client_secret.0.clone()).map_err(fault)?;
        if let Some(base) = &configured.base_url {
            let base = base.as_str().trim_end_matches('/');
            provider.authorize_url = url(&format!("{base}/authorize"))?;
            provider.token_url = url(&format!("{base}/token"))?;
            provider.userinfo_url = url(&format!("{base}/userinfo"))?;
        }
        social.insert(name.to_owned(), provider);
    }
    Ok(social)
}

fn url(text: &str) -> Result<Url, ConfigError> {
    Url::parse(text).map_err(|error| ConfigError(format!("{text}: {error}")))
}
