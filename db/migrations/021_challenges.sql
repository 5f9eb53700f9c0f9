-- Challenges: a problem that is published until a time, and which runs are submissions to it.

CREATE TABLE challenge (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- no id is used twice
    name       TEXT    NOT NULL UNIQUE,
    title      TEXT    NOT NULL,
    text       TEXT    NOT NULL, -- Markdown
    kernel     TEXT    NOT NULL, -- JSON: the kernel of a request, without its source
    start      TEXT    NOT NULL, -- the source with which people begin
    score      TEXT    NOT NULL CHECK (score IN ('time', 'peak')),
    shows      TEXT    NOT NULL, -- JSON: what is visible before closes_at
    created_by TEXT,
    created_at INTEGER NOT NULL,
    opens_at   INTEGER,          -- NULL: created_at
    closes_at  INTEGER NOT NULL
) STRICT;

ALTER TABLE run ADD COLUMN challenge INTEGER REFERENCES challenge; -- the run is a submission
CREATE INDEX run_challenge ON run (challenge) WHERE challenge IS NOT NULL;

-- The ends of secret times are looked for each second.
CREATE INDEX run_secret_until ON run (secret_until) WHERE secret_until IS NOT NULL;
