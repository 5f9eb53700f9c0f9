-- The reason to stop sampling when the time budget was used up is "budget". It was "timed-out", which also names runs that
-- exceeded their time limit.

UPDATE measurement SET stop_reason = 'budget' WHERE stop_reason = 'timed-out';
