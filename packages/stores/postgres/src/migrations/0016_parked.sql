-- A log whose reading kills its process would kill one node after the other, because nothing of it is recorded. So claims are counted that no
-- append and no orderly release followed: after five, nobody claims the session. An append, such as that of a cancel, begins anew.
ALTER TABLE polylogue.sessions ADD COLUMN claims int4 NOT NULL DEFAULT 0;

CREATE FUNCTION polylogue.forget_claims() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.claims := 0; RETURN NEW; END $$;
CREATE TRIGGER forget_claims BEFORE UPDATE ON polylogue.sessions FOR EACH ROW
  WHEN (OLD.claims > 0 AND (NEW.last_seq <> OLD.last_seq OR NEW.owner IS NULL)) EXECUTE FUNCTION polylogue.forget_claims();

CREATE OR REPLACE FUNCTION polylogue.claim_session(id text, by text, lease_ms int8) RETURNS int8
LANGUAGE plpgsql VOLATILE SET xmlbinary = 'hex' AS $$
DECLARE
  claimed int8;
BEGIN
  PERFORM polylogue.lock_lease(by, lease_ms);
  UPDATE polylogue.sessions AS s
    SET owner = by, epoch = s.epoch + 1, claims = s.claims + 1, runs_on = CASE WHEN s.runs_on = by THEN by END
    WHERE s.session_id = id AND s.claims < 5 AND polylogue.may_claim(s, by) RETURNING s.epoch INTO claimed;
  IF claimed IS NOT NULL THEN PERFORM polylogue.keep_lease(by, lease_ms); END IF;
  RETURN claimed;
END $$;

CREATE OR REPLACE FUNCTION polylogue.wanted_sessions(most int8, known int4) RETURNS SETOF text
LANGUAGE sql VOLATILE SET xmlbinary = 'hex' AS $$
  SELECT session_id FROM (
    SELECT s.session_id, s.wanted_since, row_number() OVER (
        PARTITION BY s.user_id ORDER BY (holder.node_id IS NULL), s.wanted_since, s.session_id) AS place,
      (holder.node_id IS NULL AND bound.node_id IS NULL AND s.level <= known AND s.claims < 5) AS is_free
    FROM polylogue.sessions AS s
    LEFT JOIN polylogue.nodes AS holder ON holder.node_id = s.owner AND holder.lease_until > polylogue.now_ms()
    LEFT JOIN polylogue.nodes AS bound ON bound.node_id = s.runs_on AND bound.lease_until > polylogue.now_ms()
    WHERE s.wanted_since IS NOT NULL
  ) AS wanted WHERE is_free ORDER BY place, wanted_since, session_id LIMIT most
$$;
