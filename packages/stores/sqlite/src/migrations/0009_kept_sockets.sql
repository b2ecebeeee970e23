-- What the clients of long-lived connections had subscribed to. Times are epoch milliseconds.

CREATE TABLE kept_sockets (
  -- In the order in which entries were written last.
  entry INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  -- SHA-256 of the secret by which the client names its connection.
  hash TEXT NOT NULL,
  content TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  UNIQUE (user_id, hash)
) STRICT;

CREATE INDEX kept_sockets_by_user ON kept_sockets (user_id, entry);
CREATE INDEX kept_sockets_by_expiry ON kept_sockets (expires_at);
