//! Responses for a visitor without a request: a page embeds the responses to its first calls (`FAST-3`).

use serde::Serialize;
use serde_json::{Map, Value};
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::envelope::Data;

use super::bootstrap::bootstrap;
use super::event_lists::home_rails;
use super::paging::full_page;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;

/// A call that pages make first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstCall {
    /// `GET /channel-bootstrap-data`
    Bootstrap,
    /// `GET /participants?no_limit=1`
    Participants,
    /// `GET /events-for-homepage`
    HomeRails,
    /// `GET /events/{id}`
    Event(i64),
    /// `GET /vod-media-rails`
    VideoRails,
    /// `GET /vod-media-categories`
    VideoCategories,
}

/// Responses to `calls` for a visitor from this country at a time in Unix seconds, each under its path. A call for
/// missing content has no response.
pub fn answers(channel: &ChannelSnapshot, country: Option<&str>, now_s: i64, calls: &[FirstCall]) -> Value {
    let visitor = Entitlements {
        geo_blocked: channel.is_geo_blocked(country),
        country: country.map(str::to_owned),
        ..Entitlements::default()
    };
    let presenter = Presenter::new(channel, &visitor, now_s);
    let mut answers = Map::new();
    for call in calls {
        let (path, answer) = match *call {
            FirstCall::Bootstrap => ("/channel-bootstrap-data".to_owned(), json(&Data::of(bootstrap(&presenter)))),
            FirstCall::Participants => {
                ("/participants?no_limit=1".to_owned(), json(&full_page(channel.participants.clone())))
            }
            FirstCall::VideoRails => ("/vod-media-rails".to_owned(), json(&full_page(presenter.rails()))),
            FirstCall::VideoCategories => {
                ("/vod-media-categories".to_owned(), json(&full_page(channel.vod_categories.clone())))
            }
            FirstCall::HomeRails => ("/events-for-homepage".to_owned(), json(&full_page(home_rails(&presenter)))),
            FirstCall::Event(id) => {
                // No page contains an event that is blocked in the visitor's country (`FOUND-4`).
                let event = channel.event(id).filter(|event| !visitor.is_event_blocked(&event.geo));
                let event = event.map(|event| Data::of(presenter.event(event)));
                (format!("/events/{id}"), event.and_then(|event| json(&event)))
            }
        };
        if let Some(answer) = answer {
            answers.insert(path, answer);
        }
    }
    Value::Object(answers)
}

fn json(answer: &impl Serialize) -> Option<Value> {
    serde_json::to_value(answer).ok()
}
