-- Who is told of what: channels by which notices go out, what is watched for them, and the notices, which wait here until they
-- are delivered.

CREATE TABLE channel (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- no id is used twice
    name       TEXT    NOT NULL UNIQUE,
    kind       TEXT    NOT NULL CHECK (kind IN ('webhook', 'slack', 'matrix', 'email')),
    address    TEXT    NOT NULL,
    secret     TEXT,             -- webhook: of the signature; matrix: the token; email: USER:PASSWORD; NULL: none
    sender     TEXT,             -- email: addresses of sender and recipient
    recipient  TEXT,
    private    INTEGER NOT NULL CHECK (private IN (0, 1)), -- it may lead to private addresses
    created_at INTEGER NOT NULL,
    created_by TEXT
) STRICT;

CREATE TABLE watch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    channel    INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('slower', 'shift', 'limit', 'health', 'node', 'disk')),
    experiment TEXT,             -- of slower, shift and limit; NULL: any
    metric     TEXT,             -- the same
    low        REAL,             -- of limit: values outside of [low, high]
    high       REAL,
    created_at INTEGER NOT NULL,
    created_by TEXT
) STRICT;
CREATE INDEX watch_channel ON watch(channel);

CREATE TABLE notice (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    channel    INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    delivery   TEXT    NOT NULL UNIQUE, -- the same in each attempt, so that a receiver can tell them apart
    content    TEXT    NOT NULL,        -- JSON
    state      TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts   INTEGER NOT NULL,
    next_at    INTEGER NOT NULL,        -- of the next attempt, while it waits; else when it ended
    error      TEXT                     -- of the last attempt
) STRICT;
CREATE INDEX notice_due ON notice(next_at) WHERE state = 'waiting';
CREATE INDEX notice_channel ON notice(channel);
