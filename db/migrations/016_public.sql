-- Whether the lab shows the whole run to anonymous clients (server/api/anonymous.c).
ALTER TABLE run ADD COLUMN public INTEGER NOT NULL DEFAULT 0 CHECK (public IN (0, 1));
