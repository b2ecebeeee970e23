-- Whose words a memory holds (`user` or `tool`), and the tool whose result it was. NULL in memories of older versions.

ALTER TABLE memories ADD COLUMN origin TEXT;
ALTER TABLE memories ADD COLUMN source_tool TEXT;
