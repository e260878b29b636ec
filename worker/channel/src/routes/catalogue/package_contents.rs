//! `GET /packages/contents` (`PKG-4`).

use axum::response::Response;
use touchline_protocol::catalogue::{AccessType, Package, PackageContent, StreamStatus};
use touchline_protocol::envelope::Page;

use super::paging::full_page;
use super::request::CatalogueRequest;
use crate::catalogue::EventRecord;
use crate::catalogue::presenter::Presenter;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures};

/// Seconds.
const DAY_S: i64 = 86_400;

/// Returns the number and separate price of the live and upcoming events in each package, and per team for team passes.
#[utoipa::path(
    get, path = "/api/packages/contents", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<PackageContent>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn package_contents(request: CatalogueRequest) -> ApiResult<Response> {
    request
        .for_viewer("packages/contents", |presenter| {
            let packages = presenter.channel().packages.iter();
            full_page(packages.flat_map(|package| contents(presenter, package)).collect::<Vec<_>>())
        })
        .await
}

fn contents(presenter: &Presenter<'_>, package: &Package) -> Vec<PackageContent> {
    let (channel, now_s) = (presenter.channel(), presenter.now_s());
    let ends_at = if package.period_days > 0 { now_s.saturating_add(package.period_days * DAY_S) } else { i64::MAX };
    let to_come = |event: &&EventRecord| event.status_at(now_s) != StreamStatus::Finished && event.starts_at < ends_at;
    let content = |participant_id: Option<i64>, is_opened: &dyn Fn(&EventRecord) -> bool| {
        let opened = channel.events.iter().filter(to_come).filter(|event| is_opened(event));
        let (events, singly) = opened.fold((0, 0), |(events, singly), event| (events + 1, singly + price(event)));
        PackageContent { package_id: package.id, participant_id, events, singly }
    };
    if package.is_team_pass {
        let of_team = |id: i64| {
            content(Some(id), &|event| {
                event.access_type == AccessType::Paid && event.participants.iter().any(|team| team.id == id)
            })
        };
        package.participants.iter().map(|&id| of_team(id)).collect()
    } else {
        vec![content(None, &|event| channel.opens(package, event))]
    }
}

/// The price of the event on its own; 0 if it is not sold individually.
fn price(event: &EventRecord) -> i64 {
    event.single_event_package_id.map_or(0, |_| event.base_price + event.service_fee)
}
