-- What all nodes must have in common, such as their secret key.
CREATE TABLE polylogue.settings (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  known text[] NOT NULL
);

-- Enters values of a node. Answers false, and enters nothing, if the other nodes have none of them.
CREATE FUNCTION polylogue.agree(setting text, mine text[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  theirs text[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('polylogue settings'));
  SELECT known INTO theirs FROM polylogue.settings WHERE name = setting;
  IF theirs IS NULL THEN
    INSERT INTO polylogue.settings (name, known) VALUES (setting, mine);
  ELSIF NOT theirs && mine THEN
    RETURN false;
  ELSIF NOT theirs @> mine THEN
    UPDATE polylogue.settings SET known = ARRAY (SELECT DISTINCT unnest(theirs || mine) ORDER BY 1) WHERE name = setting;
  END IF;
  RETURN true;
END $$;
