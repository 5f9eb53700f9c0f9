-- Runs, and what they are searched by.

-- `number` orders runs as their ids do, so that one integer serves as key, order and place in the search index. It is the
-- millisecond of creation, moved on where that one is taken; 42 bits last until 2109.
CREATE TABLE run (
    number            INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4398046511102),
    id                TEXT    NOT NULL UNIQUE,
    revision          INTEGER NOT NULL DEFAULT 1,
    experiment        TEXT    NOT NULL,
    status            TEXT    NOT NULL
        CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
    pinned            INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    contended         INTEGER NOT NULL DEFAULT 0 CHECK (contended IN (0, 1)),
    created_at        INTEGER NOT NULL, -- µs since 1970, as all times; never runs against `number`
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
    words             TEXT    NOT NULL DEFAULT '', -- exactly what stands in `search`, which must be told it to forget it
    environment       TEXT              -- JSON; last, because it is long
) STRICT;

CREATE INDEX run_created_at ON run (created_at);

-- Everything a list can be narrowed by: experiments, devices, statuses and tags by name. 21 bits, to fit into `search`.
CREATE TABLE term (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 2097151),
    kind   TEXT    NOT NULL CHECK (kind IN ('experiment', 'device', 'status', 'tag')),
    name   TEXT    NOT NULL,
    UNIQUE (kind, name)
) STRICT;

-- The terms of a run, and for each kind the term 0, which stands for "any".
CREATE TABLE run_term (
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT    NOT NULL,
    term INTEGER NOT NULL,
    PRIMARY KEY (run, kind, term)
) STRICT, WITHOUT ROWID;

-- One row for every combination of conditions that a run meets, "any" among them: each question a list can ask, with or
-- without a bound on the run, is one contiguous range of this key, and an empty answer is an empty range. A run on one device
-- without tags has 2*2*2*1 = 8 rows; each tag adds 8 more.
CREATE TABLE listing (
    experiment INTEGER NOT NULL,
    device     INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    tag        INTEGER NOT NULL,
    run        INTEGER NOT NULL, -- no foreign key: finding the children would need another index as large as this
    PRIMARY KEY (experiment, device, status, tag, run)
) STRICT, WITHOUT ROWID;

-- The text of each run once under each of its terms and once under 0, at rowid term * 2^42 + (2^42 - 1 - run): text and a term
-- together are one phrase in one range of rowids, newest first. The index alone; the text is in run.words.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', columnsize = 0, tokenize = 'trigram');

CREATE TABLE idempotency_key (
    key  TEXT    PRIMARY KEY,
    body TEXT    NOT NULL, -- digest of the request
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_run ON idempotency_key (run);
CREATE INDEX idempotency_key_at ON idempotency_key (at);
