-- How many sessions of the user of this session wait for a runner or have one.
CREATE FUNCTION polylogue.count_wanted(id text) RETURNS int8 LANGUAGE sql STABLE SET xmlbinary = 'hex' AS $$
  SELECT count(*) FROM polylogue.sessions
  WHERE wanted_since IS NOT NULL AND user_id = (SELECT user_id FROM polylogue.sessions WHERE session_id = id)
$$;

-- How many sessions wait for a runner, and since when the first of them does.
CREATE FUNCTION polylogue.backlog() RETURNS TABLE (waiting int8, oldest_ms int8)
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT count(*), coalesce(polylogue.now_ms() - min(s.wanted_since), 0) FROM polylogue.sessions AS s
  WHERE s.wanted_since IS NOT NULL AND s.owner IS NULL
$$;

-- The first session of every user comes before anybody's second.
CREATE OR REPLACE FUNCTION polylogue.wanted_sessions(most int8) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT session_id FROM (
    SELECT s.session_id, s.wanted_since, row_number() OVER (
        PARTITION BY s.user_id ORDER BY (holder.node_id IS NULL), s.wanted_since, s.session_id) AS place,
      (holder.node_id IS NULL AND bound.node_id IS NULL) AS is_free
    FROM polylogue.sessions AS s
    LEFT JOIN polylogue.nodes AS holder ON holder.node_id = s.owner AND holder.lease_until > polylogue.now_ms()
    LEFT JOIN polylogue.nodes AS bound ON bound.node_id = s.runs_on AND bound.lease_until > polylogue.now_ms()
    WHERE s.wanted_since IS NOT NULL
  ) AS wanted WHERE is_free ORDER BY place, wanted_since, session_id LIMIT most
$$;
