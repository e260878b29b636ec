//! `GET /events`, `/events/{id}`, `/events-categories`, `/events-locations` (`CALL-5`).

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{Event, EventCategory, EventLocation, EventStarts, StreamStatus};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::{PartQuery, whole};
use super::query::{choice, ids, text, words};
use super::request::CatalogueRequest;
use crate::catalogue::EventRecord;
use crate::catalogue::listing::{EventFilter, EventOrder, Part, moment};
use crate::catalogue::presenter::Presenter;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId};

/// The statuses by name.
const STATUSES: [(&str, StreamStatus); 3] =
    [("upcoming", StreamStatus::Upcoming), ("live", StreamStatus::Live), ("finished", StreamStatus::Finished)];

/// Which events. Several values of one filter stand between commas and are alternatives.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// `upcoming`, `live`, `finished`.
    pub stream_status: Option<String>,
    /// `male`, `female`.
    pub gender: Option<String>,
    /// A sport, as categories and teams name it.
    pub sport: Option<String>,
    /// Of the place.
    pub city: Option<String>,
    /// Of the place.
    pub state: Option<String>,
    /// Ids or aliases of schools.
    pub school: Option<String>,
    /// As `school`.
    pub group: Option<String>,
    /// Ids or aliases of teams.
    pub team: Option<String>,
    /// As `team`.
    pub participant: Option<String>,
    /// Ids or aliases of categories; they cover what is below them.
    pub event_category_id: Option<String>,
    /// As `event_category_id`.
    pub category: Option<String>,
    /// Ids of packages: what they open by its category.
    pub package: Option<String>,
    /// Ids of places.
    pub location: Option<String>,
    /// These events alone.
    pub ids: Option<String>,
    /// From this start on: Unix seconds, RFC 3339 or a date. Finished events begin at 2022-08-01 when it is absent.
    pub start_date: Option<String>,
    /// Up to this start: Unix seconds, RFC 3339 or a date, which is meant whole.
    pub end_date: Option<String>,
    /// Part of a name, of a team's or of a place's.
    #[param(max_length = 200)]
    pub text: Option<String>,
    /// `event_utc_ts` (when nothing is said), `name` or `base_price`.
    pub sort_field: Option<String>,
    /// `asc` or `desc`; when nothing is said `asc`, for finished events `desc`.
    pub sort_direction: Option<String>,
    /// At most so many items: 1 to 100; 24 when nothing is said.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u64>,
    /// Leaving out so many.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub offset: Option<u64>,
    /// 1 for all of them.
    #[param(minimum = 0, maximum = 1)]
    pub no_limit: Option<u8>,
    /// 1 for those alone that a pass or a purchase of the viewer opens.
    #[param(minimum = 0, maximum = 1)]
    pub owned: Option<u8>,
}

/// What a query means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) filter: EventFilter,
    order: EventOrder,
    descending: bool,
    part: Part,
    owned: bool,
}

impl EventsQuery {
    pub(super) fn read(&self) -> ApiResult<Listing> {
        let status = |word: String| choice("stream_status", Some(&word), &STATUSES);
        let statuses = words("stream_status", self.stream_status.as_deref())?.into_iter().map(status);
        let statuses: Vec<_> = statuses.collect::<ApiResult<Vec<_>>>()?.into_iter().flatten().collect();
        let genders = words("gender", self.gender.as_deref())?;
        for gender in &genders {
            choice("gender", Some(gender), &[("male", ()), ("female", ())])?;
        }
        let both = |field: &str, first: &Option<String>, second: &Option<String>| {
            let mut both = words(field, first.as_deref())?;
            both.extend(words(field, second.as_deref())?);
            Ok::<_, ApiError>(both)
        };
        let at = |field: &'static str, value: &Option<String>, is_end| match text(field, value.as_deref())? {
            None => Ok(None),
            Some(value) => moment(&value, is_end)
                .map(Some)
                .ok_or_else(|| ApiError::malformed(field, format!("{field} must be Unix seconds, RFC 3339 or a date"))),
        };
        let listed = ids("ids", self.ids.as_deref())?;
        let filter = EventFilter {
            statuses,
            genders,
            sports: words("sport", self.sport.as_deref())?,
            cities: words("city", self.city.as_deref())?,
            states: words("state", self.state.as_deref())?,
            groups: both("school", &self.school, &self.group)?,
            participants: both("team", &self.team, &self.participant)?,
            categories: both("event_category_id", &self.event_category_id, &self.category)?,
            packages: ids("package", self.package.as_deref())?,
            locations: ids("location", self.location.as_deref())?,
            ids: self.ids.is_some().then_some(listed),
            start: at("start_date", &self.start_date, false)?,
            end: at("end_date", &self.end_date, true)?,
            text: text("text", self.text.as_deref())?,
        };
        let orders =
            [("event_utc_ts", EventOrder::Start), ("name", EventOrder::Name), ("base_price", EventOrder::Price)];
        let order = choice("sort_field", self.sort_field.as_deref(), &orders)?.unwrap_or_default();
        let direction = choice("sort_direction", self.sort_direction.as_deref(), &[("asc", false), ("desc", true)])?;
        let newest_first = order == EventOrder::Start && filter.statuses == [StreamStatus::Finished];
        let part = PartQuery { limit: self.limit, offset: self.offset, no_limit: self.no_limit }.usual()?;
        let owned =
            choice("owned", self.owned.map(|owned| owned.to_string()).as_deref(), &[("0", false), ("1", true)])?;
        let descending = direction.unwrap_or(newest_first);
        Ok(Listing { filter, order, descending, part, owned: owned.unwrap_or_default() })
    }
}

impl Listing {
    /// When each event that it means starts, whatever the part.
    fn starts(self, presenter: &Presenter<'_>) -> EventStarts {
        let found = self.filter.apply(presenter.channel(), presenter.now_s());
        let wanted = found.into_iter().filter(|event| !self.owned || presenter.is_owned(event));
        EventStarts { starts: wanted.map(|event| event.starts_at).collect() }
    }

    /// The page of events that it means, of those that `is_wanted`.
    pub(super) fn page(self, presenter: &Presenter<'_>, is_wanted: impl Fn(&EventRecord) -> bool) -> Page<Event> {
        let mut found = self.filter.apply(presenter.channel(), presenter.now_s());
        found.retain(|event| is_wanted(event) && (!self.owned || presenter.is_owned(event)));
        self.order.sort(&mut found, self.descending);
        let (found, meta) = self.part.of(found);
        Page { data: found.into_iter().map(|event| presenter.event(event)).collect(), meta }
    }
}

/// When the events of a list start, all of them: what a calendar of the list is made from (`LIST-6`). `limit`, `offset`
/// and the order make no difference.
#[utoipa::path(
    get, path = "/api/events/starts", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Data<EventStarts>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn event_starts(asks: CatalogueRequest) -> ApiResult<Response> {
    let call = format!("events/starts?{}", asks.spelled());
    asks.for_viewer_if(call, |presenter| Ok(Data::of(asks.query::<EventsQuery>()?.read()?.starts(presenter)))).await
}

/// The events, filtered, sorted and paged (`LIST`, `EVENT`).
#[utoipa::path(
    get, path = "/api/events", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>, links(
        ("first" = (operation_id = "event", parameters(("id" = "$response.body#/data/0/id"), ("api_key" = "$request.query.api_key")))),
        ("markItsSport" = (operation_id = "mark_favorite", request_body = json!({
            "api_key": "$request.query.api_key", "favoritable_type": "category",
            "favoritable_id": "$response.body#/data/0/event_category_id",
        }))),
    )), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn events(asks: CatalogueRequest) -> ApiResult<Response> {
    let call = format!("events?{}", asks.spelled());
    // The query is read only for an answer that is not kept, since reading it costs more than finding one that is.
    asks.for_viewer_if(call, |presenter| Ok(asks.query::<EventsQuery>()?.read()?.page(presenter, |_| true))).await
}

/// One event, with the viewer's access and the addresses that work for them (`EVENT-8`).
#[utoipa::path(
    get, path = "/api/events/{id}", tag = "Events",
    params(("id" = i64, Path, description = "Its id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Event>, links(
            ("clip" = (operation_id = "make_clip", request_body = json!({
                "api_key": "$request.query.api_key", "event_id": "$response.body#/data/id",
            }))),
        )), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such event"), KeyedFailures
    )
)]
pub async fn event(PathId(id): PathId, asks: CatalogueRequest) -> ApiResult<Response> {
    let event = asks.channel().event(id).ok_or(ApiError::NotFound)?;
    asks.for_viewer(format!("events/{id}"), |presenter| Data::of(presenter.event(event))).await
}

/// The category tree (`EVENT-6`).
#[utoipa::path(
    get, path = "/api/events-categories", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<EventCategory>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn events_categories(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("events-categories", |channel| whole(channel.categories.tree().to_vec())).await
}

/// The places.
#[utoipa::path(
    get, path = "/api/events-locations", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<EventLocation>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn events_locations(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("events-locations", |channel| whole(channel.locations.clone())).await
}
