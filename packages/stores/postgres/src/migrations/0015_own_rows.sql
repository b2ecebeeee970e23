-- What reads a session by its id sees the rows of its user only, as statements for one user do: a condition that is forgotten shows nothing
-- of others. Only what must look for a session among all users still runs for all: appends, claims, sweeps, and heads of sessions.

CREATE FUNCTION polylogue.owner_of(id text) RETURNS text LANGUAGE sql STABLE SET xmlbinary = 'hex' AS
$$ SELECT user_id FROM polylogue.sessions WHERE session_id = id $$;

-- The user of a session, for whom the rest of the transaction works. NULL: there is no such session.
CREATE FUNCTION polylogue.act_for(id text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  owner_id text := polylogue.owner_of(id);
BEGIN
  PERFORM set_config('polylogue.user', coalesce(owner_id, ''), true);
  RETURN owner_id;
END $$;

-- The first row is the session: its last seq stands in `at`, its user in `data`. Then the events after `after_seq`.
CREATE OR REPLACE FUNCTION polylogue.read_events(id text, after_seq int8, most int8, most_chars int8)
RETURNS TABLE (seq int8, at int8, type text, version int4, data text, crc int8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
  last int8;
  chars int8 := 0;
  is_first boolean := true;
BEGIN
  SELECT s.last_seq INTO last FROM polylogue.sessions AS s WHERE s.user_id = owner_id AND s.session_id = id;
  IF NOT FOUND THEN RETURN; END IF;
  seq := 0; at := last; data := owner_id;
  RETURN NEXT;
  FOR seq, at, type, version, data, crc IN
    SELECT e.seq, e.at, e.type, e.version, e.data, e.crc FROM polylogue.events AS e
    WHERE e.user_id = owner_id AND e.session_id = id AND e.seq > after_seq ORDER BY e.seq LIMIT most
  LOOP
    chars := chars + length(data);
    IF chars > most_chars AND NOT is_first THEN
      -- A last row without data says that the page was cut.
      seq := -1; data := NULL;
      RETURN NEXT;
      RETURN;
    END IF;
    is_first := false;
    RETURN NEXT;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION polylogue.read_drafts(id text)
RETURNS TABLE (step_id text, block int4, kind text, text text, reserved_batches int8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT d.step_id, d.block, min(d.kind), string_agg(d.text, '' ORDER BY d.part_offset), max(d.reserved_batches)
    FROM polylogue.draft_parts AS d WHERE d.user_id = owner_id AND d.session_id = id
    GROUP BY d.step_id, d.block ORDER BY d.step_id, d.block;
END $$;

CREATE OR REPLACE FUNCTION polylogue.read_snapshot(id text) RETURNS TABLE (seq int8, state text, crc int8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT p.seq, p.state, p.crc FROM polylogue.snapshots AS p WHERE p.user_id = owner_id AND p.session_id = id;
END $$;

CREATE OR REPLACE FUNCTION polylogue.find_receipt(id text, asker text, asked text)
RETURNS TABLE (fingerprint text, turn_id text, seq int8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT r.fingerprint, r.turn_id, r.seq FROM polylogue.receipts AS r
    WHERE r.user_id = owner_id AND r.session_id = id AND r.by_user = asker AND r.key = asked;
END $$;

CREATE OR REPLACE FUNCTION polylogue.taken_names(id text, asked text[]) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT n.name FROM polylogue.names AS n
    WHERE n.user_id = owner_id AND n.session_id = id AND n.name = ANY (asked);
END $$;

CREATE OR REPLACE FUNCTION polylogue.read_blob(id text, asked text) RETURNS TABLE (media_type text, bytes bytea, crc int8)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT b.media_type, b.bytes, b.crc FROM polylogue.blobs AS b
    WHERE b.user_id = owner_id AND b.session_id = id AND b.hash = asked;
END $$;

CREATE OR REPLACE FUNCTION polylogue.read_secrets(id text) RETURNS TABLE (name text, sealed bytea) LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT z.name, z.sealed FROM polylogue.secrets AS z
    WHERE z.user_id = owner_id AND z.session_id = id ORDER BY z.name;
END $$;

CREATE OR REPLACE FUNCTION polylogue.read_marks(id text, of_door text, of_format int4) RETURNS TABLE (seq int8, content text, crc int8)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  owner_id text := polylogue.act_for(id);
BEGIN
  RETURN QUERY SELECT m.seq, m.content, m.crc FROM polylogue.projection_marks AS m
    WHERE m.user_id = owner_id AND m.session_id = id AND m.door = of_door AND m.format = of_format ORDER BY m.seq;
END $$;
