-- What people write about a run, and the marks that they set in time: what happened to a machine, such as a fan that was replaced.

CREATE TABLE comment (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- no id is used twice
    run        INTEGER REFERENCES run ON DELETE CASCADE, -- NULL: a mark
    node       TEXT,             -- of a mark: the machine that it is about; NULL: all
    at         INTEGER NOT NULL, -- of a mark: when it happened; of a comment: created_at
    created_at INTEGER NOT NULL,
    author     TEXT,             -- NULL: unknown
    text       TEXT    NOT NULL
) STRICT;

CREATE INDEX comment_run ON comment(run, at);
