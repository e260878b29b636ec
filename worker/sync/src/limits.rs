//! Sizes, counts and times of a hub.

use std::time::Duration;

use touchline_protocol::limits::Limit;

/// Sizes, counts and times of a hub.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Time for a new socket to send `hello`.
    pub hello_within: Duration,
    /// Interval of `ping` frames. A socket is closed after two pings without an answer.
    pub ping: Duration,
    /// The largest frame from a client, in bytes.
    pub frame_bytes: usize,
    /// Frames that a client may send between two pings.
    pub frames_per_ping: u32,
    /// Frames that may wait for a slow reader before its socket is closed.
    pub queue: usize,
    /// Maximum backlog on resuming; above it a snapshot is sent.
    pub backlog: usize,
    /// Resources that one socket may watch.
    pub watches: usize,
    /// Sockets of one API key.
    pub per_key: usize,
    /// Sockets of one address, which a whole school may share.
    pub per_address: usize,
    /// Sockets in all.
    pub total: usize,
    /// Timeout for closing a socket.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hello_within: Duration::from_secs(5),
            ping: Duration::from_secs(20),
            frame_bytes: 8 * 1024,
            frames_per_ping: 64,
            queue: 128,
            backlog: 500,
            watches: 32,
            per_key: 16,
            per_address: 512,
            total: 20_000,
            farewell: Duration::from_secs(2),
        }
    }
}

/// Rows of the limits table. Limits that an operator can set are listed under their setting's name.
pub fn limits() -> Vec<Limit> {
    let Limits { hello_within, ping, frame_bytes, frames_per_ping, queue, backlog, watches, total, farewell, .. } =
        Limits::default();
    vec![
        Limit::count("sockets.total", total as u64, "sockets", "Status sockets in total."),
        Limit::time("sockets.hello", hello_within, "Timeout for the `hello` of a new status socket."),
        Limit::time("sockets.ping", ping, "Interval between pings. A socket is closed after two unanswered pings."),
        Limit::bytes("sockets.frame", frame_bytes as u64, "A frame from a client."),
        Limit::count("sockets.frames", frames_per_ping.into(), "frames", "Frames from a client between two pings."),
        Limit::count(
            "sockets.queue",
            queue as u64,
            "frames",
            "Frames that may wait for a slow reader before its socket is closed.",
        ),
        Limit::count(
            "sockets.backlog",
            backlog as u64,
            "statuses",
            "Maximum backlog on resuming; above it a snapshot is sent.",
        ),
        Limit::count("sockets.watches", watches as u64, "resources", "Resources that one socket may watch."),
        Limit::time("sockets.farewell", farewell, "Timeout for closing a socket."),
    ]
}
