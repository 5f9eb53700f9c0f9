-- Runs and the index that lists of runs are read from.

-- `number` has the order of the ids, so one integer is key, sort order and part of the rowid in `search`. It is the millisecond
-- of creation, incremented where that number is taken; 42 bits last until 2109.
CREATE TABLE run (
    number            INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4398046511102),
    id                TEXT    NOT NULL UNIQUE,
    revision          INTEGER NOT NULL DEFAULT 1,
    experiment        TEXT    NOT NULL,
    status            TEXT    NOT NULL
        CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
    pinned            INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    contended         INTEGER NOT NULL DEFAULT 0 CHECK (contended IN (0, 1)),
    created_at        INTEGER NOT NULL, -- µs since 1970, like all times; has the order of `number`
    started_at        INTEGER,
    finished_at       INTEGER,
    time_limit_s      REAL    NOT NULL DEFAULT 0,
    host              TEXT    NOT NULL,
    devices           TEXT    NOT NULL, -- JSON
    parameters        TEXT    NOT NULL, -- JSON
    tags              TEXT    NOT NULL, -- JSON
    note              TEXT    NOT NULL,
    measurement_count INTEGER NOT NULL DEFAULT 0,
    wrong_count       INTEGER NOT NULL DEFAULT 0,
    error             TEXT,             -- JSON
    words             TEXT    NOT NULL DEFAULT '', -- the text in `search`, needed to delete it from there
    environment       TEXT              -- JSON; the last column, because it is long
) STRICT;

CREATE INDEX run_created_at ON run (created_at);

-- The names that runs are filtered by: experiments, devices, statuses and tags. 21 bits, to fit into the rowid of `search`.
CREATE TABLE term (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 2097151),
    kind   TEXT    NOT NULL CHECK (kind IN ('experiment', 'device', 'status', 'tag')),
    name   TEXT    NOT NULL,
    UNIQUE (kind, name)
) STRICT;

-- The terms of a run, and for each kind the term 0, which means "any".
CREATE TABLE run_term (
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT    NOT NULL,
    term INTEGER NOT NULL,
    PRIMARY KEY (run, kind, term)
) STRICT, WITHOUT ROWID;

-- One row for every combination of a run's terms, "any" included: every filter, with or without bounds on the run, is one
-- contiguous range of this key. A run on one device without tags has 2*2*2*1 = 8 rows; each tag adds 8.
CREATE TABLE listing (
    experiment INTEGER NOT NULL,
    device     INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    tag        INTEGER NOT NULL,
    run        INTEGER NOT NULL, -- no foreign key, because it would need another index as large as this one
    PRIMARY KEY (experiment, device, status, tag, run)
) STRICT, WITHOUT ROWID;

-- The text of each run, once for each of its terms and once for 0, at rowid term * 2^42 + (2^42 - 1 - run): a search for text
-- with a term is one range of rowids, newest first. Contentless: the text itself is in run.words.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', columnsize = 0, tokenize = 'trigram');

CREATE TABLE idempotency_key (
    key  TEXT    PRIMARY KEY,
    body TEXT    NOT NULL, -- the request as canonical JSON
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_run ON idempotency_key (run);
CREATE INDEX idempotency_key_at ON idempotency_key (at);
