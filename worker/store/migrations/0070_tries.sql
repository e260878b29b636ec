-- How often one may still try, where several workers count together: until when the tries of a subject are spent,
-- microseconds since 1970. Subjects are keyed hashes.
CREATE TABLE tries (
    subject TEXT NOT NULL PRIMARY KEY,
    spent_until BIGINT NOT NULL
);
CREATE INDEX tries_by_time ON tries (spent_until);
