-- What limits left out of a host, so that a later session with wider ones knows whom to ask again.
ALTER TABLE nodes ADD COLUMN pages_cut INTEGER NOT NULL DEFAULT 0;        -- pages known and not asked for
ALTER TABLE nodes ADD COLUMN pages_limit INTEGER NOT NULL DEFAULT 0;      -- how many might be asked for
ALTER TABLE nodes ADD COLUMN partial_pages INTEGER NOT NULL DEFAULT 0;    -- pages of which only a part was read
ALTER TABLE nodes ADD COLUMN mentions_limit INTEGER NOT NULL DEFAULT 0;   -- the limit behind mentions_cut; 0 = none
ALTER TABLE nodes ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0;          -- visited once more in vain, it is what it was
-- Of graphs that are there it is not known which hosts had more pages: those that were asked for as many as they might be.
UPDATE nodes SET pages_limit = (
    SELECT coalesce(json_extract(r.plan, '$.weave.max_crawls_per_node'), 3) FROM runs AS r WHERE r.id = nodes.run
) WHERE crawl_count > 0;
UPDATE nodes SET pages_cut = 1 WHERE crawl_count > 0 AND crawl_count >= pages_limit;
UPDATE nodes SET mentions_limit = (
    SELECT coalesce(json_extract(r.plan, '$.weave.max_outbound_links'), 10) FROM runs AS r WHERE r.id = nodes.run
) WHERE mentions_cut > 0;
