-- Sessions, their logs and all that hangs on them. Times are epoch milliseconds. A `crc` finds what changed by accident:
-- see checksum.ts.

CREATE TABLE sessions (
  session_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  last_seq INTEGER NOT NULL,
  summary TEXT NOT NULL,
  summary_crc INTEGER NOT NULL,
  -- Since when the session has wanted a runner; NULL when it wants none.
  wanted_since INTEGER,
  -- The lease. The epoch only ever rises; an owner is NULL when nobody holds the session.
  owner TEXT,
  epoch INTEGER NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user_id, session_id);
CREATE INDEX sessions_wanted ON sessions (wanted_since, session_id) WHERE wanted_since IS NOT NULL;
CREATE INDEX sessions_held ON sessions (owner) WHERE owner IS NOT NULL;

CREATE TABLE events (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  data TEXT NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
  session_id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  crc INTEGER NOT NULL
) STRICT;

CREATE TABLE drafts (
  session_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  block INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (session_id, step_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipts (
  session_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, user_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT, WITHOUT ROWID;

-- With a rowid: their rows are large, and an index over large rows would be slow.
CREATE TABLE blobs (
  session_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (session_id, hash)
) STRICT;

-- With a rowid, so that table and index hold the key twice and damage to one of them shows.
CREATE TABLE secrets (
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT;

-- Ids that are never used again. `is_purged` is 0 while events or blobs of the session are still being removed.
CREATE TABLE deleted_sessions (
  session_id TEXT NOT NULL PRIMARY KEY,
  is_purged INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_sessions_unpurged ON deleted_sessions (session_id) WHERE is_purged = 0;
