//! `docs/datalake.md`, written from the schema and the worked queries. A test holds the committed file to it.

use std::fmt::Write;

use touchline_protocol::analytics;

use crate::schema::{self, Column, Kind};
use crate::table::Table;

const HEAD: &str = "\
# The datalake: dictionary

Written from `worker/datalake/src/schema.rs` and `worker/datalake/queries`: change those, then run
`TOUCHLINE_WRITE=1 cargo test -p touchline-datalake --test dictionary`.

Every analytics event is taken once, by `POST /datalake/batch` or one of the single calls, and stands as one row in one
table of the lake: Parquet files below the lake's folder (by default `lake` in the data folder) or bucket,

    <table>/received_date=YYYY-MM-DD/<node>-<epoch>-<first>-<last>.parquet

`received_date` is the UTC day on which the worker received the event; `node` is the worker, `epoch` its queue, `first`
and `last` the places of the file's first and last event in it. An event is in the lake within a minute, as a rule
within ten seconds.

## Rules

- **Read through the views** (below). Over several workers, and while a joined file stands beside its parts, a row may be
  in two files; the views keep one of each `event_id`.
- **Use `occurred_at`** for when something happened. `at` is what the sender's clock said, and may be hours off.
- **Columns are only ever added**, at the end, with the version that added them. A column is never renamed, retyped or
  removed; what is no longer sent becomes empty. Files keep the columns that they were written with: read with
  `union_by_name`. Fields that no column is named after are kept in `other`.
- **Erasure.** `touchline user erase` empties a person's `user_id` and `user_email`, and takes every other text and every
  name of a field in which their address stands out, at any depth, in what waits, in dead letters and in shipped files.
  A text that is always there says `erased` then. Rows stay, so that counts do. Nothing else rewrites a shipped file.
  Columns marked *personal* say who someone is. HTTP sinks are asked by their own means. A queue that was moved aside as
  damaged, the folders `damaged-*`, is not erased: take it away.
- **HTTP sinks.** An event that the sink refuses (400, 409, 410, 413, 415, 422, or `rejected` in a batch's answer) is a
  dead letter; a batch that it refuses as a whole is halved until the event at fault stands alone, and the others ship.
  Every other answer (401, 403, 404, 408, 429 and the like, 5xx) is of the configuration or the load: it is tried again,
  at most a minute later or when `Retry-After` says, until the sink takes it.
- **Compaction.** The files of a closed day are joined to about 32 MiB; the parts go a day later.
";

const EVENT_NAMES: &str = "\
## Names of events

The queries below, and the order in which a full queue gives way, know these by name; others are kept as they come.

| table | `event` | when |
|---|---|---|
| `event` | `visit` | a page was opened; `extras` has its route `page`, its `name` and the `previous` page; on the page of an event, a video, a package or of what is bought also `product_type` (`event`, `vod`, `package`, `subscription`) and `product_id` |
| `event` | `purchase` | an order was paid; `extras` has `transaction_id`, `value` (base price − discount + tax, minor units), `tax`, `discount`, `currency`, `items` |
| `video_event` | `opened`, `first_frame_shown`, `played`, `paused`, `stalled`, `seeked`, `ended`, `failed`, `closed` | what the player did; `extras` has the `position` in seconds, or the `code` of a failure |
| `video_event` | `preroll_started`, `preroll_ended` | the first and the last frame of a preroll; `stream_id` is the preroll's |

";

const QUERIES: [(&str, &str); 7] = [
    ("Views", include_str!("../queries/views.sql")),
    ("Concurrent viewers by minute", include_str!("../queries/concurrent_viewers.sql")),
    ("Watch time by sport", include_str!("../queries/watch_time_by_sport.sql")),
    ("Watch time by event", include_str!("../queries/watch_time_by_event.sql")),
    ("Watch time by clip", include_str!("../queries/watch_time_by_clip.sql")),
    ("Purchase funnel", include_str!("../queries/purchase_funnel.sql")),
    ("Preroll completion", include_str!("../queries/preroll_completion.sql")),
];

/// The data dictionary as Markdown.
pub fn dictionary() -> String {
    let mut text = HEAD.to_owned();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "- **Limits.** A request: {} KiB and {} events. A body: {} bytes; {} unknown fields; texts of {} characters\n  \
         (`user_agent`, `origin_url`: {}). An id is recognised for {} days; an event that waited longer is a dead letter.\n\n",
        analytics::MAX_REQUEST_BYTES / 1024,
        analytics::MAX_BATCH_EVENTS,
        analytics::MAX_EVENT_BYTES,
        analytics::MAX_OTHER_FIELDS,
        analytics::MAX_TEXT,
        analytics::MAX_LONG_TEXT,
        analytics::REMEMBERED_MS / 86_400_000,
    );
    text.push_str("## Tables\n\n");
    for table in Table::ALL {
        let _ = write!(text, "### `{}`\n\nFilled by `{}`.\n\n", table.name(), table.path());
        text.push_str("| column | type | unit | meaning | since |\n|---|---|---|---|---|\n");
        for column in schema::columns(table) {
            text.push_str(&row(column));
        }
        text.push_str("| `received_date` | date | day, UTC | The partition. | 1 |\n\n");
    }
    text.push_str(EVENT_NAMES);
    text.push_str("## Worked queries\n\nFor DuckDB; the files are in `worker/datalake/queries`.\n");
    for (title, sql) in QUERIES {
        let _ = write!(text, "\n### {title}\n\n```sql\n{sql}```\n");
    }
    text
}

fn row(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Text => "text",
        Kind::Json => "text (JSON)",
        Kind::Number => "double",
        Kind::Moment => "timestamp",
    };
    let always = if column.required { " Always there." } else { "" };
    let personal = if column.personal { " *Personal.*" } else { "" };
    let Column { name, unit, meaning, since, .. } = column;
    format!("| `{name}` | {kind} | {unit} | {meaning}{always}{personal} | {since} |\n")
}
