-- What the counters of the hardware have counted in one repetition of a measured point.

ALTER TABLE measurement ADD COLUMN counters TEXT; -- JSON
