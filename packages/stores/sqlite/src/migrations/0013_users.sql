-- The users that somebody added. Times are epoch milliseconds.

CREATE TABLE users (
  user_id TEXT NOT NULL PRIMARY KEY,
  -- `user` or `admin`.
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Over all of it: a flipped bit must not make an admin.
  crc INTEGER NOT NULL
) STRICT;
