CREATE TABLE search_places (
    place INTEGER PRIMARY KEY, account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, room INTEGER,
    UNIQUE (account_id, project_id, number),
    UNIQUE (account_id, updated_at, project_id, number),
    FOREIGN KEY (account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE VIRTUAL TABLE search_words USING fts5 (
    title, body, comments, place, columnsize=0, tokenize="ascii tokenchars '_'"
)

CREATE TRIGGER search_places_go AFTER DELETE ON search_places BEGIN
    DELETE FROM search_words WHERE rowid = old.place;
END

CREATE INDEX search_assigned ON tickets (account_id, assigned_user_id, updated_at, project_id, number, closed,
    state, milestone_id, importance, tag)
