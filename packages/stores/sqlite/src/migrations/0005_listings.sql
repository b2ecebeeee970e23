-- What lists find sessions by. Written with the summary; `listed_at` is when that was written last.

CREATE TABLE listings (
  session_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  listed_at INTEGER NOT NULL,
  is_pinned INTEGER NOT NULL,
  is_started INTEGER NOT NULL,
  directory TEXT,
  title TEXT
) STRICT, WITHOUT ROWID;

-- Sessions that were there before, as far as their summaries tell; one that was never told has no title.
INSERT INTO listings (session_id, user_id, listed_at, is_pinned, is_started, directory, title)
SELECT session_id, user_id, coalesce(json_extract(summary, '$.updatedAt'), 0), 0,
       json_extract(summary, '$.title') IS NOT NULL, NULL, json_extract(summary, '$.title')
FROM sessions WHERE json_valid(summary);

CREATE INDEX listings_by_user
ON listings (user_id, is_pinned DESC, listed_at DESC, session_id DESC, is_started, directory);

CREATE INDEX listings_newest ON listings (user_id, listed_at DESC, session_id DESC, is_started, directory);

-- Numbers of live batches up to this one may have been used.
ALTER TABLE drafts ADD COLUMN reserved_batches INTEGER;
