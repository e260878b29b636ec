//! `GET /search` (`SEARCH-1`).

use std::cmp::Reverse;

use axum::response::Response;
use serde::Deserialize;
use touchline_domain::clips::ClipSource;
use touchline_protocol::catalogue::{ContentPage, StreamStatus};
use touchline_protocol::envelope::{Data, Meta, Page};
use touchline_protocol::search::SearchResults;
use touchline_store::{ClipRecord, PublicClips};

use super::paging::in_bounds;
use super::query::text;
use super::request::CatalogueRequest;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::listing::{ARCHIVE_START_S, DEFAULT_LIMIT, Part};
use crate::catalogue::presenter::Presenter;
use crate::catalogue::search::{Collector, Found, Kind, MAX_CLIPS, MAX_LIMIT, Weight, query_words};
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures, Query};
use crate::routes::clips::{may_publish, shown};

/// What to search.
#[derive(Debug, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Words, each the beginning of one; the first 12 count. Case and accents make no difference, and typos are forgiven.
    /// No words find nothing.
    #[serde(default)]
    #[param(max_length = 200, example = "kestrels")]
    pub q: String,
    /// At most so many of each kind: 1 to 50; 24 when nothing is said.
    #[param(minimum = 1, maximum = 50)]
    pub limit: Option<u64>,
}

/// Events, teams, schools, videos, pages and public clips by their words, the best match of each kind first (`SEARCH-1`).
#[utoipa::path(
    get, path = "/api/search", tag = "Channel data", params(SearchQuery, ApiKeyQuery),
    responses((status = 200, body = Data<SearchResults>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn search(Query(query): Query<SearchQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    in_bounds("limit", (1..=MAX_LIMIT).contains(&limit), "1 to 50")?;
    let words = query_words(&text("q", Some(&query.q))?.unwrap_or_default());
    let part = Part { limit: Some(limit), offset: 0 };
    let clips = if words.is_empty() {
        Vec::new()
    } else {
        let all = asks.state.store.public_clips(asks.caller.channel_key(), PublicClips::All, MAX_CLIPS).await?;
        said_in(asks.channel(), all, &words)
    };
    // Clips come and go without a change of the channel's content.
    let which: Vec<_> = clips.iter().map(|record| (record.clip.id, record.clip.version)).collect();
    let call = format!("search/{words:?}/{limit}/{which:?}");
    asks.for_viewer(call, |presenter| {
        Data::of(results(presenter, presenter.channel().search.find(&words), clips, part))
    })
    .await
}

/// The clips that say every word, by their names, their tags, and what they are cut out of; best match first (`CLIP-7`).
fn said_in(channel: &ChannelSnapshot, clips: Vec<ClipRecord>, words: &[String]) -> Vec<ClipRecord> {
    let clips: Vec<_> = clips.into_iter().filter(|record| may_publish(channel, record.source())).collect();
    let mut collector = Collector::default();
    for (position, record) in clips.iter().enumerate() {
        let of = match record.source() {
            ClipSource::Event(id) => channel.event(id).map(|event| event.name.as_str()),
            ClipSource::Video(id) => channel.video(id).map(|video| video.title.as_str()),
        };
        let own = std::iter::once(&record.clip.name).chain(&record.clip.tags).map(|text| (Weight::Name, text.as_str()));
        collector.add(Kind::Clip, position, own.chain(of.map(|text| (Weight::Related, text))));
    }
    let mut found = collector.finish().find(words);
    found.sort_by_key(|found| (Reverse(found.score), found.position));
    let mut clips: Vec<_> = clips.into_iter().map(Some).collect();
    found.into_iter().filter_map(|found| clips.get_mut(found.position)?.take()).collect()
}

fn results(presenter: &Presenter<'_>, mut found: Vec<Found>, clips: Vec<ClipRecord>, part: Part) -> SearchResults {
    let channel = presenter.channel();
    found.retain(|found| found.kind != Kind::Event || is_listed(presenter, found.position));
    found.sort_by_cached_key(|found| (Reverse(found.score), nearness(presenter, found), found.position));
    let of = |kind: Kind| {
        let positions = found.iter().filter(move |found| found.kind == kind).map(|found| found.position);
        part.of(positions.collect::<Vec<_>>())
    };
    SearchResults {
        events: page(of(Kind::Event), |at| presenter.event(&channel.events[at])),
        participants: page(of(Kind::Team), |at| channel.participants[at].clone()),
        participant_groups: page(of(Kind::School), |at| channel.groups[at].clone()),
        vod_media_items: page(of(Kind::Video), |at| presenter.video(&channel.vod[at])),
        pages: page(of(Kind::Page), |at| ContentPage { content: None, ..channel.pages[at].clone() }),
        clips: {
            let (clips, meta) = part.of(clips);
            Page { data: clips.into_iter().map(|record| shown(presenter, record)).collect(), meta }
        },
    }
}

fn page<T>((positions, meta): (Vec<usize>, Meta), item: impl Fn(usize) -> T) -> Page<T> {
    Page { data: positions.into_iter().map(item).collect(), meta }
}

/// Whether the lists show the event (`LIST-5`): those that ended before the archive's start are in none.
fn is_listed(presenter: &Presenter<'_>, position: usize) -> bool {
    let event = &presenter.channel().events[position];
    event.starts_at >= ARCHIVE_START_S || event.status_at(presenter.now_s()) != StreamStatus::Finished
}

/// Of two that match as well: what is live, then what comes soonest, then what was last.
fn nearness(presenter: &Presenter<'_>, found: &Found) -> (u8, i64) {
    let Some(event) = presenter.channel().events.get(found.position).filter(|_| found.kind == Kind::Event) else {
        return (0, 0);
    };
    match event.status_at(presenter.now_s()) {
        StreamStatus::Live => (0, event.starts_at),
        StreamStatus::Upcoming => (1, event.starts_at),
        StreamStatus::Finished => (2, event.starts_at.saturating_neg()),
    }
}
