//! The events that the clients send, similar to a browser's, in each system's format.

use std::fmt::Write;

use touchline_protocol::ambient::{Clock, Entropy, SystemClock, SystemEntropy};

pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) path: &'static str,
    pub(crate) at_ms: i64,
    pub(crate) body: String,
}

/// A client and the fields that its events share.
pub(crate) struct Client {
    number: usize,
    sent: u64,
    session: String,
    view: String,
}

impl Client {
    pub(crate) fn new(number: usize) -> Self {
        let id = || SystemEntropy.uuid_v7(&SystemClock::default()).hyphenated().to_string();
        Self { number, sent: 0, session: id(), view: id() }
    }

    /// The next event: mostly video heartbeats, then page events.
    pub(crate) fn next(&mut self) -> Event {
        self.sent += 1;
        let clock = SystemClock::default();
        let id = SystemEntropy.uuid_v7(&clock).hyphenated().to_string();
        let at_ms = clock.now_ms();
        let Self { number, sent, session, view } = self;
        let mut body = String::with_capacity(512);
        let path = match *sent % 4 {
            0 => {
                write!(
                    body,
                    r#"{{"profile":"{view}","session_uuid":"{session}","user_id":{number},"event":"page_view","extras":{{"path":"/watch/{sent}","referrer":"/upcoming?page={sent}"}},"origin_url":"https://northfield.example/watch/{sent}","trk":"newsletter-{number}"}}"#
                )
                .unwrap();
                "/datalake/event/"
            }
            1 => {
                write!(
                    body,
                    r#"{{"profile":"{view}","session_uuid":"{session}","user_id":{number},"video_view_uuid":"{view}","stream_id":{sent},"stream_type":"event","event":"play","extras":{{"position":{}}},"origin_url":"https://northfield.example/watch/{number}"}}"#,
                    *sent * 10
                )
                .unwrap();
                "/datalake/video/event/"
            }
            _ => {
                write!(
                    body,
                    r#"{{"profile":"{view}","session_uuid":"{session}","user_id":{number},"viewing_time":10,"category":"basketball-{number}","sport":"Basketball","gender":"women","school":"Northfield University","league":"Northern League","video_view_uuid":"{view}","stream_id":{number},"stream_type":"event","position":{},"origin_url":"https://northfield.example/watch/{number}"}}"#,
                    *sent * 10
                )
                .unwrap();
                "/datalake/video/viewing/"
            }
        };
        Event { id, path, at_ms, body }
    }
}
