-- When a call was done, in milliseconds since 1970; NULL where it was done before this was noted, or copied from a twin.
ALTER TABLE calls ADD COLUMN time_ms BIGINT;
