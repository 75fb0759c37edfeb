-- What an item gained in a run whose candidates were asked for their answers: an object to be joined to items.body.
CREATE TABLE answered (
    run TEXT NOT NULL REFERENCES runs (id),
    position BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, position)
);
