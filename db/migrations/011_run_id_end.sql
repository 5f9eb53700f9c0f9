-- Finds runs by the end of their ids, which is random, while the beginning is the time.

CREATE INDEX run_id_end ON run (substr(id, -6));
