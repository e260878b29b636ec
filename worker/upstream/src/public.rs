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

use crate::client::{ANSWER_BYTES, Outgoing};
use crate::failure::Failure;
use crate::memory::{Kept, Obtained};
use crate::proxy::Asked;
use crate::request::{Public, Query};
use crate::upstream::Upstream;

/// Page size for lists that the upstream doesn't return whole.
const IN_A_PART: usize = 100;
/// Most pages of one list.
const PARTS: usize = 200;
/// Most bytes of all responses for one channel.
const BYTES: usize = 64 << 20;
/// Most content pages whose content is read.
const CONTENTS: usize = 50;
/// Timeout of a page's request to confirm that something exists.
const LOOKED_UP_WITHIN: Duration = Duration::from_secs(2);
/// Rate at which pages ask the upstream to confirm that something exists.
const LOOKED_UP: Rate = Rate::per_minute(LOOKED_UP_IN_A_MINUTE);
const LOOKED_UP_IN_A_MINUTE: u32 = 120;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("upstream.channel", BYTES as u64, "Responses of the upstream for rendering one channel's pages."),
    Limit::count("upstream.parts", PARTS as u64, "pages", "Pages of a list that the upstream doesn't return whole."),
    Limit::count("upstream.contents", CONTENTS as u64, "pages", "Content pages whose content is read."),
    Limit::count(
        "upstream.looked_up",
        LOOKED_UP_IN_A_MINUTE as u64,
        "calls",
        "Requests per minute by which pages look up resources that no list contains.",
    ),
    Limit::time(
        "upstream.looked_up_within",
        LOOKED_UP_WITHIN,
        "Timeout of a page's request to check that a resource exists.",
    ),
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
const CONTENT: &str = "pages/{id}";

/// A shared clip, as described on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedClip {
    /// The clip exists.
    There {
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
pub struct PublicAnswers {
    /// Each call with its responses. A list may come in several pages.
    answers: Vec<(&'static str, Vec<Arc<Kept>>)>,
    /// Whether one of them was served stale because the upstream failed.
    pub is_stale: bool,
}

/// The pagination of a list.
#[derive(Deserialize)]
struct Part {
    data: Vec<IgnoredAny>,
    meta: PartMeta,
}

#[derive(Deserialize)]
struct PartMeta {
    total: usize,
}

impl PublicAnswers {
    /// Total size, in bytes.
    pub fn bytes(&self) -> usize {
        self.all().map(|kept| kept.body().len()).sum()
    }

    /// A tag that identifies the content.
    pub fn tag(&self) -> String {
        let mut digest = Sha256::new();
        self.all().for_each(|kept| digest.update(kept.etag().as_bytes()));
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

    fn all(&self) -> impl Iterator<Item = &Arc<Kept>> {
        self.answers.iter().flat_map(|(_, parts)| parts)
    }

    /// The `data` of each response to a call.
    fn data(&self, call: &'static str) -> impl Iterator<Item = Value> {
        let parts = self.answers.iter().filter(move |(of, _)| *of == call).flat_map(|(_, parts)| parts);
        parts.filter_map(|kept| Some(serde_json::from_slice::<Value>(kept.body()).ok()?.get_mut("data")?.take()))
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
        let mut contents: Vec<ContentPage> = self.items(CONTENT);
        let whole = |page: ContentPage| match contents.iter().position(|content| content.id == page.id) {
            Some(place) => ContentPage { content: contents.swap_remove(place).content, ..page },
            None => page,
        };
        self.items("pages").into_iter().map(whole).collect()
    }

    fn add(&mut self, call: &'static str, kept: Arc<Kept>) -> Result<(), Failure> {
        match self.answers.iter_mut().find(|(of, _)| *of == call) {
            Some((_, parts)) => parts.push(kept),
            None => self.answers.push((call, vec![kept])),
        }
        if self.bytes() > BYTES { Err(Failure::TooLarge) } else { Ok(()) }
    }
}

impl Upstream {
    /// Reads the public data of a channel from the cache if fresh, otherwise from the upstream. A call that the
    /// upstream doesn't have gives an empty list.
    ///
    /// # Errors
    /// Fails if the upstream doesn't respond and nothing is cached, or if its features aren't detected yet.
    pub async fn public_answers(&self, of: Public<'_>) -> Result<PublicAnswers, String> {
        if self.local().is_none() || !self.features().is_known() {
            return Err("the upstream's features are not known yet".to_owned());
        }
        self.read_answers(of).await.map_err(|failure| failure.to_string())
    }

    async fn read_answers(&self, of: Public<'_>) -> Result<PublicAnswers, Failure> {
        let mut answers = PublicAnswers::default();
        if let Some(settings) = self.everyones(of, "settings", "settings".to_owned(), "", &mut answers).await? {
            answers.add("settings", settings)?;
        }
        for (call, whole) in LISTS {
            self.read_list(of, call, whole, &mut answers).await?;
        }
        let pages: Vec<ContentPage> = answers.items("pages");
        let contents = pages.iter().filter(|page| page.content.is_none()).take(CONTENTS);
        for page in contents {
            let path = format!("pages/{}", page.id);
            if let Some(content) = self.everyones(of, CONTENT, path, "", &mut answers).await? {
                answers.add(CONTENT, content)?;
            }
        }
        Ok(answers)
    }

    /// Reads a list: whole first, then page by page if items are missing.
    async fn read_list(
        &self,
        of: Public<'_>,
        call: &'static str,
        whole: &str,
        answers: &mut PublicAnswers,
    ) -> Result<(), Failure> {
        let (mut count, mut total) = (0, usize::MAX);
        for part in 0..PARTS {
            let query = match part {
                0 => whole.to_owned(),
                _ => format!("{}limit={IN_A_PART}&offset={count}", whole.replace("no_limit=1", "")),
            };
            let answer = match self.everyones(of, call, call.to_owned(), &query, answers).await {
                Ok(Some(answer)) => answer,
                Ok(None) => return Ok(()),
                // The complete list is too large, but its pages may not be.
                Err(Failure::TooLarge) if part == 0 => continue,
                // The list isn't public.
                Err(Failure::Status(400..=428 | 430..=499)) => return Ok(()),
                Err(failure) => return Err(failure),
            };
            let read: Part =
                serde_json::from_slice(answer.body()).map_err(|_| Failure::Foreign("the data is not a list"))?;
            answers.add(call, answer)?;
            count += read.data.len();
            total = read.meta.total.min(total);
            if read.data.is_empty() || count >= total {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The response for all viewers. `None` if the upstream has none.
    async fn everyones(
        &self,
        of: Public<'_>,
        route: &str,
        path: String,
        query: &str,
        answers: &mut PublicAnswers,
    ) -> Result<Option<Arc<Kept>>, Failure> {
        let asked = Arc::new(Asked::of_everyones(route, path, query, &of));
        let (this, subject, rests) = (self.clone(), asked.shared_subject(), self.client().rests());
        let fetch = move |kept: Option<Arc<Kept>>| async move { this.fetch_for_all(&asked, kept).await };
        let obtained = self.memory().obtain(subject, true, rests, fetch).await;
        answers.is_stale |= obtained.is_stale();
        match obtained {
            Obtained::Kept { kept, .. } => Ok(Some(kept)),
            Obtained::Refused(response) if response.status() == StatusCode::NOT_FOUND => Ok(None),
            // The folder's response for a call that the upstream doesn't have.
            Obtained::Refused(response) if response.status() == StatusCode::OK => {
                let body: Bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.map_err(|_| Failure::TooLarge)?;
                Ok(Some(Arc::new(Kept::new(body, None))))
            }
            Obtained::Refused(response) => Err(Failure::Status(response.status().as_u16())),
            Obtained::Failed(failure) => Err(failure),
        }
    }

    /// Waits until the upstream's features are detected.
    pub async fn known(&self) {
        self.features().known().await;
    }

    /// Whether the upstream reports that a resource doesn't exist. `route` is a path such as `events/{id}`. The
    /// look-ups are rate limited. An unknown result counts as existing.
    pub async fn lacks(&self, of: Public<'_>, route: &str, id: i64) -> bool {
        if !self.may_look_up() {
            return false;
        }
        let path = route.replace("{id}", &id.to_string());
        let mut answers = PublicAnswers::default();
        let asked = timeout(LOOKED_UP_WITHIN, self.everyones(of, route, path, "", &mut answers)).await;
        matches!(asked, Ok(Ok(None)))
    }

    /// The clip that a shared link leads to, as seen without an account.
    pub async fn shared_clip(&self, of: Public<'_>, id: i64, uuid: &str) -> SharedClip {
        let rest = url::form_urlencoded::Serializer::new(String::new()).append_pair("uuid", uuid).finish();
        let query = Query { api_key: None, rest };
        let asked = async {
            let key = self.viewers().own_key(self.client(), of.channel_key).await?;
            self.client().ask(&Outgoing::get(format!("shared-clip/{id}"), query.with_key(Some(&key)))).await
        };
        if !self.may_look_up() {
            return SharedClip::Unknown;
        }
        let Ok(Ok(answer)) = timeout(LOOKED_UP_WITHIN, asked).await else { return SharedClip::Unknown };
        match (answer.status, answer.json()) {
            (StatusCode::NOT_FOUND, Ok(_)) => SharedClip::Missing,
            (StatusCode::OK, Ok(body)) => {
                let (body, _) = self.shapes().mend("GET", "shared-clip/{id}", body);
                let clip = &body.unwrap_or_default()["data"];
                SharedClip::There {
                    name: clip["name"].as_str().unwrap_or_default().to_owned(),
                    event_id: clip["event_id"].as_i64(),
                    vod_id: clip["vod_id"].as_i64(),
                }
            }
            _ => SharedClip::Unknown,
        }
    }

    /// Pages may be requested more often than the upstream can bear calls.
    fn may_look_up(&self) -> bool {
        self.lookups().take((), LOOKED_UP, 1, self.steady_ms()).is_ok()
    }
}
