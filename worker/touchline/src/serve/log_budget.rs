//! Rate limits of the log (`OPS-7`): lines per second, with separate limits for warnings, for errors and for each
//! message. A visitor can suppress no error, and no warning but their own. Dropped lines are counted, and the count is
//! logged.

use std::hash::Hash;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use touchline_protocol::ambient::SharedClock;
#[cfg(test)]
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::{Buckets, Rate};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Lines at info level and below.
const LINES: Rate = Rate::new(20_000, 1);
const WARNINGS: Rate = Rate::new(2_000, 50);
const ERRORS: Rate = Rate::new(2_000, 50);
/// Warnings or errors with one message.
const MESSAGE: Rate = Rate::new(500, 200);
/// The number of messages counted separately, more than the code has.
const MESSAGES: usize = 4_096;
/// Longer lines are truncated.
const LINE_BYTES: usize = 8 * 1024;
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::rate("log.lines", LINES.burst as u64, 1, "Lines of the log; dropped lines are counted."),
    Limit::rate("log.warnings", WARNINGS.burst as u64, WARNINGS.every_us / 1000, "Warnings in the log."),
    Limit::rate("log.errors", ERRORS.burst as u64, ERRORS.every_us / 1000, "Errors in the log."),
    Limit::rate("log.message", MESSAGE.burst as u64, MESSAGE.every_us / 1000, "Warnings or errors with one message."),
    Limit::bytes("log.line", LINE_BYTES as u64, "Maximum length of a line, with all its fields."),
];

/// A rate-limited log writer.
pub(crate) struct Budget<W>(Arc<Inner<W>>);

impl<W> Clone for Budget<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct Inner<W> {
    out: W,
    clock: SharedClock,
    buckets: Buckets,
    dropped: AtomicU64,
}

impl<W> Budget<W> {
    pub(crate) fn before(out: W, clock: SharedClock) -> Self {
        Self(Arc::new(Inner { out, clock, buckets: Buckets::new(MESSAGES), dropped: AtomicU64::new(0) }))
    }

    /// The number of lines dropped since the last call.
    pub(crate) fn dropped(&self) -> u64 {
        self.0.dropped.swap(0, Ordering::Relaxed)
    }

    fn allows(&self, subject: impl Hash, rate: Rate) -> bool {
        self.0.buckets.take(subject, rate, 1, self.0.clock.steady_ms()).is_ok()
    }

    fn line(&self, passes: bool) -> Line<'_, W> {
        if !passes {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Line { parts: &self.0, passes }
    }
}

pub(crate) struct Line<'a, W> {
    parts: &'a Inner<W>,
    passes: bool,
}

/// A JSON line that replaces one that is too long, with the beginning of the original.
fn cut_json(first: &[u8], bytes: usize) -> String {
    // Escaped, a byte may take six.
    let start = String::from_utf8_lossy(&first[..LINE_BYTES / 8]);
    let line =
        serde_json::json!({ "level": "WARN", "message": "a line was too long", "bytes": bytes, "begins": start });
    format!("{line}\n")
}

impl<W> Write for Line<'_, W>
where
    for<'w> &'w W: Write,
{
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.passes {
            let mut out = &self.parts.out;
            match bytes.get(..LINE_BYTES) {
                Some(first) if first.starts_with(b"{") => out.write_all(cut_json(first, bytes.len()).as_bytes())?,
                Some(first) => out.write_all(first).and_then(|()| out.write_all(b"\n"))?,
                None => out.write_all(bytes)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.parts.out).flush()
    }
}

impl<'a, W: 'a> MakeWriter<'a> for Budget<W>
where
    for<'w> &'w W: Write,
{
    type Writer = Line<'a, W>;

    fn make_writer(&'a self) -> Line<'a, W> {
        self.line(self.allows(Level::INFO, LINES))
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Line<'a, W> {
        let level = *meta.level();
        if level > Level::WARN {
            return self.make_writer();
        }
        let rate = if level == Level::WARN { WARNINGS } else { ERRORS };
        self.line(self.allows(meta.callsite(), MESSAGE) && self.allows(level, rate))
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    #[derive(Default)]
    struct Buffer(Mutex<Vec<u8>>);

    impl Write for &Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_flood_of_lines_is_limited_and_suppresses_no_warning() {
        let clock = ManualClock::at_ms(0);
        let budget = Budget::before(Buffer::default(), clock.clone());
        for _ in 0..LINES.burst + 5 {
            budget.make_writer().write_all(b"a line\n").unwrap();
        }
        let lines = || budget.0.out.0.lock().iter().filter(|byte| **byte == b'\n').count();
        assert_eq!((lines(), budget.dropped(), budget.dropped()), (LINES.burst as usize, 5, 0));
        budget.line(budget.allows(Level::WARN, WARNINGS)).write_all(b"a warning\n").unwrap();
        assert_eq!(lines(), LINES.burst as usize + 1);
        clock.advance_ms(1);
        budget.make_writer().write_all(&[b'x'; 100_000]).unwrap();
        let buffer = budget.0.out.0.lock();
        assert_eq!(
            buffer.len(),
            LINES.burst as usize * 7 + 10 + LINE_BYTES + 1,
            "a line is truncated regardless of its source"
        );
    }

    #[test]
    fn a_flood_of_one_message_suppresses_no_other_warning_or_error() {
        let budget = Budget::before(Buffer::default(), ManualClock::at_ms(0));
        let subscriber = tracing_subscriber::fmt().with_writer(budget.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..WARNINGS.burst + 5 {
                tracing::warn!("a flood");
            }
            tracing::warn!("something else");
            tracing::error!("something worse");
        });
        let written = budget.0.out.0.lock();
        let text = String::from_utf8_lossy(&written);
        assert_eq!(text.matches("a flood").count(), MESSAGE.burst as usize);
        assert!(text.contains("something else") && text.contains("something worse"));
        assert_eq!(budget.dropped(), u64::from(WARNINGS.burst + 5 - MESSAGE.burst));
    }

    #[test]
    fn a_truncated_json_line_is_still_json() {
        let budget = Budget::before(Buffer::default(), ManualClock::at_ms(0));
        let long = format!("{{\"path\":\"{}\"}}\n", "\u{1}\u{e9}".repeat(10_000));
        budget.make_writer().write_all(long.as_bytes()).unwrap();
        let buffer = budget.0.out.0.lock();
        let line: serde_json::Value = serde_json::from_slice(&buffer).unwrap();
        assert_eq!(line["bytes"], long.len());
        assert!(line["begins"].as_str().unwrap().starts_with("{\"path\":") && buffer.len() <= LINE_BYTES);
    }
}
