-- Facts about a run that are no warnings, such as the version of a library.

CREATE TABLE note (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
