-- What a door knows after an event of a long log. It can be made again from the log.

CREATE TABLE projection_marks (
  session_id TEXT NOT NULL,
  door TEXT NOT NULL,
  -- Rises when the door reads the same log differently.
  format INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  content TEXT NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (session_id, door, format, seq)
) STRICT, WITHOUT ROWID;
