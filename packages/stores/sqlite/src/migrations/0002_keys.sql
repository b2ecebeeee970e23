-- API keys and browser sign-ins: hashes only. Times are epoch milliseconds.

CREATE TABLE keys (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  -- Over all but the last use: see checksum.ts.
  crc INTEGER NOT NULL
) STRICT;

CREATE INDEX keys_by_user ON keys (user_id);
