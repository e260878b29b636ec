//! The embedded channels, as the site shows them.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use touchline_channel::catalogue::{ChannelSnapshot, Channels};

use touchline_store::Store;

use crate::site::{Branding, BrandingSource, Subject};

/// The embedded channels, as the site shows them.
pub(crate) struct ChannelBranding {
    channels: Arc<Channels>,
    store: Arc<dyn Store>,
    /// By key, with the load that they were made from.
    made: Mutex<HashMap<String, (u64, Arc<Branding>)>>,
}

impl ChannelBranding {
    pub(crate) fn new(channels: Arc<Channels>, store: Arc<dyn Store>) -> Self {
        Self { channels, store, made: Mutex::default() }
    }

    /// Every channel's face.
    pub(crate) fn all(&self) -> Vec<Arc<Branding>> {
        self.channels.all().iter().map(|channel| self.branding(channel)).collect()
    }

    fn branding(&self, channel: &ChannelSnapshot) -> Arc<Branding> {
        let mut made = self.made.lock();
        if let Some((_, branding)) = made.get(channel.key()).filter(|(generation, _)| *generation == channel.generation)
        {
            return Arc::clone(branding);
        }
        let branding = Arc::new(Branding {
            key: channel.key().to_owned(),
            settings: channel.settings.clone(),
            colors: channel.colors.clone(),
            media_hosts: channel.config.media_hosts.clone(),
            pages: channel.pages.iter().map(|page| page.url.clone()).collect(),
        });
        made.insert(channel.key().to_owned(), (channel.generation, Arc::clone(&branding)));
        branding
    }
}

#[async_trait]
impl BrandingSource for ChannelBranding {
    fn of_host(&self, host: &str) -> Option<Arc<Branding>> {
        self.channels.by_host(host).map(|channel| self.branding(&channel))
    }

    fn key_of_host(&self, host: &str) -> Option<String> {
        self.channels.by_host(host).map(|channel| channel.key().to_owned())
    }

    fn knows(&self, host: &str) -> bool {
        self.channels.by_host(host).is_some()
    }

    async fn has(&self, host: &str, subject: Subject<'_>) -> bool {
        let Some(channel) = self.channels.by_host(host) else { return false };
        match subject {
            Subject::Event(id) => channel.event(id).is_some(),
            Subject::Video(id) => channel.video(id).is_some(),
            Subject::Package(id) => channel.package(id).is_some(),
            Subject::SharedClip { id, uuid } => match self.store.clip(id).await {
                Ok(clip) => clip.is_some_and(|clip| clip.clip.uuid == uuid && clip.channel_key == channel.key()),
                Err(error) => {
                    tracing::warn!(%error, "whether a shared clip is there is not known");
                    true
                }
            },
        }
    }
}
