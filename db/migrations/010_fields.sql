-- Fields of a run: values on a rectangle, which are drawn as a heat map.

CREATE TABLE field (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    content  TEXT    NOT NULL, -- JSON
    PRIMARY KEY (run, position)
) STRICT;
