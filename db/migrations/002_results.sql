-- Results of runs, and settings.

CREATE TABLE measurement (
    run         INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    position    INTEGER NOT NULL,
    axes        TEXT    NOT NULL, -- JSON
    metric      TEXT    NOT NULL,
    unit        TEXT    NOT NULL,
    n           INTEGER NOT NULL,
    median      REAL,
    q1          REAL,
    q3          REAL,
    min         REAL,
    max         REAL,
    mean        REAL,
    stdev       REAL,
    noise       REAL,
    stop_reason TEXT,
    verified    INTEGER CHECK (verified IN (0, 1)),
    wrong       INTEGER NOT NULL DEFAULT 0,
    cache       TEXT,
    numa_node   INTEGER,
    peak        TEXT,             -- JSON
    conditions  TEXT,             -- JSON
    skipped     TEXT,
    samples     BLOB,             -- little-endian float64 in `unit`; the last column, so that summaries are read without it
    PRIMARY KEY (run, position)
) STRICT;

CREATE TABLE span (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    lane     TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    label    TEXT,
    axes     TEXT,    -- JSON
    start_ns INTEGER NOT NULL,
    end_ns   INTEGER NOT NULL,
    PRIMARY KEY (run, position)
) STRICT;

CREATE TABLE warning (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
