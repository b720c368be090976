-- One sitting of a run is a session. `crawls` is its published name, now a view.
DROP INDEX crawls_of_run;
DROP INDEX one_live_crawl_per_run;
ALTER TABLE crawls RENAME TO sessions;
CREATE INDEX sessions_of_run ON sessions (run);
CREATE UNIQUE INDEX one_live_session_per_run ON sessions (run) WHERE state = 'in_progress';
ALTER TABLE owners RENAME COLUMN crawl TO session;
ALTER TABLE urls RENAME COLUMN crawl TO session;
ALTER TABLE visits RENAME COLUMN crawl TO session;
ALTER TABLE node_pages RENAME COLUMN crawl TO session;

CREATE VIEW crawls AS
SELECT s.id,
       r.project AS project_id,
       s.run AS run_id,
       s.state,
       s.reason,
       s.started_at AS crawl_date_time,
       s.duration_ms AS crawl_duration,
       s.pages AS pages_crawled
FROM sessions AS s JOIN runs AS r ON r.id = s.run
WHERE r.is_deleted = 0;
