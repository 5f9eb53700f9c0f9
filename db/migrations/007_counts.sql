-- How many rows there are, kept by triggers, because counting them would read them all: the runs of each status, under its name;
-- measurements; samples.

CREATE TABLE count (
    name  TEXT    PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO count(name, value) VALUES
    ('queued', 0), ('running', 0), ('succeeded', 0), ('failed', 0), ('cancelled', 0), ('interrupted', 0),
    ('measurements', (SELECT count(*) FROM measurement)),
    ('samples', (SELECT coalesce(sum(sample_count), 0) FROM measurement));
UPDATE count SET value = counted.runs
FROM (SELECT status, count(*) AS runs FROM run GROUP BY status) AS counted WHERE count.name = counted.status;

CREATE TRIGGER count_new_run AFTER INSERT ON run BEGIN
    UPDATE count SET value = value + 1 WHERE name = new.status;
END;
CREATE TRIGGER count_deleted_run AFTER DELETE ON run BEGIN
    UPDATE count SET value = value - 1 WHERE name = old.status;
END;
CREATE TRIGGER count_changed_run AFTER UPDATE OF status ON run BEGIN
    UPDATE count SET value = value - 1 WHERE name = old.status;
    UPDATE count SET value = value + 1 WHERE name = new.status;
END;

CREATE TRIGGER count_new_measurement AFTER INSERT ON measurement BEGIN
    UPDATE count SET value = value + 1 WHERE name = 'measurements';
    UPDATE count SET value = value + new.sample_count WHERE name = 'samples';
END;
CREATE TRIGGER count_changed_measurement AFTER UPDATE OF sample_count ON measurement BEGIN
    UPDATE count SET value = value + new.sample_count - old.sample_count WHERE name = 'samples';
END;
CREATE TRIGGER count_deleted_measurement AFTER DELETE ON measurement BEGIN
    UPDATE count SET value = value - 1 WHERE name = 'measurements';
    UPDATE count SET value = value - old.sample_count WHERE name = 'samples';
END;
