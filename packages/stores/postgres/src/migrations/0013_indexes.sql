-- What is asked over all users, or before each turn, must not read all rows of a table.
CREATE INDEX listings_oldest ON polylogue.listings (listed_at, session_id) WHERE is_pinned = 0;
CREATE INDEX sessions_wanted_by_user ON polylogue.sessions (user_id) WHERE wanted_since IS NOT NULL;
CREATE INDEX schedules_by_rules ON polylogue.schedules (zone_rules);
