-- The permission rules of users, tried in the order of their places. Times are epoch milliseconds.

CREATE TABLE rules (
  rule_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  -- Over all of it: a rule in which one bit flipped might allow what it denied.
  crc INTEGER NOT NULL,
  UNIQUE (user_id, place)
) STRICT;
