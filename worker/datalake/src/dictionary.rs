//! Generates `docs/datalake.md` from the schema and the sample queries. A test compares it with the committed file.

use std::fmt::Write;

use touchline_protocol::analytics;

use crate::schema::{self, Column, Kind, Source};
use crate::table::Table;

const HEAD: &str = "\
# The datalake: dictionary

Generated from `worker/datalake/src/schema.rs` and `worker/datalake/queries` by
`TOUCHLINE_WRITE=1 cargo test -p touchline-datalake --test lake -- dictionary::`.

Every analytics event is accepted once, by `POST /datalake/batch` or a single call, and is one row in one table.
A table is a [Delta table](https://github.com/delta-io/delta/blob/master/PROTOCOL.md) (reader version 1) in the lake's
folder (by default `lake` in the data folder) or bucket:

    <table>/_delta_log/                  the files of each version of the table
    <table>/received_date=YYYY-MM-DD/    its Parquet files

`received_date` is the UTC day on which the worker received the event. An event is in the lake within a minute, usually
within ten seconds. [operations.md](operations.md#reading-the-lake) shows how to read it.

## Rules

- **Read the table, not the folder.** A folder also has files of earlier versions. Delta readers read the table.
  `views.sql` (below) does so with DuckDB alone.
- **Each event once.** A version has no duplicate rows, with one exception: with several workers, an unanswered batch
  that its browser sent to another worker is there twice until files are joined, within the hour. The views keep one
  row per `event_id`.
- **Books and claims.** Only the worker writes `order_event` and `subscription_event`, in the transaction that changed
  the order. Their sums equal the books to the cent. An order of a subscription is in both, so sum one of them. A
  purchase in `event` is a claim of a browser, which anyone can send. `package_dim`, `subscription_dim`, `event_dim` and
  `team_dim` have the names and prices of ids. HTTP sinks get none of these tables.
- **Without consent** (refused, not asked, Do-Not-Track) nothing has a profile, session or person. `event_count` has the
  number of such events by channel and day (UTC), once the day is over. The worker writes `registered`, `logged_in`,
  `favorite_added`, `favorite_removed`, `clip_created` and `subscription_cancelled`, in the transaction of the change:
  no call can. A browser reports the others, and their counts. Behind another channel API only those exist.
- **Use `occurred_at`** for the time of an event. `at` is the sender's clock, and may be hours off.
- **Columns are only added**, at the end, with the version that added them. A column is never renamed, retyped or
  removed; if it is no longer sent, it is empty. Files keep the columns of their time, and the table's log has all of
  them. Fields without a column are in `other`.
- **Typed columns** (version 5) have the value of an older column in a better type: whole minor units as integers,
  `starts` as a timestamp, `team_pass` as a boolean. They are empty in files of earlier versions until a join or an
  erasure rewrites those. `views.sql` fills them in all rows.
- **Erasure.** `touchline user erase` empties a person's `user_id` and `user_email`, and removes every other text and
  field name that contains their address, at any depth, from the queue, dead letters and shipped files. A required text
  becomes `erased`. Rows stay, so that counts are unchanged. Affected files are rewritten, once for all people who wait,
  while shipping continues. `_people` has a filter of the people in each file, an object for each day, so that others are
  not read. Old files, also of earlier versions, are deleted an hour later; versions that need them cannot be read then.
  Columns marked *personal* identify a person. HTTP sinks must be erased by their own means. A damaged queue
  (`damaged-*`) is not erased: delete it.
- **HTTP sinks** receive the tables that browsers fill and `viewing`, which no browser may send. A URL that ends in
  `/batch` receives `{sent_at, events: [{id, path, at, body}]}` like the worker's own call; any other URL is the base of
  `POST <path>`, whose body is one event: `path` is the table's call below. Headers: `Touchline-Schema` (the newest
  version in the columns *since*), and for a single event `Idempotency-Key` (its id) and `Touchline-Occurred-At`. A body
  has the table's columns as the sender named them, without `event_id`, `at`, `received_at` and `occurred_at`. Of two
  bodies of a `viewing`, the one with the later time counts. An event may arrive more than once, with the same id.
- **Signatures.** With `datalake.sink_secret`, each request to an HTTP sink has `Touchline-Signature: t=SECONDS,v1=HEX`.
  HEX is the HMAC-SHA256, by the secret, of `SECONDS.ID.TIME.` and the body as it was sent. ID and TIME are the values of
  `Idempotency-Key` and `Touchline-Occurred-At`, empty for a batch. A receiver compares in constant time, refuses SECONDS
  that are more than five minutes off, and answers 401, so that nothing is lost. While the secret changes it takes both.
- **Answers of HTTP sinks.** An event that the sink rejects (400, 409, 410, 413, 415, 422, or `rejected` in a batch's
  answer) is a dead letter. A batch that it rejects as a whole is halved until the faulty event is alone, and the others
  ship. Any other answer (401, 403, 404, 408, 429, 5xx and others) is retried after at most a minute, or as
  `Retry-After` says.
- **Joining.** Each hour the small files of a day are joined into files of up to 32 MiB, in the order of `occurred_at`,
  in one commit. Their parts are deleted seven days later, so every version can be read that long. The log has the
  number of rows of each file, and the range of `event_id`, `at`, `received_at` and `occurred_at`, so that a query of a
  period reads few files.
- **Dimensions** have a row for each version. The views have the current one of each id. In Polars and pandas, take it
  before a join, or rows double.
";

const READERS: &str = "\
## Readers

| reader | events of a day; current games | tried |
|---|---|---|
| DuckDB, after `views.sql` | `FROM lake_event(TIMESTAMPTZ '2026-10-01 00:00Z', TIMESTAMPTZ '2026-10-02 00:00Z')`; `FROM event_dim` | by a test |
| Polars | `pl.scan_delta('lake/event').filter(pl.col('occurred_at').is_between(since, until, 'left'))`; `pl.scan_delta('lake/event_dim').sort('occurred_at').unique(['channel', 'id'], keep='last')` | by a test |
| pandas | `db.sql('FROM lake_event(…)').df()` and `db.sql('FROM event_dim').df()` of DuckDB | no |
| Spark | `spark.read.format('delta').load('lake/event')` | no |

`lake_event` and the other macros of `views.sql` read only the files whose times meet the period. A glob
(`lake/event/received_date=*/*.parquet`) counts wrongly, since it also finds files that a join or an erasure replaced.
`lake/event/**/*.parquet` cannot be read: it also finds the checkpoints of the log, which the Delta format requires.

";

const EVENT_NAMES: &str = "\
## Names of events

The queries below and the priorities of a full queue use these names. Other names are stored unchanged. Each event's
`extras` have a [JSON Schema](contracts/events.json) with a version. A row has the newest version of its time.

| table | `event` | when |
|---|---|---|
| `event` | `visit` | a page was opened; `extras` has its route `page`, its `name`, its `group` of screens and the `previous` page; on the page of one product also `product_type` (`event`, `vod`, `package`, `subscription`) and `product_id` |
| `event` | `purchase` | the browser saw an order paid (a claim; the books are `order_event`); `extras` has `transaction_id`, `value` (base price − discount + tax, minor units), `tax`, `discount`, `currency`, `items` |
| `event` | `registered`, `logged_in` | a person registered, or logged in on a device; `extras` has the `method`. A device that a code logs in has none |
| `event` | `favorite_added`, `favorite_removed` | a favourite changed; `extras` has `favoritable_type` and `favoritable_id` |
| `event` | `clip_created`, `clip_shared` | a clip was queued, or its share button pressed; `extras` has the `clip_id` |
| `event` | `searched` | results were displayed for 1.5 s; `extras` has the `query` and the number of `results`. What looks like an email address, a phone number or a card is `[private]` |
| `event` | `cancellation_opened`, `subscription_cancelled` | a subscription's cancellation was opened, or auto-renew turned off; `extras` has the `subscription_id` |
| `event` | `consent_given` | the viewer allowed analytics. `consent_refused` is only in `event_count` |
| `video_event` | `opened`, `first_frame_shown`, `played`, `paused`, `stalled`, `seeked`, `ended`, `failed`, `closed` | an action of the player; `extras` has the `position` in seconds, or the `code` of a failure |
| `video_event` | `preroll_started`, `preroll_first_quartile`, `preroll_midpoint`, `preroll_third_quartile`, `preroll_ended` | first frame, quartiles and last frame of a preroll; `stream_id` is the preroll's |
| `video_event` | `preroll_skipped`, `preroll_failed` | the viewer skipped it, if the channel allows it; it failed to load or play, and the video continued: `extras` has the `code` (`unanswered`, `answer_404`, `address_403`, `body`, `decoder`, or `stalled`) |

";

const QUERIES: [(&str, &str); 22] = [
    ("Views", include_str!("../queries/views.sql")),
    ("Concurrent viewers by minute and game", include_str!("../queries/concurrent_viewers.sql")),
    ("Watch time by sport", include_str!("../queries/watch_time_by_sport.sql")),
    ("Watch time by event", include_str!("../queries/watch_time_by_event.sql")),
    ("Watch time by clip", include_str!("../queries/watch_time_by_clip.sql")),
    ("Clips seen, shared and watched", include_str!("../queries/clips.sql")),
    ("Retention by week", include_str!("../queries/retention_by_week.sql")),
    ("Conversion by tracking value", include_str!("../queries/conversion_by_trk.sql")),
    ("Visit to registration to purchase", include_str!("../queries/visit_to_purchase.sql")),
    ("What viewers did, by day", include_str!("../queries/viewer_events.sql")),
    ("Consent", include_str!("../queries/consent.sql")),
    ("Purchase funnel", include_str!("../queries/purchase_funnel.sql")),
    ("Payment funnel", include_str!("../queries/payment_funnel.sql")),
    ("Revenue by product and day", include_str!("../queries/revenue.sql")),
    ("Trial conversion", include_str!("../queries/trial_conversion.sql")),
    ("Churn", include_str!("../queries/churn.sql")),
    ("Preroll completion", include_str!("../queries/preroll_completion.sql")),
    ("Playback quality", include_str!("../queries/playback_quality.sql")),
    ("Buffering by country and device", include_str!("../queries/buffering_by_country_device.sql")),
    ("Endings of viewings", include_str!("../queries/playback_endings.sql")),
    ("Renditions by height", include_str!("../queries/renditions_over_time.sql")),
    ("Player errors", include_str!("../queries/playback_errors.sql")),
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
    text.push_str(READERS);
    text.push_str("## Tables\n\n");
    for table in Table::ALL {
        let filled = if table.is_sent_by_browsers() {
            format!("Filled by `{}`.", table.path())
        } else if table.is_of_books() {
            "Written by the worker only.".to_owned()
        } else {
            format!("Written by the worker only. HTTP sinks receive it at `{}`.", table.path())
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
        "## Worked queries\n\nFor DuckDB; the files are in `worker/datalake/queries`. The queries after the views are standard SQL, except \
         for functions of time, and run on the views of any engine. `watched`, and `watched_time` and `stalled_time` of \
         `viewing`, are in `views.sql` only. A test compares each query with a simulated month of known figures \
         (`worker/datalake/truth`).\n",
    );
    for (title, sql) in QUERIES {
        let _ = write!(text, "\n### {title}\n\n```sql\n{sql}```\n");
    }
    text
}

/// The views in standard SQL, over tables that an engine has registered in a schema `lake`.
pub fn standard_views() -> String {
    let mut text = "\
-- Generated from worker/datalake/src/schema.rs. The views in standard SQL, over the Delta tables registered in lake
-- under their names. They keep one row per event_id, the last row of a viewing, and the newest row per id of a dimension.
"
    .to_owned();
    for table in Table::ALL {
        let names = || schema::columns(table).iter().map(|column| column.name).chain([schema::PARTITION]);
        let selected: Vec<_> = names().map(|name| if name == "at" { "sender_at" } else { name }).collect();
        // Double quotes mark a string in Spark and BigQuery. After a dot, `at` needs no quotes in any engine.
        let read = schema::columns(table).iter().map(standard_column).chain([schema::PARTITION.to_owned()]);
        let read: Vec<_> = read.collect();
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
            selected.join(", "),
            read.join(", "),
        );
    }
    text
}

/// A column of a standard SQL view. A derived one is computed for rows of files that do not have it. Engines parse
/// moments differently, so those stay empty.
fn standard_column(column: &Column) -> String {
    let name = column.name;
    match (column.source, column.kind) {
        (Source::Derived(from), Kind::Integer) => {
            format!("COALESCE(r.{name}, CAST(r.{from} AS BIGINT)) AS {name}")
        }
        (Source::Derived(from), Kind::Flag) => format!("COALESCE(r.{name}, CAST(r.{from} AS BOOLEAN)) AS {name}"),
        _ if name == "at" => "r.at AS sender_at".to_owned(),
        _ => name.to_owned(),
    }
}

fn row(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Text => "text",
        Kind::Json => "text (JSON)",
        Kind::Number => "double",
        Kind::Integer => "bigint",
        Kind::Flag => "boolean",
        Kind::Moment => "timestamp",
    };
    let always = if column.required { " Required." } else { "" };
    let personal = if column.personal { " *Personal.*" } else { "" };
    let Column { name, unit, meaning, since, .. } = column;
    format!("| `{name}` | {kind} | {unit} | {meaning}{always}{personal} | {since} |\n")
}
