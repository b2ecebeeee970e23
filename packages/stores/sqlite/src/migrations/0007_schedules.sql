-- What users want done at certain times. Times are epoch milliseconds.

CREATE TABLE schedules (
  schedule_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  prompt TEXT NOT NULL,
  cron TEXT NOT NULL,
  timezone TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  expires_at INTEGER,
  is_unattended INTEGER NOT NULL,
  model TEXT,
  agent TEXT,
  source_session TEXT,
  created_at INTEGER NOT NULL,
  decided_until INTEGER NOT NULL,
  next_slot_at INTEGER,
  zone_rules TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Over all of it: a schedule in which one bit flipped would run at another time, or something else.
  crc INTEGER NOT NULL
) STRICT;

CREATE INDEX schedules_of_user ON schedules (user_id);
CREATE INDEX schedules_by_slot ON schedules (next_slot_at) WHERE next_slot_at IS NOT NULL;
CREATE INDEX schedules_by_rules ON schedules (zone_rules);

-- What became of each slot of a schedule; with a run where it fired.
CREATE TABLE schedule_slots (
  schedule_id TEXT NOT NULL,
  slot_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  run_id TEXT,
  session_id TEXT,
  status TEXT,
  error TEXT,
  finished_at INTEGER,
  crc INTEGER NOT NULL,
  PRIMARY KEY (schedule_id, slot_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX schedule_runs ON schedule_slots (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX open_schedule_runs ON schedule_slots (schedule_id) WHERE status IN ('due', 'running');
