-- The runs of a person are listed for that person.

CREATE INDEX run_requested_by ON run (requested_by);
