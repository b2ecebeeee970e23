-- Nodes of two versions share the database during an update. The level of a node says which events it can read; the level of a session is
-- the highest level of its events. A node never claims a session beyond its own level. Nodes that state no level have level 1.
ALTER TABLE polylogue.nodes ADD COLUMN level int4 NOT NULL DEFAULT 1;
ALTER TABLE polylogue.sessions ADD COLUMN level int4 NOT NULL DEFAULT 1;

CREATE OR REPLACE FUNCTION polylogue.beat(node text, lease_ms int8, facts jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  DELETE FROM polylogue.nodes WHERE node_id IN (
    SELECT node_id FROM polylogue.nodes WHERE lease_until < polylogue.now_ms() - 86400000 AND node_id <> node
    FOR UPDATE SKIP LOCKED);
  INSERT INTO polylogue.nodes AS n (node_id, lease_until, started_at, role, version, machine, pid, url, level)
    VALUES (node, polylogue.now_ms() + lease_ms, polylogue.now_ms(), facts->>'role', facts->>'version', facts->>'machine',
      (facts->>'pid')::int4, facts->>'url', coalesce((facts->>'level')::int4, 1))
    ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until, role = excluded.role,
      version = excluded.version, machine = excluded.machine, pid = excluded.pid, url = excluded.url, level = excluded.level;
$$;

-- The level that every live node has.
CREATE FUNCTION polylogue.min_level() RETURNS int4 LANGUAGE sql VOLATILE AS
$$ SELECT coalesce(min(level), 1) FROM polylogue.nodes WHERE lease_until > polylogue.now_ms() $$;

CREATE FUNCTION polylogue.level_of(id text) RETURNS int4 LANGUAGE sql STABLE SET xmlbinary = 'hex' AS
$$ SELECT level FROM polylogue.sessions WHERE session_id = id $$;

CREATE OR REPLACE FUNCTION polylogue.may_claim(head polylogue.sessions, by text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT (head.owner IS NULL OR head.owner = by OR NOT polylogue.is_alive(head.owner))
    AND (head.runs_on IS NULL OR head.runs_on = by OR NOT polylogue.is_alive(head.runs_on))
    AND (head.machine IS NULL
      OR head.machine = (SELECT n.machine FROM polylogue.nodes AS n WHERE n.node_id = by)
      OR NOT EXISTS (SELECT FROM polylogue.nodes AS n WHERE n.machine = head.machine AND n.role IN ('all', 'worker')
        AND n.lease_until > polylogue.now_ms()))
    AND (coalesce(head.level, 1) = 1
      OR head.level <= coalesce((SELECT n.level FROM polylogue.nodes AS n WHERE n.node_id = by), 1))
$$;

-- The items come sorted by session. The answers have the same order: {"q": last seq, "p": epoch of a claim} or {"c": conflict}. The key v of
-- an item is the level of its events, if it is higher than 1.
CREATE OR REPLACE FUNCTION polylogue.append_batch(items jsonb) RETURNS jsonb LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  item jsonb;
  answer jsonb;
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
    answer := polylogue.append_one(item);
    IF item ? 'v' AND answer ? 'q' THEN
      UPDATE polylogue.sessions SET level = greatest(level, (item->>'v')::int4) WHERE session_id = item->>'s';
    END IF;
    answers := answers || answer;
  END LOOP;
  RETURN answers;
END $$;

-- The same as wanted_sessions(most), without the sessions beyond a level.
CREATE FUNCTION polylogue.wanted_sessions(most int8, known int4) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT session_id FROM (
    SELECT s.session_id, s.wanted_since, row_number() OVER (
        PARTITION BY s.user_id ORDER BY (holder.node_id IS NULL), s.wanted_since, s.session_id) AS place,
      (holder.node_id IS NULL AND bound.node_id IS NULL AND s.level <= known) AS is_free
    FROM polylogue.sessions AS s
    LEFT JOIN polylogue.nodes AS holder ON holder.node_id = s.owner AND holder.lease_until > polylogue.now_ms()
    LEFT JOIN polylogue.nodes AS bound ON bound.node_id = s.runs_on AND bound.lease_until > polylogue.now_ms()
    WHERE s.wanted_since IS NOT NULL
  ) AS wanted WHERE is_free ORDER BY place, wanted_since, session_id LIMIT most
$$;
