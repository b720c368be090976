-- Figures that lists and polling ask for again and again, kept where batches are counted already.

ALTER TABLE crawls ADD COLUMN fetched INTEGER NOT NULL DEFAULT 0;     -- URLs that were asked for
ALTER TABLE crawls ADD COLUMN html INTEGER NOT NULL DEFAULT 0;        -- and these by what came
ALTER TABLE crawls ADD COLUMN css INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN javascript INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN images INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN fonts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawls ADD COLUMN first_number INTEGER;                   -- the lowest number it visited
ALTER TABLE crawls ADD COLUMN last_number INTEGER;                    -- the highest

UPDATE crawls SET (fetched, html, css, javascript, images, fonts, first_number, last_number) = (
    SELECT coalesce(sum(was_fetched), 0),
           coalesce(sum(content_type IN ('text/html', 'application/xhtml+xml')), 0),
           coalesce(sum(content_type = 'text/css'), 0),
           coalesce(sum(content_type LIKE '%javascript' OR content_type LIKE '%ecmascript'), 0),
           coalesce(sum(content_type LIKE 'image/%'), 0),
           coalesce(sum(content_type LIKE 'font/%' OR content_type LIKE 'application/font-%'
                        OR content_type LIKE 'application/x-font-%' OR content_type = 'application/vnd.ms-fontobject'), 0),
           min(number),
           max(number)
    FROM visits WHERE visits.run = crawls.run AND visits.crawl = crawls.id
);

-- How many URLs were still pending when a run was completed: nothing changes that any more.
ALTER TABLE runs ADD COLUMN left_pending INTEGER;

UPDATE runs SET left_pending = (SELECT count(*) FROM urls WHERE run = runs.id AND disposition = 'pending')
WHERE state = 'completed';

CREATE INDEX shown_runs_of_project ON runs (project) WHERE is_deleted = 0;
