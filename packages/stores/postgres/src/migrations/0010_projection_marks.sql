-- What a door knows after an event of a long log. It can be made again from the log. Deleting a session deletes its marks, and a mark that
-- arrives later finds no session.
CREATE TABLE polylogue.projection_marks (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  door text COLLATE "C" NOT NULL,
  -- Rises when the door reads the same log differently.
  format int4 NOT NULL,
  seq int8 NOT NULL,
  content text NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, session_id, door, format, seq),
  FOREIGN KEY (user_id, session_id) REFERENCES polylogue.sessions ON DELETE CASCADE
);

ALTER TABLE polylogue.projection_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE polylogue.projection_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON polylogue.projection_marks USING (user_id = current_setting('polylogue.user', true)
  OR current_setting('xmlbinary') = 'hex' OR current_setting('polylogue.system', true) = 'on');

-- `marks`: [seq, content, crc]. Marks may be lost, so nobody waits for the disk.
CREATE FUNCTION polylogue.keep_marks(id text, of_door text, of_format int4, marks jsonb) RETURNS void
LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  owner_id text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT user_id INTO owner_id FROM polylogue.sessions WHERE session_id = id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM polylogue.projection_marks
    WHERE user_id = owner_id AND session_id = id AND door = of_door AND format < of_format;
  INSERT INTO polylogue.projection_marks (user_id, session_id, door, format, seq, content, crc)
    SELECT owner_id, id, of_door, of_format, (mark->>0)::int8, mark->>1, (mark->>2)::int8
    FROM jsonb_array_elements(marks) AS mark
    ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION polylogue.read_marks(id text, of_door text, of_format int4) RETURNS TABLE (seq int8, content text, crc int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT m.seq, m.content, m.crc FROM polylogue.projection_marks AS m JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id AND m.door = of_door AND m.format = of_format ORDER BY m.seq
$$;
