-- What the samples of a measurement look like, and their noise as the distance of the quartiles / median; it was the standard
-- deviation / mean. A measurement without a standard deviation was not sampled: its noise is that of a fit.

ALTER TABLE measurement ADD COLUMN shape TEXT; -- JSON

UPDATE measurement SET shape = (SELECT sample_shape(s.content) FROM samples AS s WHERE s.run = measurement.run
    AND s.position = measurement.position) WHERE sample_count > 0;
UPDATE measurement SET noise = iif(q1 = q3, 0, abs((q3 - q1) / median)) WHERE stdev IS NOT NULL AND q1 IS NOT NULL AND q3 IS NOT NULL;
