//! The upstream's public data, read in full for rendering the site's pages (`UP-11`).

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::http::StatusCode;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use touchline_protocol::catalogue::{ContentPage, PublicChannel};
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::Rate;

use crate::cache::{CacheEntry, ReadResult};
use crate::client::{MAX_REPLY_BYTES, Outgoing};
use crate::failure::Failure;
use crate::proxy::Incoming;
use crate::request::{Public, Query};
use crate::upstream::Upstream;

/// Page size for lists that the upstream doesn't return whole.
const PAGE_SIZE: usize = 100;
/// Most pages of one list.
const MAX_PAGES: usize = 200;
/// Most bytes of all responses for one channel.
const MAX_BYTES: usize = 64 << 20;
/// Most content pages whose content is read.
const MAX_CONTENTS: usize = 50;
/// Timeout of a page's request to confirm that something exists.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
/// Rate at which pages ask the upstream to confirm that something exists.
const LOOKUP_RATE: Rate = Rate::per_minute(LOOKUPS_PER_MINUTE);
const LOOKUPS_PER_MINUTE: u32 = 120;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("upstream.channel", MAX_BYTES as u64, "Upstream responses for rendering one channel's pages."),
    Limit::count(
        "upstream.parts",
        MAX_PAGES as u64,
        "pages",
        "Pages of a list that the upstream doesn't return whole.",
    ),
    Limit::count("upstream.contents", MAX_CONTENTS as u64, "pages", "Content pages whose content is read."),
    Limit::count(
        "upstream.looked_up",
        LOOKUPS_PER_MINUTE as u64,
        "calls",
        "Requests per minute that look up resources missing from every list.",
    ),
    Limit::time("upstream.looked_up_within", LOOKUP_TIMEOUT, "Timeout for a page's existence check."),
];

/// The lists used to render a channel's pages, with the query for the complete list.
const LISTS: [(&str, &str); 9] = [
    ("pages", ""),
    ("faq", ""),
    ("events-categories", ""),
    ("events-locations", ""),
    ("participant-groups", ""),
    ("participants", "no_limit=1"),
    ("packages", ""),
    ("events", "start_date=0&no_limit=1"),
    ("vod-media-items", "no_limit=1"),
];

/// The call for one content page.
const CONTENT_CALL: &str = "pages/{id}";

/// A shared clip, as described on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedClip {
    /// The clip exists.
    Found {
        /// Name of the clip.
        name: String,
        /// ID of the event that the clip comes from.
        event_id: Option<i64>,
        /// ID of the library video that the clip comes from.
        vod_id: Option<i64>,
    },
    /// The upstream doesn't have the clip.
    Missing,
    /// The upstream didn't respond.
    Unknown,
}

/// The public responses of a channel.
#[derive(Debug, Default)]
pub struct PublicReplies {
    /// Each call with its responses. A list may come in several pages.
    replies: Vec<(&'static str, Vec<Arc<CacheEntry>>)>,
    /// Whether one of them was served stale because the upstream failed.
    pub is_stale: bool,
}

/// The pagination of a list.
#[derive(Deserialize)]
struct ListPage {
    data: Vec<IgnoredAny>,
    meta: ListMeta,
}

#[derive(Deserialize)]
struct ListMeta {
    total: usize,
}

impl PublicReplies {
    /// Total size, in bytes.
    pub fn bytes(&self) -> usize {
        self.all().map(|cached| cached.body().len()).sum()
    }

    /// A tag that identifies the content.
    pub fn tag(&self) -> String {
        let mut digest = Sha256::new();
        self.all().for_each(|cached| digest.update(cached.hash()));
        hex::encode(&digest.finalize()[..12])
    }

    /// Parses the responses. Invalid items are omitted. `None` without settings.
    pub fn read(&self) -> Option<PublicChannel> {
        Some(PublicChannel {
            settings: serde_json::from_value(self.data("settings").next()?).ok()?,
            pages: self.pages(),
            faq: self.items("faq"),
            categories: self.items("events-categories"),
            locations: self.items("events-locations"),
            groups: self.items("participant-groups"),
            participants: self.items("participants"),
            packages: self.items("packages"),
            events: self.items("events"),
            videos: self.items("vod-media-items"),
        })
    }

    fn all(&self) -> impl Iterator<Item = &Arc<CacheEntry>> {
        self.replies.iter().flat_map(|(_, entries)| entries)
    }

    /// The `data` of each response to a call.
    fn data(&self, call: &'static str) -> impl Iterator<Item = Value> {
        let entries = self.replies.iter().filter(move |(name, _)| *name == call).flat_map(|(_, entries)| entries);
        entries.filter_map(|cached| Some(serde_json::from_slice::<Value>(cached.body()).ok()?.get_mut("data")?.take()))
    }

    fn items<T: DeserializeOwned>(&self, call: &'static str) -> Vec<T> {
        let items = self.data(call).flat_map(|data| match data {
            Value::Array(items) => items,
            // A single resource.
            item => vec![item],
        });
        items.filter_map(|item| serde_json::from_value(item).ok()).collect()
    }

    /// The content pages, with their content if it was read.
    fn pages(&self) -> Vec<ContentPage> {
        let mut contents: Vec<ContentPage> = self.items(CONTENT_CALL);
        let whole = |page: ContentPage| match contents.iter().position(|content| content.id == page.id) {
            Some(index) => ContentPage { content: contents.swap_remove(index).content, ..page },
            None => page,
        };
        self.items("pages").into_iter().map(whole).collect()
    }

    fn add(&mut self, call: &'static str, cached: Arc<CacheEntry>) -> Result<(), Failure> {
        match self.replies.iter_mut().find(|(name, _)| *name == call) {
            Some((_, entries)) => entries.push(cached),
            None => self.replies.push((call, vec![cached])),
        }
        if self.bytes() > MAX_BYTES { Err(Failure::TooLarge) } else { Ok(()) }
    }
}

impl Upstream {
    /// Reads the public data of a channel from the cache if fresh, otherwise from the upstream. A call that the
    /// upstream doesn't have gives an empty list.
    ///
    /// # Errors
    /// Fails if the upstream doesn't respond and nothing is cached, or if its features aren't detected yet.
    pub async fn public_replies(&self, channel: Public<'_>) -> Result<PublicReplies, String> {
        if self.local().is_none() || !self.features().is_detected() {
            return Err("the upstream's features are not known yet".to_owned());
        }
        self.read_replies(channel).await.map_err(|failure| failure.to_string())
    }

    async fn read_replies(&self, channel: Public<'_>) -> Result<PublicReplies, Failure> {
        let mut replies = PublicReplies::default();
        if let Some(settings) = self.public_reply(channel, "settings", "settings".to_owned(), "", &mut replies).await? {
            replies.add("settings", settings)?;
        }
        for (call, whole) in LISTS {
            self.read_list(channel, call, whole, &mut replies).await?;
        }
        let pages: Vec<ContentPage> = replies.items("pages");
        let contents = pages.iter().filter(|page| page.content.is_none()).take(MAX_CONTENTS);
        for page in contents {
            let path = format!("pages/{}", page.id);
            if let Some(content) = self.public_reply(channel, CONTENT_CALL, path, "", &mut replies).await? {
                replies.add(CONTENT_CALL, content)?;
            }
        }
        Ok(replies)
    }

    /// Reads a list: whole first, then page by page if items are missing.
    async fn read_list(
        &self,
        channel: Public<'_>,
        call: &'static str,
        whole: &str,
        replies: &mut PublicReplies,
    ) -> Result<(), Failure> {
        let (mut count, mut total) = (0, usize::MAX);
        for page in 0..MAX_PAGES {
            let query = match page {
                0 => whole.to_owned(),
                _ => format!("{}limit={PAGE_SIZE}&offset={count}", whole.replace("no_limit=1", "")),
            };
            let reply = match self.public_reply(channel, call, call.to_owned(), &query, replies).await {
                Ok(Some(reply)) => reply,
                Ok(None) => return Ok(()),
                // The complete list is too large, but its pages may not be.
                Err(Failure::TooLarge) if page == 0 => continue,
                // The list isn't public.
                Err(Failure::Status(400..=428 | 430..=499)) => return Ok(()),
                Err(failure) => return Err(failure),
            };
            let read: ListPage =
                serde_json::from_slice(reply.body()).map_err(|_| Failure::InvalidReply("the data is not a list"))?;
            replies.add(call, reply)?;
            count += read.data.len();
            total = read.meta.total.min(total);
            if read.data.is_empty() || count >= total {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The response for all viewers. `None` if the upstream has none.
    async fn public_reply(
        &self,
        channel: Public<'_>,
        route: &str,
        path: String,
        query: &str,
        replies: &mut PublicReplies,
    ) -> Result<Option<Arc<CacheEntry>>, Failure> {
        let incoming = Arc::new(Incoming::public_read(route, path, query, &channel));
        let (this, subject, is_paused) = (self.clone(), incoming.public_subject(), self.client().is_paused());
        let fetch = move |cached: Option<Arc<CacheEntry>>| async move { this.fetch_public(&incoming, cached).await };
        let result = self.cache().obtain(subject, true, is_paused, fetch).await;
        replies.is_stale |= result.is_stale();
        match result {
            ReadResult::Cached { cached, .. } => Ok(Some(cached)),
            ReadResult::Refused(response) if response.status() == StatusCode::NOT_FOUND => Ok(None),
            // The folder's response for a call that the upstream doesn't have.
            ReadResult::Refused(response) if response.status() == StatusCode::OK => {
                let body: Bytes =
                    to_bytes(response.into_body(), MAX_REPLY_BYTES).await.map_err(|_| Failure::TooLarge)?;
                Ok(Some(Arc::new(CacheEntry::new(body, None))))
            }
            ReadResult::Refused(response) => Err(Failure::Status(response.status().as_u16())),
            ReadResult::Failed(failure) => Err(failure),
        }
    }

    /// Waits until the upstream's features are detected.
    pub async fn wait_until_detected(&self) {
        self.features().wait_until_detected().await;
    }

    /// Whether the upstream reports that a resource doesn't exist. `route` is a path such as `events/{id}`. The
    /// look-ups are rate limited. An unknown result counts as existing.
    pub async fn is_missing(&self, channel: Public<'_>, route: &str, id: i64) -> bool {
        if !self.allows_lookup() {
            return false;
        }
        let path = route.replace("{id}", &id.to_string());
        let mut replies = PublicReplies::default();
        let result = timeout(LOOKUP_TIMEOUT, self.public_reply(channel, route, path, "", &mut replies)).await;
        matches!(result, Ok(Ok(None)))
    }

    /// The clip that a shared link leads to, as seen without an account.
    pub async fn shared_clip(&self, channel: Public<'_>, id: i64, uuid: &str) -> SharedClip {
        let rest = url::form_urlencoded::Serializer::new(String::new()).append_pair("uuid", uuid).finish();
        let query = Query { api_key: None, rest };
        let lookup = async {
            let key = self.viewers().worker_key(self.client(), channel.channel_key).await?;
            self.client().send(&Outgoing::get(format!("shared-clip/{id}"), query.with_key(Some(&key)))).await
        };
        if !self.allows_lookup() {
            return SharedClip::Unknown;
        }
        let Ok(Ok(reply)) = timeout(LOOKUP_TIMEOUT, lookup).await else { return SharedClip::Unknown };
        match (reply.status, reply.json()) {
            (StatusCode::NOT_FOUND, Ok(_)) => SharedClip::Missing,
            (StatusCode::OK, Ok(body)) => {
                let (body, _) = self.shapes().correct("GET", "shared-clip/{id}", body);
                let clip = &body.unwrap_or_default()["data"];
                SharedClip::Found {
                    name: clip["name"].as_str().unwrap_or_default().to_owned(),
                    event_id: clip["event_id"].as_i64(),
                    vod_id: clip["vod_id"].as_i64(),
                }
            }
            _ => SharedClip::Unknown,
        }
    }

    /// Pages may be requested more often than the upstream can bear calls.
    fn allows_lookup(&self) -> bool {
        self.lookups().take((), LOOKUP_RATE, 1, self.steady_ms()).is_ok()
    }
}
