//! `GET /events-for-homepage`, `/events/favorite`, `/events/with_clip`.

use std::collections::HashSet;

use axum::response::Response;
use touchline_domain::clips::ClipSource;
use touchline_protocol::catalogue::{Event, HomeRail, StreamStatus};
use touchline_protocol::envelope::Page;
use touchline_protocol::favorites::FavoritableType;

use super::events::EventsQuery;
use super::paging::full_page;
use super::request::CatalogueRequest;
use crate::catalogue::listing::EventFilter;
use crate::catalogue::presenter::Presenter;
use crate::catalogue::{ChannelSnapshot, EventRecord};
use crate::http::{AccountFailures, ApiKeyQuery, ApiResult, KeyedFailures, Query};
use crate::routes::clips::may_publish;

/// Limit of events in a rail; a link leads to the rest.
const RAIL_SIZE: usize = 12;

/// Returns the home page's rails: live, upcoming and finished events, then one rail per sport.
///
/// Empty rails are omitted.
#[utoipa::path(
    get, path = "/api/events-for-homepage", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<HomeRail>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn events_for_homepage(request: CatalogueRequest) -> ApiResult<Response> {
    request.for_viewer("events-for-homepage", |presenter| full_page(home_rails(presenter))).await
}

/// The rails of the home page for one viewer.
pub(super) fn home_rails(presenter: &Presenter<'_>) -> Vec<HomeRail> {
    let rail = |(id, title, events): (String, String, Vec<&EventRecord>)| HomeRail {
        id,
        title,
        total: events.len() as u64,
        events: events.into_iter().take(RAIL_SIZE).map(|event| presenter.event(event)).collect(),
    };
    rails(presenter.channel(), presenter.now_s()).into_iter().map(rail).collect()
}

/// Id, title and events of each rail. Upcoming events are sorted by start, finished ones newest first.
fn rails(channel: &ChannelSnapshot, now_s: i64) -> Vec<(String, String, Vec<&EventRecord>)> {
    let with = |status| {
        let filter = EventFilter { statuses: vec![status], ..EventFilter::default() };
        let mut events = filter.apply(channel, now_s);
        if status == StreamStatus::Finished {
            events.reverse();
        }
        events
    };
    let statuses = [StreamStatus::Live, StreamStatus::Upcoming, StreamStatus::Finished];
    let [live, upcoming, finished] = statuses.map(with);
    let sports: Vec<_> = channel
        .categories
        .tree()
        .iter()
        .map(|sport| {
            let is_of = |event: &&&EventRecord| channel.categories.covers(sport.id, event.event_category_id);
            let events = live.iter().chain(&upcoming).chain(&finished).filter(is_of).copied().collect();
            (sport.alias.clone(), sport.name.clone(), events)
        })
        .collect();
    let named = |name: &str, events| (name.to_owned(), String::new(), events);
    let mut rails = vec![named("live", live), named("upcoming", upcoming), named("finished", finished)];
    rails.extend(sports);
    rails.retain(|(_, _, events)| !events.is_empty());
    rails
}

/// Returns the events of the viewer's favourite teams, schools and sports.
#[utoipa::path(
    get, path = "/api/events/favorite", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>), (status = 304, description = "not modified"), AccountFailures)
)]
pub(crate) async fn favorite_events(
    Query(query): Query<EventsQuery>,
    request: CatalogueRequest,
) -> ApiResult<Response> {
    let listing = query.read()?;
    let user = request.caller.user(&request.state).await?;
    let favorites = request.state.favorite_ids(user.id).await?;
    let channel = request.channel();
    let is_favorite = |event: &EventRecord| {
        favorites.iter().any(|&(kind, id)| match kind {
            FavoritableType::Participant => event.participants.iter().any(|team| team.id == id),
            FavoritableType::Group => event.participants.iter().any(|team| team.group_id == Some(id)),
            FavoritableType::Category => channel.categories.covers(id, event.event_category_id),
        })
    };
    request.for_viewer_alone(|presenter| listing.page(presenter, is_favorite)).await
}

/// Returns events that have public clips or clips by the viewer (`CLIP-7`).
#[utoipa::path(
    get, path = "/api/events/with_clip", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn events_with_clip(
    Query(query): Query<EventsQuery>,
    request: CatalogueRequest,
) -> ApiResult<Response> {
    let listing = query.read()?;
    let viewers_clip_events: HashSet<i64> = match request.caller.user_id {
        Some(user_id) => request.state.clip_event_ids(user_id).await?.into_iter().collect(),
        None => HashSet::new(),
    };
    let public: HashSet<i64> =
        request.state.public_clip_event_ids(request.caller.channel_key()).await?.into_iter().collect();
    let channel = request.channel();
    let has_clip = |event: &EventRecord| {
        let id = event.id;
        viewers_clip_events.contains(&id) || public.contains(&id) && may_publish(channel, ClipSource::Event(id))
    };
    request.for_viewer_alone(|presenter| listing.page(presenter, has_clip)).await
}
