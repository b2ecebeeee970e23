-- Sessions of editors run where the editor is. `runs_on`: while that node lives, no other may claim the session. `machine`: the directories of
-- the session are on this machine, so nodes of other machines may claim it only if no node of that machine lives.
ALTER TABLE polylogue.sessions ADD COLUMN machine text COLLATE "C";

CREATE FUNCTION polylogue.may_claim(head polylogue.sessions, by text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT (head.owner IS NULL OR head.owner = by OR NOT polylogue.is_alive(head.owner))
    AND (head.runs_on IS NULL OR head.runs_on = by OR NOT polylogue.is_alive(head.runs_on))
    AND (head.machine IS NULL
      OR head.machine = (SELECT n.machine FROM polylogue.nodes AS n WHERE n.node_id = by)
      OR NOT EXISTS (SELECT FROM polylogue.nodes AS n WHERE n.machine = head.machine AND n.role IN ('all', 'worker')
        AND n.lease_until > polylogue.now_ms()))
$$;

-- One append of a group. Keys: s session, u the user of a new session, x expected seq, a time, w wanted, e events
-- [type, version, data, crc, words], n counted bytes, fo and fe the fence, co and cl the claim, r release, y summary and yc its crc,
-- l listing, p snapshot and pc its crc, k receipt, m names, b blobs, z secrets, g usage, d steps whose drafts go,
-- rs and ru the room of the session and of the user.
CREATE OR REPLACE FUNCTION polylogue.append_one(item jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  id text := item->>'s';
  expected int8 := (item->>'x')::int8;
  at_ms int8 := (item->>'a')::int8;
  head polylogue.sessions%ROWTYPE;
  is_new boolean;
  owner_id text;
  bytes int8 := (item->>'n')::int8;
  last int8 := expected + coalesce(jsonb_array_length(item->'e'), 0);
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
    IF NOT polylogue.may_claim(head, item->>'co') THEN RETURN '{"c":"lease-held"}'; END IF;
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
        epoch)
      VALUES (owner_id, id, last, coalesce(item->>'y', ''), (item->>'yc')::int8, bytes,
        CASE WHEN item ? 'w' THEN at_ms END, item->>'co', CASE WHEN item ? 'co' THEN 1 ELSE 0 END)
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
      runs_on = CASE WHEN item ? 'co' AND runs_on <> item->>'co' THEN NULL ELSE runs_on END
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
  IF item ? 'co' THEN
    PERFORM polylogue.keep_lease(item->>'co', (item->>'cl')::int8);
    RETURN jsonb_build_object('q', last, 'p', head.epoch + 1);
  END IF;
  RETURN jsonb_build_object('q', last);
END $$;

CREATE OR REPLACE FUNCTION polylogue.claim_session(id text, by text, lease_ms int8) RETURNS int8
LANGUAGE plpgsql VOLATILE SET xmlbinary = 'hex' AS $$
DECLARE
  claimed int8;
BEGIN
  PERFORM polylogue.lock_lease(by, lease_ms);
  UPDATE polylogue.sessions AS s SET owner = by, epoch = s.epoch + 1, runs_on = CASE WHEN s.runs_on = by THEN by END
    WHERE s.session_id = id AND polylogue.may_claim(s, by) RETURNING s.epoch INTO claimed;
  IF claimed IS NOT NULL THEN PERFORM polylogue.keep_lease(by, lease_ms); END IF;
  RETURN claimed;
END $$;
DROP FUNCTION polylogue.may_claim(text, text, text);

-- Answers whether the session now runs on this node only.
CREATE FUNCTION polylogue.bind_session(id text, node text, place text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET xmlbinary = 'hex' AS $$
BEGIN
  UPDATE polylogue.sessions AS s SET runs_on = node, machine = place
    WHERE s.session_id = id AND (s.runs_on IS NULL OR s.runs_on = node OR NOT polylogue.is_alive(s.runs_on));
  RETURN FOUND;
END $$;

CREATE FUNCTION polylogue.unbind_session(id text, node text) RETURNS void
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  UPDATE polylogue.sessions SET runs_on = NULL WHERE session_id = id AND runs_on = node
$$;

CREATE FUNCTION polylogue.place_of(id text) RETURNS TABLE (runs_on text, machine text)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT s.runs_on, s.machine FROM polylogue.sessions AS s WHERE s.session_id = id
$$;
