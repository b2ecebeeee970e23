-- A long log takes a while to delete. What belongs to a deleted session is deleted without the lock of its user, for which the other appends of
-- the user wait, and those of others that share a statement with them. Nothing reads it meanwhile: every read begins at `sessions`.
ALTER TABLE polylogue.deleted_sessions ADD COLUMN is_purged boolean NOT NULL DEFAULT true;
CREATE INDEX deleted_sessions_left ON polylogue.deleted_sessions (session_id) WHERE NOT is_purged;

CREATE OR REPLACE FUNCTION polylogue.delete_session(id text) RETURNS boolean LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  owner_id text;
  freed int8;
BEGIN
  SELECT user_id INTO owner_id FROM polylogue.sessions WHERE session_id = id;
  IF owner_id IS NULL THEN RETURN false; END IF;
  PERFORM FROM polylogue.user_sizes WHERE user_id = owner_id FOR UPDATE;
  DELETE FROM polylogue.sessions WHERE user_id = owner_id AND session_id = id RETURNING stored_bytes INTO freed;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO polylogue.deleted_sessions (user_id, session_id, is_purged) VALUES (owner_id, id, false);
  UPDATE polylogue.user_sizes SET stored_bytes = greatest(0, stored_bytes - freed) WHERE user_id = owner_id;
  DELETE FROM polylogue.listings WHERE user_id = owner_id AND session_id = id;
  RETURN true;
END $$;

-- Deletes what is left of one deleted session: of this one, or else of one whose node died before it had done so. Answers whether there was one.
CREATE FUNCTION polylogue.purge_deleted(id text) RETURNS boolean LANGUAGE plpgsql SET xmlbinary = 'hex' AS $$
DECLARE
  left_over polylogue.deleted_sessions%ROWTYPE;
BEGIN
  SELECT * INTO left_over FROM polylogue.deleted_sessions WHERE NOT is_purged
    ORDER BY session_id <> coalesce(id, '') LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM polylogue.events WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.spoken_words WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.snapshots WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.draft_parts WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.receipts WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.names WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.secrets WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  DELETE FROM polylogue.blobs WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  UPDATE polylogue.deleted_sessions SET is_purged = true
    WHERE user_id = left_over.user_id AND session_id = left_over.session_id;
  RETURN true;
END $$;
