-- Words of a page without navigation, header, footer, sidebar, breadcrumbs and pagination.
ALTER TABLE visits ADD COLUMN main_words INTEGER;
-- MinHash of these words: 64 slots of two bytes, little-endian. NULL under 20 words.
ALTER TABLE visits ADD COLUMN signature BLOB;
-- The media type that the first bytes of the body show, if it contradicts Content-Type.
ALTER TABLE visits ADD COLUMN sniffed TEXT;
-- JSON: results of custom extraction and search (`columns`, `contains`), and what was read from an llms.txt (`llms`).
ALTER TABLE visits ADD COLUMN extracted TEXT;
