-- The run whose calls and outcomes are this run's too: it was made again, and nothing of it was asked. NULL elsewhere.
ALTER TABLE runs ADD COLUMN twin TEXT REFERENCES runs (id);
