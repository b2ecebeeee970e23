-- What users had their agents remember. Ids are never given again. Times are epoch milliseconds.

CREATE TABLE memories (
  memory_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  skill_name TEXT,
  record_type TEXT,
  scope TEXT,
  owner TEXT,
  topic TEXT,
  external_id TEXT,
  superseded_by INTEGER,
  write_reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  hit_count INTEGER NOT NULL,
  last_hit_at INTEGER,
  is_disabled INTEGER NOT NULL,
  source_session TEXT,
  -- How many words are in memory_words.
  word_count INTEGER NOT NULL,
  -- Over all of it: a memory in which one bit flipped would be told to a model as the user's word.
  crc INTEGER NOT NULL
) STRICT;

CREATE INDEX memories_of_user ON memories (user_id);

-- By the id of the memory: its user, as one word, and its words with spaces between.
CREATE VIRTUAL TABLE memory_words USING fts5 (user, words, tokenize = 'unicode61');
