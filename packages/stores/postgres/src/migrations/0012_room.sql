-- A turn may wait long although nodes have room: nobody has its files or its agent, or it ran for long before its node handed it over. New
-- turns are refused for it only if no node has room. Nodes that state no room run no turns of others, or are of an older version.
ALTER TABLE polylogue.nodes ADD COLUMN room int4;

CREATE OR REPLACE FUNCTION polylogue.beat(node text, lease_ms int8, facts jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  DELETE FROM polylogue.nodes WHERE node_id IN (
    SELECT node_id FROM polylogue.nodes WHERE lease_until < polylogue.now_ms() - 86400000 AND node_id <> node
    FOR UPDATE SKIP LOCKED);
  INSERT INTO polylogue.nodes AS n (node_id, lease_until, started_at, role, version, machine, pid, url, level, room)
    VALUES (node, polylogue.now_ms() + lease_ms, polylogue.now_ms(), facts->>'role', facts->>'version', facts->>'machine',
      (facts->>'pid')::int4, facts->>'url', coalesce((facts->>'level')::int4, 1), (facts->>'room')::int4)
    ON CONFLICT (node_id) DO UPDATE SET lease_until = excluded.lease_until, role = excluded.role,
      version = excluded.version, machine = excluded.machine, pid = excluded.pid, url = excluded.url, level = excluded.level,
      room = excluded.room;
$$;

CREATE FUNCTION polylogue.has_room() RETURNS boolean LANGUAGE sql VOLATILE AS
$$ SELECT EXISTS (SELECT FROM polylogue.nodes WHERE room > 0 AND lease_until > polylogue.now_ms()) $$;
