//! The datalake's events: what the browser tells of its use.
