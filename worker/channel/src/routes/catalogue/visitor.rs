//! What a visitor would be answered, without a request: a page carries the answers to its own first calls (`FAST-3`).

use serde::Serialize;
use serde_json::{Map, Value};
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::envelope::Data;

use super::bootstrap::bootstrap;
use super::event_lists::home_rails;
use super::paging::whole;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;

/// A call that pages begin with.
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

/// The answers to some calls, each under the call as a page spells it, for a visitor of this country at this moment, Unix
/// seconds. A call of something that is not there has none.
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
                ("/participants?no_limit=1".to_owned(), json(&whole(channel.participants.clone())))
            }
            FirstCall::VideoRails => ("/vod-media-rails".to_owned(), json(&whole(presenter.rails()))),
            FirstCall::VideoCategories => {
                ("/vod-media-categories".to_owned(), json(&whole(channel.vod_categories.clone())))
            }
            FirstCall::HomeRails => ("/events-for-homepage".to_owned(), json(&whole(home_rails(&presenter)))),
            FirstCall::Event(id) => {
                // What is closed to where the visitor is stands in no page (`FOUND-4`).
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
