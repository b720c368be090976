-- Several runs of one job may be paused at a time. That one session of a project is live is seen to by the locks and by `owners`.
DROP INDEX one_open_run_per_project;

-- robots.txt and sitemaps guide the crawler: they count toward no budget, so they are counted apart from `visits` and `fetched`.
ALTER TABLE crawls ADD COLUMN guides INTEGER NOT NULL DEFAULT 0;
UPDATE crawls SET guides = (
    SELECT count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
    WHERE v.run = crawls.run AND v.crawl = crawls.id AND u.task IN ('sitemap', 'robots')
), fetched = fetched - (
    SELECT count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
    WHERE v.run = crawls.run AND v.crawl = crawls.id AND u.task IN ('sitemap', 'robots') AND v.was_fetched
);
UPDATE crawls SET visits = visits - guides;
