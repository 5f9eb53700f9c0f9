-- A person's own kernel that a run measured, as it was given: the source, and what else its request has of it.

ALTER TABLE run ADD COLUMN kernel TEXT; -- JSON
