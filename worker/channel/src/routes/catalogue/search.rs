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
use crate::catalogue::listing::{ARCHIVE_START_S, DEFAULT_LIMIT, PageRange};
use crate::catalogue::presenter::Presenter;
use crate::catalogue::search::{Collector, Kind, MAX_CLIPS, MAX_LIMIT, SearchMatch, Weight, query_terms};
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures, Query};
use crate::routes::clips::{may_publish, present_clip};

/// A search.
#[derive(Debug, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// Up to 12 words; further words are ignored. Each matches the beginning of a word, regardless of case, accents and
    /// typos. An empty query has no results.
    #[serde(default)]
    #[param(max_length = 200, example = "kestrels")]
    pub(crate) q: String,
    /// Maximum number of results of each kind: 1 to 50, 24 by default.
    #[param(minimum = 1, maximum = 50)]
    pub(crate) limit: Option<u64>,
}

/// Searches events, teams, schools, videos, pages and public clips (`SEARCH-1`).
///
/// Results are grouped by type, best match first.
#[utoipa::path(
    get, path = "/api/search", tag = "Channel data", params(SearchQuery, ApiKeyQuery),
    responses((status = 200, body = Data<SearchResults>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn search(Query(query): Query<SearchQuery>, request: CatalogueRequest) -> ApiResult<Response> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    in_bounds("limit", (1..=MAX_LIMIT).contains(&limit), "1 to 50")?;
    let terms = query_terms(&text("q", Some(&query.q))?.unwrap_or_default());
    let part = PageRange { limit: Some(limit), offset: 0 };
    let clips = if terms.is_empty() {
        Vec::new()
    } else {
        let all = request.state.store.public_clips(request.caller.channel_key(), PublicClips::All, MAX_CLIPS).await?;
        matching_clips(request.channel(), all, &terms)
    };
    // Clips change independently of the channel's content.
    let versions: Vec<_> = clips.iter().map(|record| (record.clip.id, record.clip.version)).collect();
    let call = format!("search/{terms:?}/{limit}/{versions:?}");
    request
        .for_viewer(call, |presenter| {
            Data::of(results(presenter, presenter.channel().search.find(&terms), clips, part))
        })
        .await
}

/// Clips that contain every word in their name, tags, event or video, best match first (`CLIP-7`).
fn matching_clips(channel: &ChannelSnapshot, clips: Vec<ClipRecord>, terms: &[String]) -> Vec<ClipRecord> {
    let clips: Vec<_> = clips.into_iter().filter(|record| may_publish(channel, record.source())).collect();
    let mut collector = Collector::default();
    for (position, record) in clips.iter().enumerate() {
        let of = match record.source() {
            ClipSource::Event(id) => channel.event(id).map(|event| event.name.as_str()),
            ClipSource::Video(id) => channel.video(id).map(|video| video.title.as_str()),
        };
        let name_texts =
            std::iter::once(&record.clip.name).chain(&record.clip.tags).map(|text| (Weight::Name, text.as_str()));
        collector.add(Kind::Clip, position, name_texts.chain(of.map(|text| (Weight::Related, text))));
    }
    let mut found = collector.finish().find(terms);
    found.sort_by_key(|found| (Reverse(found.score), found.position));
    let mut clips: Vec<_> = clips.into_iter().map(Some).collect();
    found.into_iter().filter_map(|found| clips.get_mut(found.position)?.take()).collect()
}

fn results(
    presenter: &Presenter<'_>,
    mut found: Vec<SearchMatch>,
    clips: Vec<ClipRecord>,
    part: PageRange,
) -> SearchResults {
    let channel = presenter.channel();
    found.retain(|found| found.kind != Kind::Event || is_listed(presenter, found.position));
    found.sort_by_cached_key(|found| (Reverse(found.score), rank(presenter, found), found.position));
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
            Page { data: clips.into_iter().map(|record| present_clip(presenter, record)).collect(), meta }
        },
    }
}

fn page<T>((positions, meta): (Vec<usize>, Meta), item: impl Fn(usize) -> T) -> Page<T> {
    Page { data: positions.into_iter().map(item).collect(), meta }
}

/// Whether lists include the event (`LIST-5`): those from before the archive's start are excluded.
fn is_listed(presenter: &Presenter<'_>, position: usize) -> bool {
    let event = &presenter.channel().events[position];
    event.starts_at >= ARCHIVE_START_S || event.status_at(presenter.now_s()) != StreamStatus::Finished
}

/// Ranks equal matches: live first, then the next to start, then the latest.
fn rank(presenter: &Presenter<'_>, found: &SearchMatch) -> (u8, i64) {
    let Some(event) = presenter.channel().events.get(found.position).filter(|_| found.kind == Kind::Event) else {
        return (0, 0);
    };
    match event.status_at(presenter.now_s()) {
        StreamStatus::Live => (0, event.starts_at),
        StreamStatus::Upcoming => (1, event.starts_at),
        StreamStatus::Finished => (2, event.starts_at.saturating_neg()),
    }
}
