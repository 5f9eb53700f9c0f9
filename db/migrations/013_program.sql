-- A whole program that a run executed, as it was given: its files or the name of a command, arguments, input and options.

ALTER TABLE run ADD COLUMN program TEXT; -- JSON

-- What else is known of a span, such as the bytes of a copy.

ALTER TABLE span ADD COLUMN details TEXT; -- JSON

-- What the timeline of a program shows, in sentences.

ALTER TABLE run ADD COLUMN findings TEXT; -- JSON
