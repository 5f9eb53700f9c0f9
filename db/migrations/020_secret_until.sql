-- A run of an own kernel can be secret until a time: only its person and admins know of it.

ALTER TABLE run ADD COLUMN secret_until INTEGER; -- microseconds since 1970
