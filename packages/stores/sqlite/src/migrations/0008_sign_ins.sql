-- One-time codes that sign a browser in. Times are epoch milliseconds.

CREATE TABLE sign_in_codes (
  -- SHA-256 of the code.
  hash TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Over all of it: a flipped bit must not sign a browser in as another user.
  crc INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id);
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at);
