-- Numbers of runs from their ids; points, which measurements refer to; samples and environments in tables of their own; plain
-- indexes in place of `term`, `run_term` and `listing`; sweeps and tokens. run_number, canonical_axes, searchable and sha256 are
-- functions of db/sql_functions.c.

DROP TABLE search;
DROP TABLE listing;
DROP TABLE run_term;
DROP TABLE term;
DROP INDEX run_created_at;
DROP INDEX idempotency_key_run;
DROP INDEX idempotency_key_at;
ALTER TABLE run RENAME TO old_run;
ALTER TABLE measurement RENAME TO old_measurement;
ALTER TABLE span RENAME TO old_span;
ALTER TABLE warning RENAME TO old_warning;
ALTER TABLE note RENAME TO old_note;
ALTER TABLE idempotency_key RENAME TO old_idempotency_key;

-- Runs that were requested together.
CREATE TABLE sweep (
    number       INTEGER PRIMARY KEY, -- as for runs
    id           TEXT    NOT NULL UNIQUE,
    experiment   TEXT    NOT NULL,
    request      TEXT    NOT NULL, -- JSON
    tags         TEXT    NOT NULL, -- JSON
    note         TEXT    NOT NULL,
    requested_by TEXT,
    created_at   INTEGER NOT NULL,
    cancelled_at INTEGER,
    total        INTEGER NOT NULL  -- runs
) STRICT;

-- Distinct names of the devices of a run, sorted and joined with " + "; "" where unknown.
CREATE TABLE model (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE run (
    number            INTEGER PRIMARY KEY, -- the 60 bits of time and counter in the id, so lists have the order of ids
    id                TEXT    NOT NULL UNIQUE,
    revision          INTEGER NOT NULL DEFAULT 1,
    experiment        TEXT    NOT NULL,
    status            TEXT    NOT NULL
        CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
    created_at        INTEGER NOT NULL,    -- µs since 1970, like all times
    clock_set_back    INTEGER NOT NULL DEFAULT 0 CHECK (clock_set_back IN (0, 1)), -- created_at is less than that of the run before
    started_at        INTEGER,
    finished_at       INTEGER,
    sweep             INTEGER REFERENCES sweep,
    model             INTEGER NOT NULL REFERENCES model,
    environment_key   INTEGER,             -- equal for runs whose driver, clocks and versions are equal
    pinned            INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    contended         INTEGER NOT NULL DEFAULT 0 CHECK (contended IN (0, 1)),
    priority          TEXT    NOT NULL DEFAULT 'normal' CHECK (priority IN ('normal', 'low')),
    requested_by      TEXT,
    time_limit_s      REAL    NOT NULL DEFAULT 0,
    estimate_s        REAL    NOT NULL DEFAULT 0,
    measurement_count INTEGER NOT NULL DEFAULT 0,
    wrong_count       INTEGER NOT NULL DEFAULT 0,
    host              TEXT    NOT NULL,
    devices           TEXT    NOT NULL,    -- JSON: [{id, name, node}]
    parameters        TEXT    NOT NULL,    -- JSON
    tags              TEXT    NOT NULL,    -- JSON
    note              TEXT    NOT NULL,
    headline          TEXT,                -- JSON
    compare_with      TEXT,                -- JSON
    error             TEXT                 -- JSON
) STRICT;

CREATE INDEX run_experiment ON run (experiment);
CREATE INDEX run_status ON run (status) WHERE status <> 'succeeded';
CREATE INDEX run_pinned ON run (experiment, model) WHERE pinned = 1; -- few; comparisons look for the newest
CREATE INDEX run_sweep ON run (sweep) WHERE sweep IS NOT NULL;
CREATE INDEX run_clock_set_back ON run (clock_set_back) WHERE clock_set_back = 1;

CREATE TABLE environment (
    run     INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    content TEXT    NOT NULL -- JSON
) STRICT;

-- Ids and names of each run's devices. Without a foreign key, which would need another index as large as the table.
CREATE TABLE run_device (
    device     TEXT    NOT NULL,
    run        INTEGER NOT NULL,
    experiment TEXT    NOT NULL, -- that of the run
    PRIMARY KEY (device, run)
) STRICT, WITHOUT ROWID;

-- Many runs match a device and many an experiment, but some experiments never run on some devices.
CREATE INDEX run_device_experiment ON run_device (device, experiment);

CREATE TABLE run_tag (
    tag TEXT    NOT NULL,
    run INTEGER NOT NULL,
    PRIMARY KEY (tag, run)
) STRICT, WITHOUT ROWID;

-- The text of each run, at rowid -number: ascending rowids are newest first. Contentless: the text follows from the run's row.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', columnsize = 0, tokenize = 'trigram');

-- What is measured: the same point of every run has the same id.
CREATE TABLE point (
    id         INTEGER PRIMARY KEY,
    experiment TEXT    NOT NULL,
    metric     TEXT    NOT NULL,
    unit       TEXT    NOT NULL,
    axes       TEXT    NOT NULL, -- JSON, with its members in the order in which they are shown
    canonical  TEXT    NOT NULL, -- the same with its members sorted by name
    UNIQUE (experiment, metric, unit, canonical)
) STRICT;

CREATE TABLE measurement (
    run          INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    point        INTEGER NOT NULL REFERENCES point,
    model        INTEGER NOT NULL REFERENCES model, -- that of the run
    side         TEXT    CHECK (side IN ('base', 'head')),
    n            INTEGER NOT NULL,
    median       REAL,
    q1           REAL,
    q3           REAL,
    min          REAL,
    max          REAL,
    mean         REAL,
    stdev        REAL,
    noise        REAL,
    stop_reason  TEXT,
    verified     INTEGER CHECK (verified IN (0, 1)),
    wrong        INTEGER NOT NULL DEFAULT 0,
    cache        TEXT,
    numa_node    INTEGER,
    sample_count INTEGER NOT NULL DEFAULT 0, -- stored in `samples`
    peak         TEXT, -- JSON
    conditions   TEXT, -- JSON
    kernel       TEXT, -- JSON
    rounds       TEXT, -- JSON
    skipped      TEXT,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX measurement_point ON measurement (point, model, run);

-- A table with rowids, so that samples are read incrementally.
CREATE TABLE samples (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL,
    position INTEGER NOT NULL,
    content  BLOB    NOT NULL, -- little-endian float64 in the point's unit
    UNIQUE (run, position),
    FOREIGN KEY (run, position) REFERENCES measurement ON DELETE CASCADE
) STRICT;

CREATE TABLE span (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position INTEGER NOT NULL,
    lane     TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    label    TEXT,
    axes     TEXT,    -- JSON
    start_ns INTEGER NOT NULL,
    end_ns   INTEGER NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE warning (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_key (
    key    TEXT    PRIMARY KEY,
    digest BLOB    NOT NULL, -- SHA-256 of the request as canonical JSON
    run    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_run ON idempotency_key (run);
CREATE INDEX idempotency_key_at ON idempotency_key (at);

CREATE TABLE token (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT    NOT NULL,
    role         TEXT    NOT NULL,
    hash         BLOB    NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;

-- The runs: their numbers grow with their ids, also where two ids have the same time. Names of devices are those in the
-- recorded environment.
CREATE TABLE moved (
    old     INTEGER PRIMARY KEY,
    number  INTEGER NOT NULL,
    devices TEXT    NOT NULL,
    model   TEXT    NOT NULL DEFAULT ''
) STRICT;

INSERT INTO moved(old, number, devices)
SELECT number, max(tick - place) OVER (ORDER BY place) + place,
    (SELECT json_group_array(json_object('id', device.value, 'name',
            (SELECT json_extract(known.value, '$.name') FROM json_each(environment, '$.devices') AS known
             WHERE json_extract(known.value, '$.id') = device.value),
        'node', NULL))
     FROM json_each(devices) AS device)
FROM (SELECT number, coalesce(run_number(id), created_at / 1000 << 12) AS tick, row_number() OVER (ORDER BY id) AS place,
          iif(json_valid(devices), devices, '[]') AS devices, iif(json_valid(environment), environment, NULL) AS environment
      FROM old_run);

UPDATE moved SET model = (SELECT coalesce(group_concat(name, ' + '), '') FROM
    (SELECT DISTINCT json_extract(value, '$.name') AS name FROM json_each(devices) WHERE name IS NOT NULL ORDER BY name));
INSERT INTO model(name) SELECT DISTINCT model FROM moved;

INSERT INTO run(number, id, revision, experiment, status, created_at, started_at, finished_at, model, pinned, contended,
    time_limit_s, measurement_count, wrong_count, host, devices, parameters, tags, note, error)
SELECT moved.number, old_run.id, revision, experiment, status, created_at, max(started_at, created_at),
    max(finished_at, coalesce(started_at, created_at), created_at), model.id,
    pinned, contended, time_limit_s, measurement_count, wrong_count, host, moved.devices, parameters,
    iif(json_valid(tags), tags, '[]'), note, error
FROM moved JOIN old_run ON old_run.number = old JOIN model ON model.name = moved.model ORDER BY moved.number;

INSERT INTO environment(run, content)
SELECT moved.number, environment FROM moved JOIN old_run ON old_run.number = old WHERE environment IS NOT NULL
ORDER BY moved.number;

INSERT INTO run_device(device, run, experiment)
SELECT json_extract(value, '$.id'), number, experiment FROM run JOIN json_each(devices)
UNION SELECT json_extract(value, '$.name'), number, experiment FROM run JOIN json_each(devices)
WHERE json_extract(value, '$.name') IS NOT NULL;

INSERT INTO run_tag(tag, run) SELECT DISTINCT value, number FROM run JOIN json_each(tags);

INSERT INTO search(rowid, words)
SELECT -number, searchable(experiment || char(10) || model.name || char(10)
    || coalesce((SELECT group_concat(value, char(10)) FROM json_each(tags)) || char(10), '') || note)
FROM run JOIN model ON model.id = run.model ORDER BY number DESC;

INSERT INTO point(experiment, metric, unit, axes, canonical)
SELECT experiment, metric, unit, axes, canonical_axes(axes)
FROM old_measurement JOIN old_run ON old_run.number = run WHERE true ORDER BY run, position
ON CONFLICT DO NOTHING;

INSERT INTO measurement(run, position, point, model, n, median, q1, q3, min, max, mean, stdev, noise, stop_reason, verified,
    wrong, cache, numa_node, sample_count, peak, conditions, kernel, skipped)
SELECT run.number, position, point.id, run.model, n, median, q1, q3, min, max, mean, stdev, noise, stop_reason, verified,
    wrong, cache, numa_node, coalesce(length(samples), 0) / 8, peak, conditions, kernel, skipped
FROM moved JOIN run ON run.number = moved.number JOIN old_measurement AS m ON m.run = old
JOIN point ON point.experiment = run.experiment AND point.metric = m.metric AND point.unit = m.unit
    AND point.canonical = canonical_axes(m.axes)
ORDER BY run.number, position;

INSERT INTO samples(run, position, content)
SELECT moved.number, position, samples FROM moved JOIN old_measurement AS m ON m.run = old WHERE samples IS NOT NULL
ORDER BY moved.number, position;

INSERT INTO span(run, position, lane, kind, label, axes, start_ns, end_ns)
SELECT number, position, lane, kind, label, axes, start_ns, end_ns FROM old_span JOIN moved ON old = run;
INSERT INTO warning(run, position, text) SELECT number, position, text FROM old_warning JOIN moved ON old = run;
INSERT INTO note(run, position, text) SELECT number, position, text FROM old_note JOIN moved ON old = run;
INSERT INTO idempotency_key(key, digest, run, at)
SELECT key, sha256(body), number, at FROM old_idempotency_key JOIN moved ON old = run;

DROP TABLE moved;
DROP TABLE old_idempotency_key;
DROP TABLE old_note;
DROP TABLE old_warning;
DROP TABLE old_span;
DROP TABLE old_measurement;
DROP TABLE old_run;
