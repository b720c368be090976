-- What an audit found and derived, computed once when a run is sealed. It is written in many transactions; the row of
-- `audits` comes last, and rows of the other tables count only if it is there.

CREATE TABLE audits (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,      -- never used again: a new audit of a run differs from the old one
    run          INTEGER NOT NULL UNIQUE,
    urls         INTEGER NOT NULL,                       -- how many URLs it knows
    pages        INTEGER NOT NULL,                       -- internal HTML pages with a successful response
    settings     TEXT NOT NULL,                          -- JSON: the settings it was made with
    is_completed INTEGER NOT NULL
) STRICT;

-- One row for every check, also for those that found nothing.
CREATE TABLE issue_counts (
    run         INTEGER NOT NULL,
    check_id    TEXT NOT NULL,
    position    INTEGER NOT NULL,                        -- in the catalogue
    name        TEXT NOT NULL,                           -- with its threshold
    type        TEXT NOT NULL,                           -- issue, warning or opportunity
    priority    TEXT NOT NULL,                           -- high, medium or low
    findings    INTEGER NOT NULL,
    urls        INTEGER NOT NULL,
    not_checked TEXT,                                    -- why it was not checked
    shared      TEXT NOT NULL,                           -- JSON: findings that a template causes
    examples    TEXT NOT NULL,                           -- JSON: the first findings, as in issue_lists
    numbers     BLOB NOT NULL,                           -- the URLs, packed like inlink_lists.list
    PRIMARY KEY (run, check_id)
) STRICT;

-- The findings of a check in number order, 1,000 in each part but the last. The view `issues` unpacks them.
CREATE TABLE issue_lists (
    run          INTEGER NOT NULL,
    check_id     TEXT NOT NULL,
    part         INTEGER NOT NULL,                       -- from 0
    first_number INTEGER NOT NULL,
    findings     TEXT NOT NULL,                          -- JSON: list of [number] or [number, detail]
    PRIMARY KEY (run, check_id, part)
) STRICT;
CREATE INDEX issue_lists_by_number ON issue_lists (run, check_id, first_number, part);

-- The documents that refer to a URL, in number order: the distance of each from the one before, seven bits to a byte,
-- the lowest first; all bytes of a distance but the last have the highest bit set.
CREATE TABLE inlink_lists (
    run    INTEGER NOT NULL,
    target INTEGER NOT NULL,
    list   BLOB NOT NULL,
    PRIMARY KEY (run, target)
) STRICT, WITHOUT ROWID;

-- What follows from all links and pages. A URL without a row has no links and no score.
CREATE TABLE figures (
    run               INTEGER NOT NULL,
    number            INTEGER NOT NULL,
    inlinks           INTEGER NOT NULL,
    unique_inlinks    INTEGER NOT NULL,
    outlinks          INTEGER NOT NULL,
    unique_outlinks   INTEGER NOT NULL,
    external_outlinks INTEGER NOT NULL,
    link_score        REAL,
    near_duplicate_of INTEGER,
    similarity        INTEGER,                           -- percent
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX near_duplicates ON figures (run, near_duplicate_of) WHERE near_duplicate_of IS NOT NULL;

-- What lists of URLs are filtered and sorted by: for each name a value of fixed width for every URL, by number,
-- little-endian. `names` is JSON: what other columns refer to by index.
CREATE TABLE run_columns (
    run   INTEGER NOT NULL,
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run, name)
) STRICT;

-- The folders of internal URLs; `parent || name` is the start of their URLs, and hosts have no parent.
CREATE TABLE folders (
    run       INTEGER NOT NULL,
    parent    TEXT NOT NULL,
    name      TEXT NOT NULL,
    urls      INTEGER NOT NULL,
    indexable INTEGER NOT NULL,
    errors    INTEGER NOT NULL,
    folders   INTEGER NOT NULL,                          -- folders directly in it
    PRIMARY KEY (run, parent, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX visits_identical ON visits (run, identical_to) WHERE identical_to IS NOT NULL;

CREATE VIEW issues AS
SELECT l.run AS run_id,
       l.check_id,
       f.value ->> 0 AS number,
       u.url,
       f.value ->> 1 AS detail
FROM audits AS a
JOIN issue_lists AS l ON l.run = a.run
JOIN json_each(l.findings) AS f
JOIN urls AS u ON u.run = l.run AND u.number = f.value ->> 0;

CREATE VIEW pages AS
SELECT v.run AS run_id,
       v.session AS crawl_id,
       v.number,
       u.url,
       v.status,
       v.content_type,
       u.depth,
       v.indexable,
       v.indexable_reason,
       v.title,
       length(v.title) AS title_length,
       v.description AS meta_description,
       length(v.description) AS meta_description_length,
       v.h1,
       length(v.h1) AS h1_length,
       v.h2,
       length(v.h2) AS h2_length,
       v.canonical AS canonical_url,
       v.lang,
       v.word_count,
       v.main_words,
       v.body_bytes,
       v.wire_bytes,
       v.first_byte_us / 1000.0 AS first_byte_ms,
       v.total_us / 1000.0 AS total_ms,
       iif(a.run IS NULL, NULL, coalesce(f.inlinks, 0)) AS inlinks,
       iif(a.run IS NULL, NULL, coalesce(f.unique_inlinks, 0)) AS unique_inlinks,
       iif(a.run IS NULL, NULL, coalesce(f.outlinks, 0)) AS outlinks,
       iif(a.run IS NULL, NULL, coalesce(f.unique_outlinks, 0)) AS unique_outlinks,
       iif(a.run IS NULL, NULL, coalesce(f.external_outlinks, 0)) AS external_outlinks,
       f.link_score,
       f.near_duplicate_of,
       f.similarity,
       v.duplicate_of,
       v.identical_to
FROM visits AS v
JOIN urls AS u ON u.run = v.run AND u.number = v.number
LEFT JOIN audits AS a ON a.run = v.run
LEFT JOIN figures AS f ON f.run = a.run AND f.number = v.number
WHERE v.facts IS NOT NULL;
