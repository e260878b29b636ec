-- Events of viewers and their counts leave once the queue has them: this index finds them among the rows of the books.
CREATE INDEX lake_rows_of_viewers ON lake_rows (id) WHERE lake_table IN ('event', 'event_count');
