-- Captures: what pages say, where to search in it, and which answers can be used again.

ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'crawl' CHECK (kind IN ('crawl', 'capture'));

-- A paused crawl does not stand in the way of a capture of the same site.
DROP INDEX one_open_run_per_project;
CREATE UNIQUE INDEX one_open_run_per_project ON runs (project, kind) WHERE state <> 'completed' AND is_deleted = 0;

-- visits.is_from_cache: 1 when an earlier answer was used without asking, 2 when the server said that nothing changed.
CREATE INDEX copies ON visits (run, duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE TABLE documents (
    run             INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    title           TEXT,
    description     TEXT,
    language        TEXT,
    framework       TEXT,                                -- the generator of the site
    is_own_markdown INTEGER NOT NULL,                    -- the server gave Markdown
    confidence      REAL NOT NULL,                       -- 0 to 1
    words           INTEGER NOT NULL,
    tokens_o200k    INTEGER NOT NULL,
    tokens_cl100k   INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,                    -- of the content
    content         BLOB NOT NULL,                       -- zstd
    PRIMARY KEY (run, number)
) STRICT;

-- One row for each section of a page. The rowid is run, number and ordinal: (run << 40) + (number << 12) + ordinal.
CREATE VIRTUAL TABLE sections USING fts5 (
    title, heading, text, anchor UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- The newest answer of each captured URL, by sixty-four bits of its fingerprint.
CREATE TABLE kept_responses (
    hash          INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL,
    number        INTEGER NOT NULL,
    content_type  TEXT,                                  -- with its parameters
    etag          TEXT,
    last_modified TEXT,
    max_age       INTEGER                                -- seconds, as the server said
) STRICT;
