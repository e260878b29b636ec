//! `GET /events-for-homepage`, `/events/favorite`, `/events/with_clip`.

use axum::response::Response;
use touchline_protocol::catalogue::{Event, HomeRail, StreamStatus};
use touchline_protocol::envelope::Page;
use touchline_protocol::favorites::FavoritableType;

use super::events::EventsQuery;
use super::paging::whole;
use super::request::CatalogueRequest;
use crate::catalogue::listing::EventFilter;
use crate::catalogue::{ChannelSnapshot, EventRecord};
use crate::http::{AccountFailures, ApiKeyQuery, ApiResult, KeyedFailures, Query};

/// How many events of a rail are given; the rest is behind a link.
const IN_A_RAIL: usize = 12;

/// The rails of the home page: live, upcoming and finished events, then each sport. A rail without events is left out.
#[utoipa::path(
    get, path = "/api/events-for-homepage", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<HomeRail>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn events_for_homepage(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.for_viewer("events-for-homepage", |presenter| {
        let rail = |(id, title, events): (String, String, Vec<&EventRecord>)| HomeRail {
            id,
            title,
            total: events.len() as u64,
            events: events.into_iter().take(IN_A_RAIL).map(|event| presenter.event(event)).collect(),
        };
        whole(rails(asks.channel(), asks.now_s()).into_iter().map(rail).collect::<Vec<_>>())
    })
    .await
}

/// Id, title and events of each rail. Events to come stand soonest first, those that were newest first.
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

/// The events of the viewer's favourite teams, schools and sports.
#[utoipa::path(
    get, path = "/api/events/favorite", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>), (status = 304, description = "unchanged"), AccountFailures)
)]
pub async fn favorite_events(Query(query): Query<EventsQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    let listing = query.read()?;
    let user = asks.caller.user(&asks.state).await?;
    let favorites = asks.state.favorite_ids(user.id).await?;
    let channel = asks.channel();
    let is_favorite = |event: &EventRecord| {
        favorites.iter().any(|&(kind, id)| match kind {
            FavoritableType::Participant => event.participants.iter().any(|team| team.id == id),
            FavoritableType::Group => event.participants.iter().any(|team| team.group_id == Some(id)),
            FavoritableType::Category => channel.categories.covers(id, event.event_category_id),
        })
    };
    asks.for_viewer_alone(|presenter| listing.page(presenter, is_favorite)).await
}

/// The events that the viewer made clips of.
#[utoipa::path(
    get, path = "/api/events/with_clip", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>), (status = 304, description = "unchanged"), AccountFailures)
)]
pub async fn events_with_clip(Query(query): Query<EventsQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    let listing = query.read()?;
    let user = asks.caller.user(&asks.state).await?;
    let ids = asks.state.clip_event_ids(user.id).await?;
    asks.for_viewer_alone(|presenter| listing.page(presenter, |event| ids.contains(&event.id))).await
}
