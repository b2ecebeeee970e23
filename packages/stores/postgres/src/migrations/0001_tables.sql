-- All tables. Times are epoch milliseconds, texts are compared by bytes (COLLATE "C"), and a `crc` finds what changed by
-- accident: see @polylogue/store-rows. `user_id` is the first column of every key.

-- The only source of time for leases: the clocks of nodes may differ.
CREATE FUNCTION polylogue.now_ms() RETURNS int8 LANGUAGE sql VOLATILE AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 $$;

CREATE TABLE polylogue.sessions (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  last_seq int8 NOT NULL,
  summary text NOT NULL,
  summary_crc int8 NOT NULL,
  stored_bytes int8 NOT NULL,
  -- Since when the session has wanted a runner; NULL when it wants none.
  wanted_since int8,
  -- The lease. The epoch only ever rises; an owner is NULL when nobody holds the session.
  owner text COLLATE "C",
  epoch int8 NOT NULL,
  lease_until int8 NOT NULL,
  PRIMARY KEY (user_id, session_id)
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX sessions_by_id ON polylogue.sessions (session_id);
CREATE INDEX sessions_wanted ON polylogue.sessions (wanted_since, session_id) WHERE wanted_since IS NOT NULL;

CREATE TABLE polylogue.events (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  seq int8 NOT NULL,
  at int8 NOT NULL,
  type text NOT NULL,
  version int4 NOT NULL,
  data text NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, session_id, seq)
) PARTITION BY HASH (user_id);

DO $$ BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE polylogue.events_%s PARTITION OF polylogue.events FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
  END LOOP;
END $$;

CREATE TABLE polylogue.snapshots (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  seq int8 NOT NULL,
  state text NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, session_id)
);

-- The text of a streaming block, in the pieces in which it was saved.
CREATE TABLE polylogue.draft_parts (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  block int4 NOT NULL,
  -- In characters of the saved text.
  part_offset int8 NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  reserved_batches int8,
  PRIMARY KEY (user_id, session_id, step_id, block, part_offset)
);

CREATE TABLE polylogue.receipts (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  -- The user of the request, who may be another one than the owner of the session.
  by_user text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  turn_id text NOT NULL,
  seq int8 NOT NULL,
  PRIMARY KEY (user_id, session_id, by_user, key)
);

CREATE TABLE polylogue.names (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, session_id, name)
);

CREATE TABLE polylogue.blobs (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  media_type text NOT NULL,
  bytes bytea NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, session_id, hash)
);
-- Images are compressed already.
ALTER TABLE polylogue.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE polylogue.secrets (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (user_id, session_id, name)
);

CREATE TABLE polylogue.listings (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  listed_at int8 NOT NULL,
  is_pinned int4 NOT NULL,
  is_started int4 NOT NULL,
  directory text COLLATE "C",
  -- Folded, and its tokens with a space before and after each.
  title text COLLATE "C" NOT NULL,
  title_words text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, session_id)
);
CREATE INDEX listings_newest ON polylogue.listings (user_id, listed_at DESC, session_id DESC);

-- What was said in a session: the tokens of an event, with a space before and after each.
CREATE TABLE polylogue.spoken_words (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  seq int8 NOT NULL,
  words text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, session_id, seq)
);

-- Ids that are never used again.
CREATE TABLE polylogue.deleted_sessions (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL PRIMARY KEY
);

CREATE TABLE polylogue.user_sizes (
  user_id text COLLATE "C" NOT NULL PRIMARY KEY,
  stored_bytes int8 NOT NULL
);

-- Model calls and what they took. The session may be deleted since.
CREATE TABLE polylogue.usage (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  at int8 NOT NULL,
  kind text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  turn_id text COLLATE "C",
  -- Loop ids with spaces between, the one that made the call first.
  loops text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  -- 0: the call was cut off before its provider said anything.
  is_told int4 NOT NULL,
  input_tokens int8 NOT NULL,
  output_tokens int8 NOT NULL,
  cached_input_tokens int8 NOT NULL,
  cache_write_tokens int8 NOT NULL,
  reasoning_tokens int8 NOT NULL,
  -- NULL: nobody knows the price. In billionths of a unit of the currency.
  nano int8,
  currency text COLLATE "C",
  PRIMARY KEY (user_id, session_id, call_id)
);
CREATE INDEX usage_by_time ON polylogue.usage (user_id, at);
CREATE INDEX usage_by_key ON polylogue.usage (key_id, at) WHERE key_id IS NOT NULL;

CREATE TABLE polylogue.rules (
  user_id text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL UNIQUE,
  place int8 NOT NULL,
  created_at int8 NOT NULL,
  rule text NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, place)
);

CREATE TABLE polylogue.memories (
  memory_id int8 GENERATED ALWAYS AS IDENTITY,
  user_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  content text COLLATE "C" NOT NULL,
  skill_name text,
  record_type text,
  scope text,
  owner text,
  topic text,
  external_id text,
  superseded_by int8,
  write_reason text,
  created_at int8 NOT NULL,
  updated_at int8,
  hit_count int8 NOT NULL,
  last_hit_at int8,
  is_disabled int4 NOT NULL,
  source_session text,
  -- `user` or `tool`; NULL: unknown.
  origin text,
  source_tool text,
  word_count int4 NOT NULL,
  crc int8 NOT NULL,
  words text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, memory_id)
);
CREATE INDEX memories_by_word ON polylogue.memories USING gin (words);

CREATE TABLE polylogue.schedules (
  user_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL UNIQUE,
  title text NOT NULL,
  prompt text NOT NULL,
  cron text NOT NULL,
  timezone text NOT NULL,
  is_enabled int4 NOT NULL,
  expires_at int8,
  is_unattended int4 NOT NULL,
  model text,
  agent text,
  source_session text,
  created_at int8 NOT NULL,
  decided_until int8 NOT NULL,
  next_slot_at int8,
  zone_rules text NOT NULL,
  revision int8 NOT NULL,
  crc int8 NOT NULL,
  -- The order in which schedules of the same time were made.
  entry int8 GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (user_id, schedule_id)
);
CREATE INDEX schedules_by_slot ON polylogue.schedules (next_slot_at) WHERE next_slot_at IS NOT NULL;

CREATE TABLE polylogue.schedule_slots (
  user_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  slot_at int8 NOT NULL,
  decided_at int8 NOT NULL,
  outcome text NOT NULL,
  run_id text COLLATE "C",
  session_id text,
  status text COLLATE "C",
  error text,
  finished_at int8,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, schedule_id, slot_at)
);
CREATE UNIQUE INDEX schedule_runs ON polylogue.schedule_slots (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX open_schedule_runs ON polylogue.schedule_slots (schedule_id) WHERE status IN ('due', 'running');

CREATE TABLE polylogue.kept_sockets (
  entry int8 GENERATED ALWAYS AS IDENTITY,
  user_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  content text NOT NULL,
  expires_at int8 NOT NULL,
  crc int8 NOT NULL,
  PRIMARY KEY (user_id, hash)
);
CREATE INDEX kept_sockets_by_expiry ON polylogue.kept_sockets (expires_at);

-- Tables that are read before the user is known, so no row-level security.

CREATE TABLE polylogue.keys (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at int8 NOT NULL,
  expires_at int8,
  last_used_at int8,
  revoked_at int8,
  crc int8 NOT NULL
);
CREATE INDEX keys_by_user ON polylogue.keys (user_id);

CREATE TABLE polylogue.sign_in_codes (
  hash text COLLATE "C" NOT NULL PRIMARY KEY,
  entry int8 GENERATED ALWAYS AS IDENTITY,
  user_id text COLLATE "C" NOT NULL,
  expires_at int8 NOT NULL,
  crc int8 NOT NULL
);

-- A transaction sees the rows of the user in `polylogue.user`. A transaction for all users sets `polylogue.system`, a function for all
-- users `xmlbinary`: see 0007.
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['sessions', 'events', 'snapshots', 'draft_parts', 'receipts', 'names', 'blobs', 'secrets',
    'listings', 'spoken_words', 'deleted_sessions', 'user_sizes', 'usage', 'rules', 'memories', 'schedules',
    'schedule_slots', 'kept_sockets']
  LOOP
    EXECUTE format('ALTER TABLE polylogue.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE polylogue.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_rows ON polylogue.%I USING (user_id = current_setting(''polylogue.user'', true)
         OR current_setting(''polylogue.system'', true) = ''on'')', name);
  END LOOP;
END $$;
