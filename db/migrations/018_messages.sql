-- What compilers say of the files of a whole program.

ALTER TABLE run ADD COLUMN messages TEXT; -- JSON
