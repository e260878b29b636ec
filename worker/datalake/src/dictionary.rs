//! Generates `docs/datalake.md` from the schema and the sample queries. A test compares it with the committed file.

use std::fmt::Write;

use touchline_protocol::analytics;

use crate::schema::{self, Column, Kind};
use crate::table::Table;

const HEAD: &str = "\
# The datalake: dictionary

Written from `worker/datalake/src/schema.rs` and `worker/datalake/queries`: change those, then run
`TOUCHLINE_WRITE=1 cargo test -p touchline-datalake --test lake -- dictionary::`.

Every analytics event is taken once, by `POST /datalake/batch` or one of the single calls, and stands as one row in one
table of the lake. A table is a [Delta table](https://github.com/delta-io/delta/blob/master/PROTOCOL.md) (reader version 1)
below the lake's folder (by default `lake` in the data folder) or bucket:

    <table>/_delta_log/                  which files are of the table, at each version
    <table>/received_date=YYYY-MM-DD/    its Parquet files

`received_date` is the UTC day on which the worker received the event. An event is in the lake within a minute, as a rule
within ten seconds. [operations.md](operations.md#reading-the-lake) shows how engines read it.

## Rules

- **Read the table, not the folder.** A folder holds files of earlier versions too. What reads Delta reads the table;
  `views.sql` (below) does it with DuckDB alone.
- **Each event once.** A version has no row twice, but for one case: over several workers an unanswered batch that its
  browser sent to another worker is there twice until files are joined, within the hour. The views keep one of each
  `event_id` until then.
- **The books, and claims.** `order_event` and `subscription_event` are written by the worker alone, in the transaction
  that changed the order: their sums are the books' to the cent. An order of a subscription is in both, so sum one of
  them. What a browser says of a purchase stands in `event` and is a claim: anyone may send it. `package_dim`,
  `subscription_dim`, `event_dim` and `team_dim` say what ids are called and cost. HTTP sinks get none of these tables.
- **Use `occurred_at`** for when something happened. `at` is what the sender's clock said, and may be hours off.
- **Columns are only ever added**, at the end, with the version that added them. A column is never renamed, retyped or
  removed; what is no longer sent becomes empty. Files keep the columns that they were written with, and the table's log
  has all of them. Fields that no column is named after are kept in `other`.
- **Erasure.** `touchline user erase` empties a person's `user_id` and `user_email`, and takes every other text and every
  name of a field in which their address stands out, at any depth, in what waits, in dead letters and in shipped files.
  A text that is always there says `erased` then. Rows stay, so that counts do. Files that held the person are written
  anew in one commit; the old ones, those of earlier versions too, go an hour later, and a version that needs them can
  then no longer be read.
  Columns marked *personal* say who someone is. HTTP sinks are asked by their own means. A queue that was moved aside as
  damaged, the folders `damaged-*`, is not erased: take it away.
- **HTTP sinks.** An event that the sink refuses (400, 409, 410, 413, 415, 422, or `rejected` in a batch's answer) is a
  dead letter; a batch that it refuses as a whole is halved until the event at fault stands alone, and the others ship.
  Every other answer (401, 403, 404, 408, 429 and the like, 5xx) is of the configuration or the load: it is tried again,
  at most a minute later or when `Retry-After` says, until the sink takes it.
- **Joining.** Each hour the small files of a day become few of up to 32 MiB, in the order of `occurred_at`, in one
  commit. Their parts go seven days later: for so long every version can be read. The log knows of each file how many
  rows it has and between which `event_id`, `at`, `received_at` and `occurred_at` they are, so that a query of a time
  reads few files.
";

const EVENT_NAMES: &str = "\
## Names of events

The queries below, and the order in which a full queue gives way, know these by name; others are kept as they come.

| table | `event` | when |
|---|---|---|
| `event` | `visit` | a page was opened; `extras` has its route `page`, its `name`, the `group` of screens that it belongs to and the `previous` page; on the page of an event, a video, a package or of what is bought also `product_type` (`event`, `vod`, `package`, `subscription`) and `product_id` |
| `event` | `purchase` | the browser saw an order paid (a claim; the books are `order_event`); `extras` has `transaction_id`, `value` (base price − discount + tax, minor units), `tax`, `discount`, `currency`, `items` |
| `video_event` | `opened`, `first_frame_shown`, `played`, `paused`, `stalled`, `seeked`, `ended`, `failed`, `closed` | what the player did; `extras` has the `position` in seconds, or the `code` of a failure |
| `video_event` | `preroll_started`, `preroll_first_quartile`, `preroll_midpoint`, `preroll_third_quartile`, `preroll_ended` | the first frame of a preroll, the quarters of its length, and its last frame; `stream_id` is the preroll's |
| `video_event` | `preroll_skipped`, `preroll_failed` | the viewer skipped it, where the channel lets them; it did not come, or broke, and the video went on without it: `extras` has the `code` (`unanswered`, `answer_404`, `address_403`, `body`, `decoder`, or `stalled`) |

";

const QUERIES: [(&str, &str); 15] = [
    ("Views", include_str!("../queries/views.sql")),
    ("Concurrent viewers by minute", include_str!("../queries/concurrent_viewers.sql")),
    ("Watch time by sport", include_str!("../queries/watch_time_by_sport.sql")),
    ("Watch time by event", include_str!("../queries/watch_time_by_event.sql")),
    ("Watch time by clip", include_str!("../queries/watch_time_by_clip.sql")),
    ("Purchase funnel", include_str!("../queries/purchase_funnel.sql")),
    ("Revenue", include_str!("../queries/revenue.sql")),
    ("Funnel with the steps of paying", include_str!("../queries/payment_funnel.sql")),
    ("Trial conversion", include_str!("../queries/trial_conversion.sql")),
    ("Churn", include_str!("../queries/churn.sql")),
    ("Preroll completion", include_str!("../queries/preroll_completion.sql")),
    ("How well it played", include_str!("../queries/playback_quality.sql")),
    ("How viewings ended", include_str!("../queries/playback_endings.sql")),
    ("What was shown, by height", include_str!("../queries/renditions_over_time.sql")),
    ("Errors of players", include_str!("../queries/playback_errors.sql")),
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
        let filled = if table.is_sent_by_browsers() {
            format!("Filled by `{}`.", table.path())
        } else {
            "Written by the worker alone.".to_owned()
        };
        let _ = write!(text, "### `{}`\n\n{filled}\n\n", table.name());
        text.push_str("| column | type | unit | meaning | since |\n|---|---|---|---|---|\n");
        for column in schema::columns(table) {
            text.push_str(&row(column));
        }
        text.push_str("| `received_date` | date | day, UTC | The partition. | 1 |\n\n");
    }
    text.push_str(EVENT_NAMES);
    text.push_str(
        "## Worked queries\n\nFor DuckDB; the files are in `worker/datalake/queries`. Those after the views are standard SQL but for their \
         functions of time, and run on views of any engine.\n",
    );
    for (title, sql) in QUERIES {
        let _ = write!(text, "\n### {title}\n\n```sql\n{sql}```\n");
    }
    text
}

/// The views in standard SQL, over tables that an engine has registered in a schema `lake`.
pub fn standard_views() -> String {
    let mut text = "\
-- Written from worker/datalake/src/schema.rs, as docs/datalake.md is. The views in standard SQL, over the Delta tables
-- registered in lake under their names. They keep one row of an event_id; of a viewing the last, of a dimension the newest
-- row of each id.
"
    .to_owned();
    for table in Table::ALL {
        let names = || schema::columns(table).iter().map(|column| column.name).chain([schema::PARTITION]);
        let shown: Vec<_> = names().map(|name| if name == "at" { "sender_at" } else { name }).collect();
        // Double quotes mark a string in Spark and BigQuery. After a dot, `at` needs no quotes in any engine.
        let read: Vec<_> = names().map(|name| if name == "at" { "r.at AS sender_at" } else { name }).collect();
        let order = if table.is_dimension() {
            "PARTITION BY r.channel, r.id ORDER BY occurred_at DESC, event_id".to_owned()
        } else {
            let direction = if schema::is_amended(table) { " DESC" } else { "" };
            format!("PARTITION BY {} ORDER BY received_at{direction}", schema::key(table))
        };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\nCREATE VIEW {0} AS\nSELECT\n    {1}\nFROM (\n    SELECT\n        {2},\n        \
             ROW_NUMBER() OVER ({order}) AS nth\n    FROM lake.{0} AS r\n) AS numbered\n\
             WHERE nth = 1;\n",
            table.name(),
            shown.join(", "),
            read.join(", "),
        );
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
