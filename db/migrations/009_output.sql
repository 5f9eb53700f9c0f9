-- What a person's own kernel printed: the end of the output of the run's worker.

ALTER TABLE run ADD COLUMN output TEXT;
