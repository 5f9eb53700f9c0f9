-- The kernel of a measurement. The table is copied, because ALTER TABLE would add the column behind `samples`.

CREATE TABLE measurement_with_kernel (
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
    kernel      TEXT,             -- JSON
    skipped     TEXT,
    samples     BLOB,             -- little-endian float64 in `unit`; the last column, so that summaries are read without it
    PRIMARY KEY (run, position)
) STRICT;

INSERT INTO measurement_with_kernel(run, position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise,
    stop_reason, verified, wrong, cache, numa_node, peak, conditions, skipped, samples)
SELECT run, position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise,
    stop_reason, verified, wrong, cache, numa_node, peak, conditions, skipped, samples
FROM measurement ORDER BY run, position;

DROP TABLE measurement;
ALTER TABLE measurement_with_kernel RENAME TO measurement;
