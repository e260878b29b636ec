//! The bytes of requests, and when an answer is complete. All systems use the same minimal client, so that none pays
//! for its library. Requests are built in advance and sent repeatedly with new ids, so that the servers are measured
//! and not the clients beside them.

use touchline_protocol::ambient::{Entropy, SeededEntropy};
use uuid::Uuid;

use super::events::{Client, Event};

/// A request whose ids can be replaced in place.
pub(crate) struct Request {
    bytes: Vec<u8>,
    /// Offsets of the ids.
    ids: Vec<usize>,
}

impl Request {
    /// The bytes with new ids.
    pub(crate) fn renewed(&mut self, entropy: &SeededEntropy) -> &[u8] {
        for at in &self.ids {
            let id: &mut [u8; ID_LENGTH] = self.bytes[*at..].first_chunk_mut().unwrap();
            let drawn = u128::from(entropy.next_u64()) << 64 | u128::from(entropy.next_u64());
            // The time prefix stays: the rest differs between ids of the same moment.
            let time = Uuid::try_parse_ascii(id).unwrap().as_u128();
            Uuid::from_u128(time & !RANDOM | drawn & RANDOM).hyphenated().encode_lower(id);
        }
        &self.bytes
    }
}

const ID_LENGTH: usize = 36;
/// The random bits of a UUIDv7.
const RANDOM: u128 = (1 << 62) - 1;

/// The protocol of a system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Http,
    Redis,
    Postgres,
}

impl Wire {
    /// The messages that open a connection.
    pub(crate) fn greeting(self, batch: usize) -> Vec<Vec<u8>> {
        match self {
            Self::Http | Self::Redis => Vec::new(),
            Self::Postgres => vec![startup(), prepare(batch)],
        }
    }

    pub(crate) fn request(self, client: &mut Client, batch: usize) -> Request {
        let events: Vec<Event> = (0..batch).map(|_| client.next()).collect();
        let mut bytes = Vec::new();
        match (self, events.as_slice()) {
            (Self::Http, [event]) => single_call(event, &mut bytes),
            (Self::Http, events) => batch_call(events, &mut bytes),
            (Self::Redis, events) => events.iter().for_each(|event| xadd(event, &mut bytes)),
            (Self::Postgres, events) => insert(events, &mut bytes),
        }
        let mut from = 0;
        let offset_of = |event: &Event| {
            from += bytes[from..].windows(ID_LENGTH).position(|text| text == event.id.as_bytes()).unwrap();
            from
        };
        let ids = events.iter().map(offset_of).collect();
        Request { bytes, ids }
    }

    /// Whether the answer to a request of `batch` events is complete. An error answer ends the benchmark.
    pub(crate) fn is_answered(self, answer: &[u8], batch: usize) -> bool {
        match self {
            Self::Http => http_answered(answer, batch),
            Self::Redis => {
                assert!(answer.first() != Some(&b'-'), "Redis: {}", String::from_utf8_lossy(answer));
                count(answer, b"\r\n") >= 2 * batch
            }
            Self::Postgres => postgres_answered(answer),
        }
    }
}

fn count(text: &[u8], what: &[u8]) -> usize {
    text.windows(what.len()).filter(|window| *window == what).count()
}

fn post(path: &str, id: Option<&str>, body: &[u8], buffer: &mut Vec<u8>) {
    let key = id.map(|id| format!("idempotency-key: {id}\r\n")).unwrap_or_default();
    let length = body.len();
    buffer.extend_from_slice(
        format!(
            "POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n{key}content-length: {length}\r\n\r\n"
        )
        .as_bytes(),
    );
    buffer.extend_from_slice(body);
}

fn single_call(event: &Event, buffer: &mut Vec<u8>) {
    post(event.path, Some(&event.id), event.body.as_bytes(), buffer);
}

fn batch_call(events: &[Event], buffer: &mut Vec<u8>) {
    let sent_at = events.last().map_or(0, |event| event.at_ms);
    let events: Vec<_> = events
        .iter()
        .map(|Event { id, path, at_ms, body }| format!(r#"{{"id":"{id}","path":"{path}","at":{at_ms},"body":{body}}}"#))
        .collect();
    let body = format!(r#"{{"sent_at":{sent_at},"events":[{}]}}"#, events.join(","));
    post("/datalake/batch", None, body.as_bytes(), buffer);
}

fn http_answered(answer: &[u8], batch: usize) -> bool {
    let Some(head) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&answer[..head]);
    assert!(text.starts_with("HTTP/1.1 200"), "{}", String::from_utf8_lossy(answer));
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse::<usize>().unwrap();
    if answer.len() < head + 4 + length {
        return false;
    }
    assert_eq!(count(answer, br#""outcome":"accepted""#), batch, "{}", String::from_utf8_lossy(answer));
    true
}

fn xadd(event: &Event, buffer: &mut Vec<u8>) {
    let at = event.at_ms.to_string();
    let parts: [&str; 11] =
        ["XADD", "events", "*", "id", &event.id, "path", event.path, "at", &at, "body", &event.body];
    buffer.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        buffer.extend_from_slice(format!("${}\r\n{part}\r\n", part.len()).as_bytes());
    }
}

/// A message of PostgreSQL's protocol: kind, length, content.
fn message(kind: u8, content: &[u8], buffer: &mut Vec<u8>) {
    buffer.push(kind);
    buffer.extend_from_slice(&u32::try_from(content.len() + 4).unwrap().to_be_bytes());
    buffer.extend_from_slice(content);
}

fn startup() -> Vec<u8> {
    let content = [&196_608_u32.to_be_bytes()[..], b"user\0postgres\0database\0postgres\0\0"].concat();
    [&u32::try_from(content.len() + 4).unwrap().to_be_bytes()[..], &content].concat()
}

/// A multi-row insert, prepared once per connection, as a driver would.
fn prepare(batch: usize) -> Vec<u8> {
    let rows: Vec<_> = (0..batch)
        .map(|n| {
            format!("(${}, ${}, to_timestamp(${}::float8 / 1000), ${})", 4 * n + 1, 4 * n + 2, 4 * n + 3, 4 * n + 4)
        })
        .collect();
    let sql = format!("insert into events (id, path, at, body) values {}", rows.join(", "));
    let mut buffer = Vec::new();
    message(b'P', &[b"insert\0", sql.as_bytes(), b"\0\0\0"].concat(), &mut buffer);
    message(b'S', b"", &mut buffer);
    buffer
}

fn insert(events: &[Event], buffer: &mut Vec<u8>) {
    let mut bind = b"\0insert\0\0\0".to_vec();
    bind.extend_from_slice(&u16::try_from(4 * events.len()).unwrap().to_be_bytes());
    for event in events {
        for text in [&event.id, event.path, &event.at_ms.to_string(), &event.body] {
            bind.extend_from_slice(&u32::try_from(text.len()).unwrap().to_be_bytes());
            bind.extend_from_slice(text.as_bytes());
        }
    }
    bind.extend_from_slice(b"\0\0");
    message(b'B', &bind, buffer);
    message(b'E', b"\0\0\0\0\0", buffer);
    message(b'S', b"", buffer);
}

/// Whether the server is ready for the next query.
fn postgres_answered(mut answer: &[u8]) -> bool {
    while let [kind, length, rest @ ..] = answer
        && let Some((tail, after)) = rest.split_at_checked(3)
    {
        let length = u32::from_be_bytes([*length, tail[0], tail[1], tail[2]]) as usize - 4;
        let Some((content, next)) = after.split_at_checked(length) else { return false };
        assert!(*kind != b'E', "PostgreSQL: {}", String::from_utf8_lossy(content));
        if *kind == b'Z' {
            return true;
        }
        answer = next;
    }
    false
}
