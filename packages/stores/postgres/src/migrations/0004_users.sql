-- The users that somebody added.

CREATE TABLE polylogue.users (
  user_id text COLLATE "C" NOT NULL PRIMARY KEY,
  -- `user` or `admin`.
  role text NOT NULL,
  created_at int8 NOT NULL,
  -- Over all of it: a flipped bit must not make an admin.
  crc int8 NOT NULL
);
