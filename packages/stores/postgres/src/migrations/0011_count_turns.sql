-- Asked before each turn: as a transaction of its user, it would take four statements.
CREATE FUNCTION polylogue.count_turns(of_user text) RETURNS int8
LANGUAGE sql STABLE SET xmlbinary = 'hex' AS
$$ SELECT count(*) FROM polylogue.sessions AS s WHERE s.wanted_since IS NOT NULL AND s.user_id = of_user $$;
