-- Model calls and what they took. Times are epoch milliseconds, days are counted from 1970-01-01 in UTC. All of it can be
-- read from the log; it stands here so that it can be added up.

CREATE TABLE usage (
  session_id TEXT NOT NULL,
  -- The step or the compaction.
  call_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key_id TEXT,
  turn_id TEXT,
  -- Loop ids with spaces between, the one that made the call first.
  loops TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  -- 0: the call was cut off before its provider said anything.
  is_told INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  -- NULL: nobody knows the price. In billionths of a unit of the currency.
  nano INTEGER,
  currency TEXT,
  PRIMARY KEY (session_id, call_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_user ON usage (user_id, at);
CREATE INDEX usage_by_key ON usage (key_id, at) WHERE key_id IS NOT NULL;

-- The same added up for each day: what budgets and most questions need, whatever the number of calls. The key is empty
-- where there is none, the currency for calls whose price nobody knows.
CREATE TABLE usage_days (
  key_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  kind TEXT NOT NULL,
  currency TEXT NOT NULL,
  calls INTEGER NOT NULL,
  untold INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  nano INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, day, user_id, agent, model, kind, currency)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_days_by_user ON usage_days (user_id, day);
