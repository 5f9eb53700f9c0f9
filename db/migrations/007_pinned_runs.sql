-- The pinned runs of an experiment and a device model: they are few, and comparisons look for the newest one.

CREATE INDEX run_pinned ON run (experiment, model) WHERE pinned = 1;
