CREATE TABLE account_logins (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, disabled_at BIGINT, removed_at BIGINT,
    CONSTRAINT pk_account_logins PRIMARY KEY (account_id, user_id)
)

CREATE TABLE account_members (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, id BIGINT NOT NULL, role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_account_members PRIMARY KEY (account_id, user_id),
    CONSTRAINT uq_account_members_account_id_id UNIQUE (account_id, id)
)

CREATE TABLE accounts (
    id BIGINT NOT NULL, name TEXT NOT NULL, host TEXT, created_at BIGINT NOT NULL, base_url TEXT, key TEXT,
    mail_secret TEXT, mail_secret_before TEXT,
    CONSTRAINT pk_accounts PRIMARY KEY (id),
    CONSTRAINT uq_accounts_host UNIQUE (host)
)

CREATE TABLE counters (
    account_id BIGINT NOT NULL, name TEXT NOT NULL, value BIGINT NOT NULL,
    CONSTRAINT pk_counters PRIMARY KEY (account_id, name)
)

CREATE TABLE feeds (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, user_id BIGINT NOT NULL, kind TEXT NOT NULL,
    project_id BIGINT, query TEXT NOT NULL, note TEXT NOT NULL, hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_feeds PRIMARY KEY (account_id, id),
    CONSTRAINT uq_feeds_account_id_hash UNIQUE (account_id, hash)
)

CREATE INDEX ix_feeds_account_id_user_id ON feeds (account_id, user_id)

CREATE TABLE guest_bytes (
    account_id BIGINT NOT NULL, day BIGINT NOT NULL, kind TEXT NOT NULL, owner_id BIGINT NOT NULL,
    size BIGINT NOT NULL,
    CONSTRAINT pk_guest_bytes PRIMARY KEY (account_id, day, kind, owner_id)
)

CREATE TABLE incoming_mails (
    account_id BIGINT NOT NULL, key TEXT NOT NULL, sender TEXT NOT NULL, answered SMALLINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_incoming_mails PRIMARY KEY (account_id, key)
)

CREATE INDEX ix_incoming_mails_account_id_created_at ON incoming_mails (account_id, created_at)

CREATE INDEX ix_incoming_mails_account_id_sender_created_at ON incoming_mails (account_id, sender,
    created_at)

CREATE TABLE invitations (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, hash TEXT NOT NULL, mailed_hash TEXT,
    email TEXT NOT NULL, name TEXT NOT NULL, role TEXT, project_id BIGINT, user_id BIGINT,
    creator_id BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT,
    CONSTRAINT pk_invitations PRIMARY KEY (account_id, id),
    CONSTRAINT uq_invitations_account_id_hash UNIQUE (account_id, hash)
)

CREATE TABLE leases (
    account_id BIGINT NOT NULL, owner TEXT NOT NULL, expires_at BIGINT NOT NULL, paused_at BIGINT,
    CONSTRAINT pk_leases PRIMARY KEY (account_id)
)

CREATE TABLE login_networks (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, network TEXT NOT NULL, used_at BIGINT NOT NULL,
    CONSTRAINT pk_login_networks PRIMARY KEY (account_id, user_id, network)
)

CREATE TABLE mail_changes (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL,
    reason BIGINT NOT NULL, first_version BIGINT NOT NULL, last_version BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    CONSTRAINT pk_mail_changes PRIMARY KEY (account_id, user_id, project_id, number)
)

CREATE INDEX ix_mail_changes_account_id_due_at ON mail_changes (account_id, due_at)

CREATE TABLE mail_outages (
    account_id BIGINT NOT NULL, tries BIGINT NOT NULL, since BIGINT NOT NULL, due_at BIGINT NOT NULL,
    failure TEXT NOT NULL,
    CONSTRAINT pk_mail_outages PRIMARY KEY (account_id)
)

CREATE TABLE mail_preferences (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, frequency TEXT NOT NULL, digest_due_at BIGINT,
    unsubscribe_code TEXT NOT NULL,
    CONSTRAINT pk_mail_preferences PRIMARY KEY (account_id, user_id),
    CONSTRAINT uq_mail_preferences_account_id_unsubscribe_code UNIQUE (account_id, unsubscribe_code)
)

CREATE TABLE mailed_links (
    account_id BIGINT NOT NULL, hash TEXT NOT NULL, kind TEXT NOT NULL, user_id BIGINT NOT NULL,
    email TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    CONSTRAINT pk_mailed_links PRIMARY KEY (account_id, hash)
)

CREATE INDEX ix_mailed_links_account_id_user_id ON mailed_links (account_id, user_id)

CREATE TABLE mails (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, kind TEXT NOT NULL, user_id BIGINT, email TEXT,
    content TEXT NOT NULL, created_at BIGINT NOT NULL, tries BIGINT NOT NULL, due_at BIGINT NOT NULL,
    failure TEXT, set_aside_at BIGINT,
    CONSTRAINT pk_mails PRIMARY KEY (account_id, id)
)

CREATE INDEX ix_mails_account_id_set_aside_at_id ON mails (account_id, set_aside_at, id)

CREATE TABLE projects (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, name TEXT NOT NULL, permalink TEXT NOT NULL,
    archived SMALLINT NOT NULL, public SMALLINT NOT NULL, mail_from_anyone SMALLINT DEFAULT '0' NOT NULL,
    description TEXT, description_html TEXT, license TEXT, open_states TEXT NOT NULL,
    closed_states TEXT NOT NULL, open_states_list TEXT NOT NULL, closed_states_list TEXT NOT NULL,
    default_assigned_user_id BIGINT, default_milestone_id BIGINT, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT pk_projects PRIMARY KEY (account_id, id)
)

CREATE TABLE removals (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL, membership_id BIGINT,
    successor_id BIGINT, creator_id BIGINT NOT NULL, created_at BIGINT NOT NULL, kept TEXT NOT NULL,
    CONSTRAINT pk_removals PRIMARY KEY (account_id, project_id, user_id)
)

CREATE TABLE repeats (
    account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    status TEXT NOT NULL, content_type TEXT NOT NULL, location TEXT, body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_repeats PRIMARY KEY (account_id, user_id, key)
)

CREATE INDEX ix_repeats_account_id_created_at ON repeats (account_id, created_at)

CREATE TABLE sessions (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, user_id BIGINT NOT NULL, hash TEXT NOT NULL,
    agent TEXT NOT NULL, address TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL,
    CONSTRAINT pk_sessions PRIMARY KEY (account_id, id),
    CONSTRAINT uq_sessions_account_id_hash UNIQUE (account_id, hash)
)

CREATE INDEX ix_sessions_account_id_user_id ON sessions (account_id, user_id)

CREATE TABLE tokens (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, user_id BIGINT NOT NULL, project_id BIGINT,
    read_only SMALLINT NOT NULL, note TEXT NOT NULL, hash TEXT NOT NULL, created_at BIGINT NOT NULL,
    revoked_at BIGINT, expires_at BIGINT, used_at BIGINT,
    CONSTRAINT pk_tokens PRIMARY KEY (account_id, id),
    CONSTRAINT uq_tokens_account_id_hash UNIQUE (account_id, hash)
)

CREATE TABLE users (
    id BIGINT NOT NULL, name TEXT NOT NULL, job TEXT NOT NULL, website TEXT NOT NULL,
    created_at BIGINT NOT NULL, avatar_code TEXT, avatar_type TEXT, avatar_size BIGINT, disabled_at BIGINT,
    language TEXT, time_zone TEXT,
    CONSTRAINT pk_users PRIMARY KEY (id)
)

CREATE TABLE attachments (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT,
    version BIGINT, message_id BIGINT, uploader_id BIGINT NOT NULL, code TEXT NOT NULL,
    filename TEXT NOT NULL, content_type TEXT NOT NULL, size BIGINT NOT NULL, width BIGINT, height BIGINT,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_attachments PRIMARY KEY (account_id, id),
    CONSTRAINT uq_attachments_account_id_code UNIQUE (account_id, code),
    CONSTRAINT fk_attachments_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_attachments_account_id_message_id ON attachments (account_id, message_id)

CREATE INDEX ix_attachments_account_id_project_id_number ON attachments (account_id, project_id, number)

CREATE TABLE bins (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL,
    name TEXT NOT NULL, query TEXT NOT NULL, shared SMALLINT NOT NULL, position BIGINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_bins PRIMARY KEY (account_id, id),
    CONSTRAINT fk_bins_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_bins_account_id_project_id_position ON bins (account_id, project_id, position)

CREATE TABLE bulk_edits (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL,
    query TEXT NOT NULL, command TEXT NOT NULL, moved_to BIGINT, undoes BIGINT, created_at BIGINT NOT NULL,
    CONSTRAINT pk_bulk_edits PRIMARY KEY (account_id, id),
    CONSTRAINT fk_bulk_edits_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_bulk_edits_account_id_project_id ON bulk_edits (account_id, project_id)

CREATE INDEX ix_bulk_edits_account_id_undoes ON bulk_edits (account_id, undoes)

CREATE TABLE changesets (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, revision TEXT NOT NULL, user_id BIGINT NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, body_html TEXT NOT NULL, changes TEXT NOT NULL,
    changed_at BIGINT NOT NULL, created_at BIGINT NOT NULL,
    CONSTRAINT pk_changesets PRIMARY KEY (account_id, project_id, revision),
    CONSTRAINT fk_changesets_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_changesets_account_id_changed_at_project_id_revision ON changesets (account_id, changed_at,
    project_id, revision)

CREATE INDEX ix_changesets_account_id_project_id_changed_at ON changesets (account_id, project_id,
    changed_at)

CREATE TABLE events (
    account_id BIGINT NOT NULL, number BIGINT NOT NULL, type TEXT NOT NULL, project_id BIGINT,
    subject_kind TEXT NOT NULL, subject_id TEXT NOT NULL, user_id BIGINT, version BIGINT,
    changes TEXT NOT NULL, batch_id BIGINT, happened_at BIGINT NOT NULL, via TEXT NOT NULL, token_id BIGINT,
    CONSTRAINT pk_events PRIMARY KEY (account_id, number),
    CONSTRAINT fk_events_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_events_account_id_project_id_number ON events (account_id, project_id, number)

CREATE TABLE hooks (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT, user_id BIGINT NOT NULL,
    url TEXT NOT NULL, event_types TEXT NOT NULL, query TEXT NOT NULL, format TEXT NOT NULL,
    active SMALLINT NOT NULL, note TEXT NOT NULL, secret TEXT NOT NULL, old_secret TEXT,
    old_secret_until BIGINT, cursor BIGINT NOT NULL, tries BIGINT NOT NULL, tried_since BIGINT,
    delivery_id BIGINT, next_try_at BIGINT, failing_since BIGINT, problem TEXT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_hooks PRIMARY KEY (account_id, id),
    CONSTRAINT fk_hooks_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_hooks_account_id_project_id ON hooks (account_id, project_id)

CREATE TABLE logins (
    email TEXT NOT NULL, user_id BIGINT NOT NULL, password_hash TEXT NOT NULL, changed_at BIGINT NOT NULL,
    verified_at BIGINT,
    CONSTRAINT pk_logins PRIMARY KEY (email),
    CONSTRAINT fk_logins_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT uq_logins_user_id UNIQUE (user_id)
)

CREATE TABLE messages (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT NOT NULL, parent_id BIGINT,
    user_id BIGINT NOT NULL, title TEXT NOT NULL, permalink TEXT NOT NULL, body TEXT NOT NULL,
    body_html TEXT NOT NULL, attachments_count BIGINT NOT NULL, comments_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_messages PRIMARY KEY (account_id, id),
    CONSTRAINT fk_messages_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_messages_account_id_parent_id_id ON messages (account_id, parent_id, id)

CREATE INDEX ix_messages_account_id_project_id_parent_id_updated_at_id ON messages (account_id, project_id,
    parent_id, updated_at, id)

CREATE TABLE milestones (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, project_id BIGINT NOT NULL, title TEXT NOT NULL,
    permalink TEXT NOT NULL, goals TEXT NOT NULL, goals_html TEXT NOT NULL, due_on BIGINT,
    completed_at BIGINT, tickets_count BIGINT NOT NULL, open_tickets_count BIGINT NOT NULL,
    user_id BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_milestones PRIMARY KEY (account_id, id),
    CONSTRAINT fk_milestones_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_milestones_account_id_project_id ON milestones (account_id, project_id)

CREATE TABLE notification_levels (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL, level TEXT NOT NULL,
    CONSTRAINT pk_notification_levels PRIMARY KEY (account_id, project_id, user_id),
    CONSTRAINT fk_notification_levels_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES
        projects (account_id, id) ON DELETE CASCADE
)

CREATE TABLE project_counters (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, last_number BIGINT NOT NULL,
    tickets_count BIGINT NOT NULL, open_tickets_count BIGINT NOT NULL,
    CONSTRAINT pk_project_counters PRIMARY KEY (account_id, project_id),
    CONSTRAINT fk_project_counters_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES
        projects (account_id, id) ON DELETE CASCADE
)

CREATE TABLE project_members (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL, id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_project_members PRIMARY KEY (account_id, project_id, user_id),
    CONSTRAINT uq_project_members_account_id_id UNIQUE (account_id, id),
    CONSTRAINT fk_project_members_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES
        projects (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_project_members_account_id_user_id_project_id ON project_members (account_id, user_id,
    project_id)

CREATE TABLE state_counts (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT NOT NULL, closed SMALLINT NOT NULL,
    tickets_count BIGINT NOT NULL,
    CONSTRAINT pk_state_counts PRIMARY KEY (account_id, project_id, state, closed),
    CONSTRAINT fk_state_counts_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE TABLE tag_counts (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, tag TEXT NOT NULL,
    tickets_count BIGINT NOT NULL,
    CONSTRAINT pk_tag_counts PRIMARY KEY (account_id, project_id, tag),
    CONSTRAINT fk_tag_counts_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE TABLE tickets (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, title TEXT NOT NULL,
    permalink TEXT NOT NULL, state TEXT NOT NULL, closed SMALLINT NOT NULL, tag TEXT,
    importance INTEGER NOT NULL, assigned_user_id BIGINT, milestone_id BIGINT, creator_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL, version BIGINT NOT NULL, last_version BIGINT NOT NULL,
    attachments_count BIGINT NOT NULL, watchers_ids TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, body TEXT NOT NULL, body_html TEXT NOT NULL, original_body TEXT,
    revision BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT pk_tickets PRIMARY KEY (account_id, project_id, number),
    CONSTRAINT fk_tickets_account_id_project_id FOREIGN KEY(account_id, project_id) REFERENCES projects
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_tickets_account_id_creator_id_project_id_number ON tickets (account_id, creator_id,
    project_id, number)

CREATE INDEX ix_tickets_account_id_project_id_milestone_id ON tickets (account_id, project_id, milestone_id)

CREATE INDEX ix_tickets_account_id_updated_at_project_id_number ON tickets (account_id, updated_at,
    project_id, number)

CREATE INDEX ix_tickets_list ON tickets (account_id, project_id, updated_at, number, closed, state,
    assigned_user_id, milestone_id, importance, creator_id, user_id, revision)

CREATE TABLE bulk_edit_tickets (
    account_id BIGINT NOT NULL, bulk_edit_id BIGINT NOT NULL, number BIGINT NOT NULL,
    version BIGINT NOT NULL, new_number BIGINT,
    CONSTRAINT pk_bulk_edit_tickets PRIMARY KEY (account_id, bulk_edit_id, number),
    CONSTRAINT fk_bulk_edit_tickets_account_id_bulk_edit_id FOREIGN KEY(account_id, bulk_edit_id) REFERENCES
        bulk_edits (account_id, id) ON DELETE CASCADE
)

CREATE TABLE default_bins (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, user_id BIGINT NOT NULL, bin_id BIGINT NOT NULL,
    CONSTRAINT pk_default_bins PRIMARY KEY (account_id, project_id, user_id),
    CONSTRAINT fk_default_bins_account_id_bin_id FOREIGN KEY(account_id, bin_id) REFERENCES bins
        (account_id, id) ON DELETE CASCADE
)

CREATE TABLE deliveries (
    account_id BIGINT NOT NULL, id BIGINT NOT NULL, hook_id BIGINT NOT NULL, event BIGINT,
    event_type TEXT NOT NULL, message_id TEXT NOT NULL, state TEXT NOT NULL, asked SMALLINT NOT NULL,
    status BIGINT, tries BIGINT NOT NULL, milliseconds BIGINT, request TEXT NOT NULL, answer TEXT NOT NULL,
    created_at BIGINT NOT NULL, tried_at BIGINT, delivered_at BIGINT, next_try_at BIGINT,
    CONSTRAINT pk_deliveries PRIMARY KEY (account_id, id),
    CONSTRAINT fk_deliveries_account_id_hook_id FOREIGN KEY(account_id, hook_id) REFERENCES hooks
        (account_id, id) ON DELETE CASCADE
)

CREATE INDEX ix_deliveries_account_id_asked_hook_id_id ON deliveries (account_id, asked, hook_id, id)

CREATE INDEX ix_deliveries_account_id_hook_id_id ON deliveries (account_id, hook_id, id)

CREATE TABLE mutes (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, user_id BIGINT NOT NULL,
    CONSTRAINT pk_mutes PRIMARY KEY (account_id, project_id, number, user_id),
    CONSTRAINT fk_mutes_account_id_project_id_number FOREIGN KEY(account_id, project_id, number) REFERENCES
        tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE TABLE notifications (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, user_id BIGINT NOT NULL,
    id BIGINT NOT NULL, reason BIGINT NOT NULL, event_number BIGINT NOT NULL, unread SMALLINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_notifications PRIMARY KEY (account_id, project_id, number, user_id),
    CONSTRAINT uq_notifications_account_id_user_id_id UNIQUE (account_id, user_id, id),
    CONSTRAINT fk_notifications_account_id_project_id_number FOREIGN KEY(account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE INDEX ix_notifications_account_id_user_id_unread_event_number ON notifications (account_id, user_id,
    unread, event_number)

CREATE TABLE taggings (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, tag TEXT NOT NULL, number BIGINT NOT NULL,
    closed SMALLINT NOT NULL, assigned_user_id BIGINT NOT NULL,
    CONSTRAINT pk_taggings PRIMARY KEY (account_id, project_id, tag, number),
    CONSTRAINT fk_taggings_account_id_project_id_number FOREIGN KEY(account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE INDEX ix_taggings_account_id_project_id_number ON taggings (account_id, project_id, number)

CREATE INDEX ix_taggings_found ON taggings (account_id, project_id, tag, closed, assigned_user_id, number)

CREATE TABLE versions (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, version BIGINT NOT NULL,
    user_id BIGINT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, closed SMALLINT NOT NULL, tag TEXT,
    importance INTEGER NOT NULL, assigned_user_id BIGINT, milestone_id BIGINT,
    attachments_count BIGINT NOT NULL, watchers_ids TEXT, diffable_attributes TEXT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, body TEXT NOT NULL, body_html TEXT NOT NULL,
    body_deleted_by BIGINT,
    CONSTRAINT pk_versions PRIMARY KEY (account_id, project_id, number, version),
    CONSTRAINT fk_versions_account_id_project_id_number FOREIGN KEY(account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE INDEX ix_versions_account_id_project_id_milestone_id ON versions (account_id, project_id,
    milestone_id)

CREATE INDEX ix_versions_account_id_user_id_project_id_number ON versions (account_id, user_id, project_id,
    number)

CREATE TABLE watchers (
    account_id BIGINT NOT NULL, project_id BIGINT NOT NULL, number BIGINT NOT NULL, user_id BIGINT NOT NULL,
    CONSTRAINT pk_watchers PRIMARY KEY (account_id, project_id, number, user_id),
    CONSTRAINT fk_watchers_account_id_project_id_number FOREIGN KEY(account_id, project_id, number)
        REFERENCES tickets (account_id, project_id, number) ON DELETE CASCADE
)

CREATE INDEX ix_watchers_account_id_user_id_project_id_number ON watchers (account_id, user_id, project_id,
    number)
