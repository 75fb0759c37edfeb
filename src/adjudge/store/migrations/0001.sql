-- Types are spelled so that SQLite and PostgreSQL read them alike: BIGINT and DOUBLE PRECISION hold 64 bits in both.

CREATE TABLE judges (
    digest TEXT PRIMARY KEY,
    files TEXT NOT NULL
);

CREATE TABLE datasets (
    digest TEXT PRIMARY KEY
);

CREATE TABLE items (
    dataset TEXT NOT NULL REFERENCES datasets (digest),
    position BIGINT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (dataset, position),
    UNIQUE (dataset, id)
);

-- totals is NULL while it may still change: it is then computed from calls and outcomes.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    dataset TEXT NOT NULL REFERENCES datasets (digest),
    manifest TEXT NOT NULL,
    spec TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'partial', 'interrupted')),
    seconds DOUBLE PRECISION NOT NULL,
    finished TEXT,
    summary TEXT NOT NULL,
    totals TEXT
);

-- The processes that work at a run just now.
CREATE TABLE runners (
    run TEXT NOT NULL REFERENCES runs (id),
    owner TEXT NOT NULL,
    host TEXT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    beat DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (run, owner)
);

-- Which of them has taken which part of the run upon itself, and whether it is through with it.
CREATE TABLE shares (
    run TEXT NOT NULL REFERENCES runs (id),
    part BIGINT NOT NULL,
    owner TEXT NOT NULL,
    done BIGINT NOT NULL,
    PRIMARY KEY (run, part)
);

-- What any run may reuse: complete replies only, the first one stored under a key.
CREATE TABLE replies (
    key TEXT PRIMARY KEY,
    body TEXT NOT NULL
);

-- reply is NULL when the run's reply is the shared one of the same key. spent_* is what this run paid for;
-- spent_pico (10^-12 USD, whole, so that a sum does not depend on its order) is NULL when the price is unknown.
CREATE TABLE calls (
    run TEXT NOT NULL REFERENCES runs (id),
    key TEXT NOT NULL,
    first_position BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    stage TEXT NOT NULL,
    repeat BIGINT NOT NULL,
    call TEXT NOT NULL,
    cached BIGINT NOT NULL,
    spent_in BIGINT NOT NULL,
    spent_out BIGINT NOT NULL,
    spent_pico BIGINT,
    finish TEXT,
    reply TEXT,
    step TEXT,
    kind TEXT,
    message TEXT,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (run, key)
);

CREATE INDEX calls_by_position ON calls (run, first_position, last_position);

CREATE TABLE outcomes (
    run TEXT NOT NULL REFERENCES runs (id),
    position BIGINT NOT NULL,
    judged BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, position)
);

CREATE INDEX outcomes_by_kind ON outcomes (run, judged);

-- What the batches of a run say of their items as a whole, in the order of the dataset.
CREATE TABLE summaries (
    run TEXT NOT NULL REFERENCES runs (id),
    position BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, position)
);

CREATE TABLE labels (
    run TEXT NOT NULL REFERENCES runs (id),
    number BIGINT NOT NULL,
    item TEXT NOT NULL,
    candidate TEXT NOT NULL,
    criterion TEXT NOT NULL,
    annotator TEXT NOT NULL,
    value TEXT NOT NULL,
    comment TEXT NOT NULL,
    added TEXT NOT NULL,
    PRIMARY KEY (run, number)
);

CREATE INDEX labels_by_place ON labels (run, item, candidate, criterion, annotator, number);
