//! A connection's stream. A blocked write times out, also after an upgrade to a websocket.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::connection::Connection;

/// A stream with its connection. Dropping it releases the connection's slot.
pub(crate) struct GuardedIo<S> {
    stream: S,
    connection: Arc<Connection>,
    /// The start of the blockage, with its timer.
    blocked: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> GuardedIo<S> {
    pub(crate) fn new(stream: S, connection: Arc<Connection>) -> Self {
        Self { stream, connection, blocked: None }
    }

    /// Returns the result of a write, or an error if it was blocked for too long.
    fn checked<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.blocked.take().is_some() {
                self.connection.blocked(false);
            }
            return written;
        }
        let now = Instant::now();
        if self.blocked.is_none() {
            self.connection.blocked(true);
        }
        let timeouts = self.connection.timeouts();
        let (since, timer) = self.blocked.get_or_insert_with(|| (now, Box::pin(sleep_until(now + timeouts))));
        // The timeout may have grown, because media may be paused.
        if *since + timeouts > now && timer.deadline() != *since + timeouts {
            timer.as_mut().reset(*since + timeouts);
        }
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client stopped reading")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for GuardedIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for GuardedIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.checked(written, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.checked(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::sleep;

    use super::super::answer::PendingRequest;
    use super::super::connection::Timeouts;
    use super::super::connections::{Caps, Connections};
    use super::*;

    const SHORT_TIMEOUTS: &Timeouts = &Timeouts {
        first_request: Duration::from_secs(10),
        idle: Duration::from_secs(10),
        unread: Duration::from_millis(500),
        unread_beside: Duration::from_secs(10),
        paused: Duration::from_secs(10),
    };

    #[tokio::test(start_paused = true)]
    async fn a_blocked_write_times_out_and_a_slow_reader_does_not() {
        let membership = Connections::new(Caps::of(10, 10)).enter(Some(1)).unwrap();
        let connection = Connection::new(membership, SHORT_TIMEOUTS);
        drop(PendingRequest::begin(&connection));
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut io = GuardedIo::new(ours, connection);

        let slow = tokio::spawn(async move {
            for _ in 0..4 {
                sleep(SHORT_TIMEOUTS.unread / 3).await;
                theirs.read_exact(&mut [0; 16]).await.unwrap();
            }
            theirs
        });
        let started = Instant::now();
        io.write_all(&[0; 80]).await.unwrap();
        let theirs = slow.await.unwrap();
        assert!(started.elapsed() > SHORT_TIMEOUTS.unread);

        let started = Instant::now();
        let fault = io.write_all(&[0; 17]).await.unwrap_err();
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() >= SHORT_TIMEOUTS.unread);
        drop(theirs);
    }
}
