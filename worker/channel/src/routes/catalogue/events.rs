//! `GET /events`, `/events/{id}`, `/events-categories`, `/events-locations` (`CALL-5`).

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{Event, EventCategory, EventLocation, EventStarts, StreamStatus};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::{PageQuery, full_page};
use super::query::{choice, ids, text, texts};
use super::request::CatalogueRequest;
use crate::catalogue::EventRecord;
use crate::catalogue::listing::{EventFilter, EventOrder, PageRange, moment};
use crate::catalogue::presenter::Presenter;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId};

const STATUSES: [(&str, StreamStatus); 3] =
    [("upcoming", StreamStatus::Upcoming), ("live", StreamStatus::Live), ("finished", StreamStatus::Finished)];

/// Selects events. Several values of one filter are separated by commas and are alternatives.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Status: `upcoming`, `live` or `finished`.
    pub(crate) stream_status: Option<String>,
    /// Gender of the teams: `male` or `female`.
    pub(crate) gender: Option<String>,
    /// Name of the sport.
    pub(crate) sport: Option<String>,
    /// City of the location.
    pub(crate) city: Option<String>,
    /// State or province of the location.
    pub(crate) state: Option<String>,
    /// IDs or aliases of schools.
    pub(crate) school: Option<String>,
    /// Synonym of `school`.
    pub(crate) group: Option<String>,
    /// IDs or aliases of teams.
    pub(crate) team: Option<String>,
    /// Synonym of `team`.
    pub(crate) participant: Option<String>,
    /// IDs or aliases of categories, including their subcategories.
    pub(crate) event_category_id: Option<String>,
    /// Synonym of `event_category_id`.
    pub(crate) category: Option<String>,
    /// IDs of packages that include the events' categories.
    pub(crate) package: Option<String>,
    /// IDs of locations.
    pub(crate) location: Option<String>,
    /// IDs of events.
    pub(crate) ids: Option<String>,
    /// Earliest start: Unix seconds, RFC 3339 or a date. Defaults to 2022-08-01 for finished events.
    pub(crate) start_date: Option<String>,
    /// Latest start: Unix seconds, RFC 3339 or a date. A date includes the whole day.
    pub(crate) end_date: Option<String>,
    /// Part of the name of an event, team or location.
    #[param(max_length = 200)]
    pub(crate) text: Option<String>,
    /// `event_utc_ts` (default), `name` or `base_price`.
    pub(crate) sort_field: Option<String>,
    /// `asc` or `desc`; defaults to `asc`, and to `desc` for finished events.
    pub(crate) sort_direction: Option<String>,
    /// Maximum number of items: 1 to 100, 24 by default.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u64>,
    /// Number of items to skip.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub(crate) offset: Option<u64>,
    /// `1` returns all items.
    #[param(minimum = 0, maximum = 1)]
    pub(crate) no_limit: Option<u8>,
    /// `1` returns only events that the viewer's purchases include.
    #[param(minimum = 0, maximum = 1)]
    pub(crate) owned: Option<u8>,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) filter: EventFilter,
    order: EventOrder,
    descending: bool,
    part: PageRange,
    owned: bool,
}

impl EventsQuery {
    pub(super) fn read(&self) -> ApiResult<Listing> {
        let status = |word: String| choice("stream_status", Some(&word), &STATUSES);
        let statuses = texts("stream_status", self.stream_status.as_deref())?.into_iter().map(status);
        let statuses: Vec<_> = statuses.collect::<ApiResult<Vec<_>>>()?.into_iter().flatten().collect();
        let genders = texts("gender", self.gender.as_deref())?;
        for gender in &genders {
            choice("gender", Some(gender), &[("male", ()), ("female", ())])?;
        }
        let both = |field: &str, first: &Option<String>, second: &Option<String>| {
            let mut both = texts(field, first.as_deref())?;
            both.extend(texts(field, second.as_deref())?);
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
            sports: texts("sport", self.sport.as_deref())?,
            cities: texts("city", self.city.as_deref())?,
            states: texts("state", self.state.as_deref())?,
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
        let part = PageQuery { limit: self.limit, offset: self.offset, no_limit: self.no_limit }.range_or_default()?;
        let owned =
            choice("owned", self.owned.map(|owned| owned.to_string()).as_deref(), &[("0", false), ("1", true)])?;
        let descending = direction.unwrap_or(newest_first);
        Ok(Listing { filter, order, descending, part, owned: owned.unwrap_or_default() })
    }
}

impl Listing {
    /// Starts of all matching events, whatever the page.
    fn starts(self, presenter: &Presenter<'_>) -> EventStarts {
        let found = self.filter.apply(presenter.channel(), presenter.now_s());
        let wanted = found.into_iter().filter(|event| !self.owned || presenter.is_owned(event));
        EventStarts { starts: wanted.map(|event| event.starts_at).collect() }
    }

    /// The page of matching events for which `is_wanted` returns true.
    pub(super) fn page(self, presenter: &Presenter<'_>, is_wanted: impl Fn(&EventRecord) -> bool) -> Page<Event> {
        let mut found = self.filter.apply(presenter.channel(), presenter.now_s());
        found.retain(|event| is_wanted(event) && (!self.owned || presenter.is_owned(event)));
        self.order.sort(&mut found, self.descending);
        let (found, meta) = self.part.of(found);
        Page { data: found.into_iter().map(|event| presenter.event(event)).collect(), meta }
    }
}

/// Returns the start times of all events that match the filters, for a calendar (`LIST-6`).
///
/// Ignores paging and sorting.
#[utoipa::path(
    get, path = "/api/events/starts", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Data<EventStarts>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn event_starts(request: CatalogueRequest) -> ApiResult<Response> {
    let call = format!("events/starts?{}", request.raw_query());
    request
        .for_viewer_if(call, |presenter| Ok(Data::of(request.query::<EventsQuery>()?.read()?.starts(presenter))))
        .await
}

/// Returns a filtered, sorted and paged list of events (`LIST`, `EVENT`).
#[utoipa::path(
    get, path = "/api/events", tag = "Events", params(EventsQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Event>, links(
        ("first" = (operation_id = "event", parameters(("id" = "$response.body#/data/0/id"), ("api_key" = "$request.query.api_key")))),
        ("markItsSport" = (operation_id = "mark_favorite", request_body = json!({
            "api_key": "$request.query.api_key", "favoritable_type": "category",
            "favoritable_id": "$response.body#/data/0/event_category_id",
        }))),
    )), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn events(request: CatalogueRequest) -> ApiResult<Response> {
    let call = format!("events?{}", request.raw_query());
    // The query is parsed only on a cache miss, since parsing costs more than a cache lookup.
    request.for_viewer_if(call, |presenter| Ok(request.query::<EventsQuery>()?.read()?.page(presenter, |_| true))).await
}

/// Returns an event, with the viewer's access and media URLs (`EVENT-8`).
#[utoipa::path(
    get, path = "/api/events/{id}", tag = "Events",
    params(("id" = i64, Path, description = "ID of the event.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Event>, links(
            ("clip" = (operation_id = "make_clip", request_body = json!({
                "api_key": "$request.query.api_key", "event_id": "$response.body#/data/id",
            }))),
        )), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the event doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn event(PathId(id): PathId, request: CatalogueRequest) -> ApiResult<Response> {
    let event = request.channel().event(id).ok_or(ApiError::NotFound)?;
    request.for_viewer(format!("events/{id}"), |presenter| Data::of(presenter.event(event))).await
}

/// Returns the tree of event categories (`EVENT-6`).
#[utoipa::path(
    get, path = "/api/events-categories", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<EventCategory>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn events_categories(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("events-categories", |channel| full_page(channel.categories.tree().to_vec())).await
}

/// Returns the events' locations.
#[utoipa::path(
    get, path = "/api/events-locations", tag = "Events", params(ApiKeyQuery),
    responses((status = 200, body = Page<EventLocation>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn events_locations(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("events-locations", |channel| full_page(channel.locations.clone())).await
}
