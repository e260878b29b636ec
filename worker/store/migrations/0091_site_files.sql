-- The files of the site's builds, so that a page of one build finds its files at a worker of another.
CREATE TABLE site_files (
    path TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    is_brotli BOOLEAN NOT NULL,
    served_at BIGINT NOT NULL
);
CREATE INDEX site_files_by_served_at ON site_files (served_at);
