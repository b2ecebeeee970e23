-- How many bytes sessions and users store: see stored-bytes.ts. Every event counts 100 bytes besides its data.

ALTER TABLE sessions ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE sessions SET stored_bytes =
  coalesce((SELECT sum(100 + octet_length(data)) FROM events WHERE events.session_id = sessions.session_id), 0) +
  coalesce((SELECT sum(octet_length(bytes)) FROM blobs WHERE blobs.session_id = sessions.session_id), 0) +
  coalesce((SELECT sum(octet_length(sealed)) FROM secrets WHERE secrets.session_id = sessions.session_id), 0);

CREATE TABLE user_sizes (
  user_id TEXT NOT NULL PRIMARY KEY,
  stored_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO user_sizes (user_id, stored_bytes) SELECT user_id, sum(stored_bytes) FROM sessions GROUP BY user_id;
