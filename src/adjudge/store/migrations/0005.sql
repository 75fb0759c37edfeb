-- The run whose calls and outcomes are this run's too: it was made again, and nothing of it was asked. NULL elsewhere.
ALTER TABLE runs ADD COLUMN twin TEXT REFERENCES runs (id);

-- The figures of a complete run and of all its twins, as the code of that digest made them.
CREATE TABLE reports (
    run TEXT PRIMARY KEY REFERENCES runs (id),
    made_by TEXT NOT NULL,
    body TEXT NOT NULL
);

-- Which dataset is in a file that was read; the key is a hash of its bytes and of all that decides how they are read.
CREATE TABLE files (
    key TEXT PRIMARY KEY,
    dataset TEXT NOT NULL REFERENCES datasets (digest),
    items BIGINT NOT NULL
);
