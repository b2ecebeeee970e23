-- What a session needs at every step, as one statement each: a client that stops in the middle holds no lock.
-- Locks are taken in one order (users by name, then sessions by id), so groups never deadlock.

-- One append of a group. Keys: s session, u the user of a new session, x expected seq, a time, w wanted, e events
-- [type, version, data, crc, words], n counted bytes, fo and fe the fence, co and cl the claim, r release, y summary and yc its crc,
-- l listing, p snapshot and pc its crc, k receipt, m names, b blobs, z secrets, g usage, d steps whose drafts go,
-- rs and ru the room of the session and of the user.
CREATE FUNCTION polylogue.append_one(item jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  id text := item->>'s';
  expected int8 := (item->>'x')::int8;
  at_ms int8 := (item->>'a')::int8;
  head polylogue.sessions%ROWTYPE;
  is_new boolean;
  owner_id text;
  bytes int8 := (item->>'n')::int8;
  last int8 := expected + coalesce(jsonb_array_length(item->'e'), 0);
  now_at int8;
  ofuser int8;
BEGIN
  SELECT * INTO head FROM polylogue.sessions WHERE session_id = id FOR UPDATE;
  is_new := NOT FOUND;
  owner_id := coalesce(head.user_id, item->>'u');
  IF is_new THEN
    IF NOT item ? 'u' OR expected <> 0 THEN RETURN '{"c":"session-gone"}'; END IF;
    IF EXISTS (SELECT FROM polylogue.deleted_sessions WHERE session_id = id) THEN RETURN '{"c":"session-gone"}'; END IF;
    IF item ? 'fo' THEN RETURN '{"c":"fenced"}'; END IF;
  ELSE
    IF item ? 'fo' AND (head.owner IS DISTINCT FROM item->>'fo' OR head.epoch <> (item->>'fe')::int8) THEN
      RETURN '{"c":"fenced"}';
    END IF;
    IF item ? 'u' OR head.last_seq <> expected THEN RETURN '{"c":"seq-moved"}'; END IF;
  END IF;
  IF item ? 'co' THEN
    now_at := polylogue.now_ms();
    IF head.owner IS NOT NULL AND head.owner <> item->>'co' AND head.lease_until > now_at THEN
      RETURN '{"c":"lease-held"}';
    END IF;
  END IF;
  IF item ? 'k' AND EXISTS (SELECT FROM polylogue.receipts WHERE user_id = owner_id AND session_id = id
      AND by_user = item->'k'->>'u' AND key = item->'k'->>'k') THEN
    RETURN '{"c":"receipt-taken"}';
  END IF;
  IF item ? 'm' AND (
      (SELECT count(*) <> count(DISTINCT name) FROM jsonb_array_elements_text(item->'m') AS name)
      OR EXISTS (SELECT FROM polylogue.names AS n JOIN jsonb_array_elements_text(item->'m') AS given ON n.name = given
                 WHERE n.user_id = owner_id AND n.session_id = id)) THEN
    RETURN '{"c":"name-taken"}';
  END IF;

  IF item ? 'b' THEN
    bytes := bytes + coalesce((SELECT sum((blob->>'n')::int8) FROM jsonb_array_elements(item->'b') AS blob
      WHERE NOT EXISTS (SELECT FROM polylogue.blobs WHERE user_id = owner_id AND session_id = id AND hash = blob->>'h')), 0);
  END IF;
  IF item ? 'rs' THEN
    IF coalesce(head.stored_bytes, 0) + bytes > (item->>'rs')::int8 THEN RETURN '{"c":"session-full"}'; END IF;
    SELECT stored_bytes INTO ofuser FROM polylogue.user_sizes WHERE user_id = owner_id;
    IF coalesce(ofuser, 0) + bytes > (item->>'ru')::int8 THEN RETURN '{"c":"user-full"}'; END IF;
  END IF;

  IF is_new THEN
    INSERT INTO polylogue.sessions (user_id, session_id, last_seq, summary, summary_crc, stored_bytes, wanted_since, owner,
        epoch, lease_until)
      VALUES (owner_id, id, last, coalesce(item->>'y', ''), (item->>'yc')::int8, bytes,
        CASE WHEN item ? 'w' THEN at_ms END, item->>'co', CASE WHEN item ? 'co' THEN 1 ELSE 0 END,
        CASE WHEN item ? 'co' THEN now_at + (item->>'cl')::int8 ELSE 0 END)
      ON CONFLICT DO NOTHING;
    -- Another transaction was faster, with a creation or with a deletion that was not visible before.
    IF NOT FOUND THEN RETURN '{"c":"seq-moved"}'; END IF;
    IF EXISTS (SELECT FROM polylogue.deleted_sessions WHERE session_id = id) THEN
      DELETE FROM polylogue.sessions WHERE user_id = owner_id AND session_id = id;
      RETURN '{"c":"session-gone"}';
    END IF;
    head.epoch := 0;
  ELSE
    UPDATE polylogue.sessions SET
      last_seq = last, stored_bytes = stored_bytes + bytes,
      summary = coalesce(item->>'y', summary), summary_crc = coalesce((item->>'yc')::int8, summary_crc),
      wanted_since = CASE WHEN item ? 'w' THEN coalesce(wanted_since, at_ms) END,
      owner = CASE WHEN item ? 'co' THEN item->>'co' WHEN item ? 'r' THEN NULL ELSE owner END,
      epoch = CASE WHEN item ? 'co' THEN epoch + 1 ELSE epoch END,
      lease_until = CASE WHEN item ? 'co' THEN now_at + (item->>'cl')::int8 WHEN item ? 'r' THEN 0 ELSE lease_until END
    WHERE user_id = owner_id AND session_id = id;
  END IF;
  IF bytes > 0 THEN UPDATE polylogue.user_sizes SET stored_bytes = stored_bytes + bytes WHERE user_id = owner_id; END IF;

  INSERT INTO polylogue.events (user_id, session_id, seq, at, type, version, data, crc)
    SELECT owner_id, id, expected + place, at_ms, event->>0, (event->>1)::int4, event->>2, (event->>3)::int8
    FROM jsonb_array_elements(item->'e') WITH ORDINALITY AS list(event, place);
  INSERT INTO polylogue.spoken_words (user_id, session_id, seq, words)
    SELECT owner_id, id, expected + place, event->>4
    FROM jsonb_array_elements(item->'e') WITH ORDINALITY AS list(event, place) WHERE event->>4 IS NOT NULL;
  PERFORM polylogue.append_attached(item, owner_id, last);
  IF item ? 'co' THEN RETURN jsonb_build_object('q', last, 'p', head.epoch + 1); END IF;
  RETURN jsonb_build_object('q', last);
END $$;

CREATE FUNCTION polylogue.append_attached(item jsonb, owner_id text, last int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  id text := item->>'s';
BEGIN
  IF item ? 'l' THEN
    INSERT INTO polylogue.listings (user_id, session_id, listed_at, is_pinned, is_started, directory, title, title_words)
      VALUES (owner_id, id, (item->'l'->>'a')::int8, (item->'l'->>'p')::int4, (item->'l'->>'s')::int4, item->'l'->>'d',
        item->'l'->>'t', item->'l'->>'w')
      ON CONFLICT (user_id, session_id) DO UPDATE SET listed_at = excluded.listed_at, is_pinned = excluded.is_pinned,
        is_started = excluded.is_started, directory = excluded.directory, title = excluded.title,
        title_words = excluded.title_words;
  END IF;
  IF item ? 'p' THEN
    INSERT INTO polylogue.snapshots (user_id, session_id, seq, state, crc)
      VALUES (owner_id, id, last, item->>'p', (item->>'pc')::int8)
      ON CONFLICT (user_id, session_id) DO UPDATE SET seq = excluded.seq, state = excluded.state, crc = excluded.crc;
  END IF;
  IF item ? 'k' THEN
    INSERT INTO polylogue.receipts (user_id, session_id, by_user, key, fingerprint, turn_id, seq)
      VALUES (owner_id, id, item->'k'->>'u', item->'k'->>'k', item->'k'->>'f', item->'k'->>'t', (item->'k'->>'q')::int8);
  END IF;
  IF item ? 'm' THEN
    INSERT INTO polylogue.names (user_id, session_id, name)
      SELECT owner_id, id, name FROM jsonb_array_elements_text(item->'m') AS name;
  END IF;
  IF item ? 'b' THEN
    INSERT INTO polylogue.blobs (user_id, session_id, hash, media_type, bytes, crc)
      SELECT owner_id, id, blob->>'h', blob->>'t', decode(blob->>'b', 'base64'), (blob->>'c')::int8
      FROM jsonb_array_elements(item->'b') AS blob ON CONFLICT DO NOTHING;
  END IF;
  IF item ? 'z' THEN
    INSERT INTO polylogue.secrets (user_id, session_id, name, sealed)
      SELECT owner_id, id, secret->>'n', decode(secret->>'b', 'base64') FROM jsonb_array_elements(item->'z') AS secret
      ON CONFLICT (user_id, session_id, name) DO UPDATE SET sealed = excluded.sealed;
  END IF;
  IF item ? 'g' THEN
    INSERT INTO polylogue.usage SELECT (jsonb_populate_record(NULL::polylogue.usage, row)).*
      FROM jsonb_array_elements(item->'g') AS row;
  END IF;
  IF item ? 'd' THEN
    DELETE FROM polylogue.draft_parts WHERE user_id = owner_id AND session_id = id
      AND step_id IN (SELECT jsonb_array_elements_text(item->'d'));
  END IF;
END $$;

-- The items come sorted by session. The answers have the same order: {"q": last seq, "p": epoch of a claim} or {"c": conflict}.
CREATE FUNCTION polylogue.append_batch(items jsonb) RETURNS jsonb LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  item jsonb;
  answers jsonb := '[]';
BEGIN
  INSERT INTO polylogue.user_sizes (user_id, stored_bytes)
    SELECT DISTINCT one->>'u', 0 FROM jsonb_array_elements(items) AS one WHERE one ? 'u' ORDER BY 1
    ON CONFLICT DO NOTHING;
  PERFORM FROM polylogue.user_sizes WHERE user_id IN (
      SELECT one->>'u' FROM jsonb_array_elements(items) AS one WHERE one ? 'u'
      UNION SELECT user_id FROM polylogue.sessions
      WHERE session_id IN (SELECT one->>'s' FROM jsonb_array_elements(items) AS one))
    ORDER BY user_id FOR UPDATE;
  FOR item IN SELECT one FROM jsonb_array_elements(items) AS one LOOP
    answers := answers || polylogue.append_one(item);
  END LOOP;
  RETURN answers;
END $$;

CREATE FUNCTION polylogue.delete_session(id text) RETURNS boolean LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  owner_id text;
  freed int8;
BEGIN
  SELECT user_id INTO owner_id FROM polylogue.sessions WHERE session_id = id;
  IF owner_id IS NULL THEN RETURN false; END IF;
  PERFORM FROM polylogue.user_sizes WHERE user_id = owner_id FOR UPDATE;
  DELETE FROM polylogue.sessions WHERE user_id = owner_id AND session_id = id RETURNING stored_bytes INTO freed;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO polylogue.deleted_sessions (user_id, session_id) VALUES (owner_id, id);
  UPDATE polylogue.user_sizes SET stored_bytes = greatest(0, stored_bytes - freed) WHERE user_id = owner_id;
  DELETE FROM polylogue.events WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.spoken_words WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.listings WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.snapshots WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.draft_parts WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.receipts WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.names WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.secrets WHERE user_id = owner_id AND session_id = id;
  DELETE FROM polylogue.blobs WHERE user_id = owner_id AND session_id = id;
  RETURN true;
END $$;

-- The first row is the session: its last seq stands in `at`, its user in `data`. Then the events after `after_seq`.
CREATE FUNCTION polylogue.read_events(id text, after_seq int8, most int8, most_chars int8)
RETURNS TABLE (seq int8, at int8, type text, version int4, data text, crc int8)
LANGUAGE plpgsql STABLE SET xmlbinary = 'hex' AS $$
DECLARE
  owner_id text;
  last int8;
  chars int8 := 0;
  is_first boolean := true;
BEGIN
  SELECT user_id, last_seq INTO owner_id, last FROM polylogue.sessions WHERE session_id = id;
  IF owner_id IS NULL THEN RETURN; END IF;
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

CREATE FUNCTION polylogue.read_head(id text) RETURNS TABLE (user_id text, last_seq int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS
$$ SELECT s.user_id, s.last_seq FROM polylogue.sessions AS s WHERE s.session_id = id $$;

CREATE FUNCTION polylogue.read_heads(ids text[]) RETURNS TABLE (session_id text, last_seq int8, owner text)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS
$$ SELECT s.session_id, s.last_seq, s.owner FROM polylogue.sessions AS s WHERE s.session_id = ANY (ids) $$;

CREATE FUNCTION polylogue.claim_session(id text, by text, lease_ms int8) RETURNS int8
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  UPDATE polylogue.sessions SET owner = by, epoch = epoch + 1, lease_until = polylogue.now_ms() + lease_ms
  WHERE session_id = id AND (owner IS NULL OR owner = by OR lease_until <= polylogue.now_ms())
  RETURNING epoch
$$;

-- Extends the leases of an owner and answers which of the given sessions it still holds.
CREATE FUNCTION polylogue.renew_leases(by text, ids text[], lease_ms int8) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  WITH held AS (
    SELECT session_id FROM polylogue.sessions WHERE session_id = ANY (ids) AND owner = by ORDER BY session_id FOR UPDATE
  )
  UPDATE polylogue.sessions AS s SET lease_until = polylogue.now_ms() + lease_ms
  FROM held WHERE s.session_id = held.session_id RETURNING s.session_id
$$;

CREATE FUNCTION polylogue.release_session(id text, by text, at_epoch int8) RETURNS void
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  UPDATE polylogue.sessions SET owner = NULL, lease_until = 0 WHERE session_id = id AND owner = by AND epoch = at_epoch
$$;

CREATE FUNCTION polylogue.drop_leases() RETURNS void LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  WITH held AS (SELECT session_id FROM polylogue.sessions WHERE owner IS NOT NULL ORDER BY session_id FOR UPDATE)
  UPDATE polylogue.sessions AS s SET owner = NULL, lease_until = 0 FROM held WHERE s.session_id = held.session_id
$$;

CREATE FUNCTION polylogue.wanted_sessions(most int8) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT session_id FROM polylogue.sessions
  WHERE wanted_since IS NOT NULL AND (owner IS NULL OR lease_until <= polylogue.now_ms())
  ORDER BY wanted_since, session_id LIMIT most
$$;

-- `parts`: [step, block, offset, kind, text, reserved batches]. Offset 0 replaces what was saved before. Drafts may be lost, numbers
-- that readers may have seen may not: `is_durable` waits for the disk.
CREATE FUNCTION polylogue.save_drafts(id text, by text, at_epoch int8, parts jsonb, is_durable boolean) RETURNS boolean
LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  owner_id text;
BEGIN
  IF NOT is_durable THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  SELECT user_id INTO owner_id FROM polylogue.sessions
    WHERE session_id = id AND owner = by AND epoch = at_epoch FOR SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM polylogue.draft_parts AS d USING jsonb_array_elements(parts) AS part
    WHERE d.user_id = owner_id AND d.session_id = id AND d.step_id = part->>0 AND d.block = (part->>1)::int4
      AND d.part_offset >= (part->>2)::int8;
  INSERT INTO polylogue.draft_parts (user_id, session_id, step_id, block, part_offset, kind, text, reserved_batches)
    SELECT owner_id, id, part->>0, (part->>1)::int4, (part->>2)::int8, part->>3, part->>4, (part->>5)::int8
    FROM jsonb_array_elements(parts) AS part;
  RETURN true;
END $$;

CREATE FUNCTION polylogue.read_drafts(id text)
RETURNS TABLE (step_id text, block int4, kind text, text text, reserved_batches int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT d.step_id, d.block, min(d.kind), string_agg(d.text, '' ORDER BY d.part_offset), max(d.reserved_batches)
  FROM polylogue.draft_parts AS d JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id GROUP BY d.step_id, d.block ORDER BY d.step_id, d.block
$$;

CREATE FUNCTION polylogue.read_snapshot(id text) RETURNS TABLE (seq int8, state text, crc int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT p.seq, p.state, p.crc FROM polylogue.snapshots AS p JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id
$$;

CREATE FUNCTION polylogue.find_receipt(id text, asker text, asked text)
RETURNS TABLE (fingerprint text, turn_id text, seq int8) LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT r.fingerprint, r.turn_id, r.seq FROM polylogue.receipts AS r JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id AND r.by_user = asker AND r.key = asked
$$;

CREATE FUNCTION polylogue.taken_names(id text, asked text[]) RETURNS SETOF text
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT n.name FROM polylogue.names AS n JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id AND n.name = ANY (asked)
$$;

CREATE FUNCTION polylogue.read_blob(id text, asked text) RETURNS TABLE (media_type text, bytes bytea, crc int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT b.media_type, b.bytes, b.crc FROM polylogue.blobs AS b JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id AND b.hash = asked
$$;

CREATE FUNCTION polylogue.read_secrets(id text) RETURNS TABLE (name text, sealed bytea)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT z.name, z.sealed FROM polylogue.secrets AS z JOIN polylogue.sessions AS s USING (user_id, session_id)
  WHERE s.session_id = id ORDER BY z.name
$$;
