CREATE TABLE search_documents (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, words TSVECTOR NOT NULL,
    title TEXT COLLATE "C" NOT NULL, body TEXT COLLATE "C" NOT NULL, comments TEXT COLLATE "C" NOT NULL,
    room INTEGER,
    PRIMARY KEY (account_id, project_id, number),
    FOREIGN KEY (account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

ALTER TABLE search_documents ALTER COLUMN words SET STORAGE MAIN

CREATE INDEX ix_search_documents_words ON search_documents USING gin (words)
    WITH (gin_pending_list_limit = 256)

CREATE INDEX search_assigned ON tickets (account_id, assigned_user_id, updated_at, project_id, number, closed,
    state, milestone_id, importance)
