-- The search index over titles and over what was said: see search-rows.ts. All of it can be rebuilt from the log.

CREATE TABLE search_marks (
  -- Never used again: the row ids of search_words are made of it.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL UNIQUE,
  -- Events up to this one are in the index.
  indexed_seq INTEGER NOT NULL,
  -- How many rows of search_words the session has. The first one is its title.
  texts INTEGER NOT NULL,
  -- Folded.
  title TEXT NOT NULL
) STRICT;

-- The user as one word, and the tokens of a text with spaces between. Only the index is stored, not the texts.
CREATE VIRTUAL TABLE search_words
USING fts5 (user, words, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3');
