//! The embedded channels, as the site shows them.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use touchline_channel::catalogue::{ChannelSnapshot, Channels};

use crate::site::{Face, Faces};

/// The embedded channels, as the site shows them.
#[derive(Debug)]
pub(crate) struct ChannelFaces {
    channels: Arc<Channels>,
    /// By key, with the load that they were made from.
    made: Mutex<HashMap<String, (u64, Arc<Face>)>>,
}

impl ChannelFaces {
    pub(crate) fn new(channels: Arc<Channels>) -> Self {
        Self { channels, made: Mutex::default() }
    }

    /// Every channel's face.
    pub(crate) fn all(&self) -> Vec<Arc<Face>> {
        self.channels.all().iter().map(|channel| self.face(channel)).collect()
    }

    fn face(&self, channel: &ChannelSnapshot) -> Arc<Face> {
        let mut made = self.made.lock();
        if let Some((_, face)) = made.get(channel.key()).filter(|(generation, _)| *generation == channel.generation) {
            return Arc::clone(face);
        }
        let face = Arc::new(Face {
            key: channel.key().to_owned(),
            settings: channel.settings.clone(),
            colors: channel.colors.clone(),
            pages: channel.pages.iter().map(|page| page.url.clone()).collect(),
        });
        made.insert(channel.key().to_owned(), (channel.generation, Arc::clone(&face)));
        face
    }
}

impl Faces for ChannelFaces {
    fn of_host(&self, host: &str) -> Option<Arc<Face>> {
        self.channels.by_host(host).map(|channel| self.face(&channel))
    }

    fn knows(&self, host: &str) -> bool {
        self.channels.by_host(host).is_some()
    }
}
