-- Functions that work for all users say so with `xmlbinary`, a setting that nothing here uses otherwise: only a superuser may give a
-- function a setting that PostgreSQL does not know, such as `polylogue.system`. Databases of superusers have such functions.
DO $$
DECLARE
  it record;
BEGIN
  FOR it IN SELECT tablename FROM pg_policies WHERE schemaname = 'polylogue' AND policyname = 'own_rows' LOOP
    EXECUTE format(
      'ALTER POLICY own_rows ON polylogue.%I USING (user_id = current_setting(''polylogue.user'', true)
         OR current_setting(''xmlbinary'') = ''hex'' OR current_setting(''polylogue.system'', true) = ''on'')', it.tablename);
  END LOOP;
  FOR it IN SELECT oid::regprocedure AS name FROM pg_proc
      WHERE pronamespace = 'polylogue'::regnamespace AND 'polylogue.system=on' = ANY (proconfig) LOOP
    EXECUTE format('ALTER FUNCTION %s RESET polylogue.system', it.name);
    EXECUTE format('ALTER FUNCTION %s SET xmlbinary = ''hex''', it.name);
  END LOOP;
END $$;
