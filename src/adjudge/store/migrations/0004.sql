-- The number of the label, of the same run and person, that this entry takes back; NULL where the entry is a label.
ALTER TABLE labels ADD COLUMN withdraws BIGINT;

CREATE INDEX labels_by_person ON labels (run, annotator, number);

CREATE UNIQUE INDEX labels_withdrawn ON labels (run, withdraws);
