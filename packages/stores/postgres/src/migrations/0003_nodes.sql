-- The lease of a node covers every session that the node has claimed. Locks are taken in one order: nodes, users by name, sessions by
-- id.

-- The processes that use this database. A row without a role is only a lease.
CREATE TABLE polylogue.nodes (
  node_id text COLLATE "C" NOT NULL PRIMARY KEY,
  lease_until int8 NOT NULL,
  started_at int8 NOT NULL,
  role text,
  version text,
  machine text,
  pid int4,
  url text
) WITH (fillfactor = 50);

-- `runs_on`: while this node lives, no other may claim the session.
ALTER TABLE polylogue.sessions ADD COLUMN runs_on text COLLATE "C";
ALTER TABLE polylogue.sessions DROP COLUMN lease_until;
CREATE INDEX sessions_by_owner ON polylogue.sessions (owner) WHERE owner IS NOT NULL;

CREATE FUNCTION polylogue.is_alive(node text) RETURNS boolean LANGUAGE sql VOLATILE AS
$$ SELECT EXISTS (SELECT FROM polylogue.nodes WHERE node_id = node AND lease_until > polylogue.now_ms()) $$;

CREATE FUNCTION polylogue.may_claim(held_by text, bound_to text, by text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT (held_by IS NULL OR held_by = by OR NOT polylogue.is_alive(held_by))
    AND (bound_to IS NULL OR bound_to = by OR NOT polylogue.is_alive(bound_to))
$$;

-- A claim needs a lease of its node. The row is written only when less than half of the time is left: a node that claims often
-- renews its lease anyway, and its appends must not wait for each other.
CREATE FUNCTION polylogue.is_lease_short(node text, lease_ms int8) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT NOT EXISTS (SELECT FROM polylogue.nodes WHERE node_id = node AND lease_until >= polylogue.now_ms() + lease_ms / 2)
$$;

-- Whoever will write the lease locks it before any user or session, so that transactions never wait for each other in a circle.
CREATE FUNCTION polylogue.lock_lease(node text, lease_ms int8) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF polylogue.is_lease_short(node, lease_ms) THEN
    PERFORM pg_advisory_xact_lock(hashtext('polylogue lease'), hashtext(node));
  END IF;
END $$;

CREATE FUNCTION polylogue.keep_lease(node text, lease_ms int8) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF polylogue.is_lease_short(node, lease_ms)
      AND pg_try_advisory_xact_lock(hashtext('polylogue lease'), hashtext(node)) THEN
    INSERT INTO polylogue.nodes (node_id, lease_until, started_at)
      VALUES (node, polylogue.now_ms() + lease_ms, polylogue.now_ms())
      ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until;
  END IF;
END $$;

-- Enters a node or extends its lease, and removes the nodes that died a day ago.
CREATE FUNCTION polylogue.beat(node text, lease_ms int8, facts jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  DELETE FROM polylogue.nodes WHERE node_id IN (
    SELECT node_id FROM polylogue.nodes WHERE lease_until < polylogue.now_ms() - 86400000 AND node_id <> node
    FOR UPDATE SKIP LOCKED);
  INSERT INTO polylogue.nodes AS n (node_id, lease_until, started_at, role, version, machine, pid, url)
    VALUES (node, polylogue.now_ms() + lease_ms, polylogue.now_ms(), facts->>'role', facts->>'version', facts->>'machine',
      (facts->>'pid')::int4, facts->>'url')
    ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until, role = excluded.role,
      version = excluded.version, machine = excluded.machine, pid = excluded.pid, url = excluded.url;
$$;

CREATE FUNCTION polylogue.list_nodes()
RETURNS TABLE (node_id text, lease_until int8, started_at int8, role text, version text, machine text, pid int4, url text,
  is_alive boolean, sessions int8) LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT n.node_id, n.lease_until, n.started_at, n.role, n.version, n.machine, n.pid, n.url,
    n.lease_until > polylogue.now_ms(), (SELECT count(*) FROM polylogue.sessions AS s WHERE s.owner = n.node_id)
  FROM polylogue.nodes AS n WHERE n.role IS NOT NULL ORDER BY n.started_at, n.node_id
$$;

CREATE FUNCTION polylogue.session_leases(node text, most int8) RETURNS TABLE (session_id text, node_id text, epoch int8)
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT s.session_id, s.owner, s.epoch FROM polylogue.sessions AS s
  WHERE s.owner IS NOT NULL AND (node IS NULL OR s.owner = node) ORDER BY s.session_id LIMIT most
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
    IF NOT polylogue.may_claim(head.owner, head.runs_on, item->>'co') THEN RETURN '{"c":"lease-held"}'; END IF;
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
      epoch = CASE WHEN item ? 'co' THEN epoch + 1 ELSE epoch END
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

-- The items come sorted by session. The answers have the same order: {"q": last seq, "p": epoch of a claim} or {"c": conflict}.
CREATE OR REPLACE FUNCTION polylogue.append_batch(items jsonb) RETURNS jsonb LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  item jsonb;
  answers jsonb := '[]';
BEGIN
  PERFORM polylogue.lock_lease(claim->>'co', (claim->>'cl')::int8)
    FROM (SELECT DISTINCT ON (one->>'co') one AS claim FROM jsonb_array_elements(items) AS one
      WHERE one ? 'co' ORDER BY one->>'co') AS claims;
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

DROP FUNCTION polylogue.claim_session(text, text, int8);
CREATE FUNCTION polylogue.claim_session(id text, by text, lease_ms int8) RETURNS int8
LANGUAGE plpgsql VOLATILE SET xmlbinary = 'hex' AS $$
DECLARE
  claimed int8;
BEGIN
  PERFORM polylogue.lock_lease(by, lease_ms);
  UPDATE polylogue.sessions SET owner = by, epoch = epoch + 1
    WHERE session_id = id AND polylogue.may_claim(owner, runs_on, by) RETURNING epoch INTO claimed;
  IF claimed IS NOT NULL THEN PERFORM polylogue.keep_lease(by, lease_ms); END IF;
  RETURN claimed;
END $$;

-- Extends the lease of a node and answers which of the given sessions it still holds.
DROP FUNCTION polylogue.renew_leases(text, text[], int8);
CREATE FUNCTION polylogue.renew_leases(by text, ids text[], lease_ms int8) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  INSERT INTO polylogue.nodes (node_id, lease_until, started_at)
    VALUES (by, polylogue.now_ms() + lease_ms, polylogue.now_ms())
    ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until;
  SELECT session_id FROM polylogue.sessions WHERE session_id = ANY (ids) AND owner = by;
$$;

CREATE OR REPLACE FUNCTION polylogue.release_session(id text, by text, at_epoch int8) RETURNS void
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  UPDATE polylogue.sessions SET owner = NULL WHERE session_id = id AND owner = by AND epoch = at_epoch
$$;

CREATE OR REPLACE FUNCTION polylogue.drop_leases() RETURNS void LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  WITH held AS (SELECT session_id FROM polylogue.sessions WHERE owner IS NOT NULL ORDER BY session_id FOR UPDATE)
  UPDATE polylogue.sessions AS s SET owner = NULL FROM held WHERE s.session_id = held.session_id
$$;

CREATE OR REPLACE FUNCTION polylogue.wanted_sessions(most int8) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT s.session_id FROM polylogue.sessions AS s
  LEFT JOIN polylogue.nodes AS holder ON holder.node_id = s.owner
  LEFT JOIN polylogue.nodes AS bound ON bound.node_id = s.runs_on
  WHERE s.wanted_since IS NOT NULL
    AND (holder.node_id IS NULL OR holder.lease_until <= polylogue.now_ms())
    AND (bound.node_id IS NULL OR bound.lease_until <= polylogue.now_ms())
  ORDER BY s.wanted_since, s.session_id LIMIT most
$$;
