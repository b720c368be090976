-- Weaves: the graph of which hosts link to which.

-- A check of a column cannot be changed; a new column takes its place.
DROP INDEX one_open_run_per_project;
ALTER TABLE runs ADD COLUMN purpose TEXT NOT NULL DEFAULT 'crawl' CHECK (purpose IN ('crawl', 'capture', 'weave'));
UPDATE runs SET purpose = kind;
ALTER TABLE runs DROP COLUMN kind;
ALTER TABLE runs RENAME COLUMN purpose TO kind;
CREATE UNIQUE INDEX one_open_run_per_project ON runs (project, kind) WHERE state <> 'completed' AND is_deleted = 0;

CREATE TABLE nodes (
    run          INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    host         TEXT NOT NULL,                          -- host[:port]
    domain       TEXT NOT NULL,                          -- registrable, by the public suffix list
    is_subdomain INTEGER NOT NULL,
    depth        INTEGER NOT NULL,
    disposition  TEXT NOT NULL,
    reason       TEXT NOT NULL,
    description  TEXT NOT NULL DEFAULT '',
    crawl_count  INTEGER NOT NULL DEFAULT 0,             -- pages asked for
    mentions_cut INTEGER NOT NULL DEFAULT 0,             -- hosts beyond the limit for a page
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX nodes_by_host ON nodes (run, host);
CREATE INDEX nodes_by_domain ON nodes (run, domain) WHERE is_subdomain = 1;
CREATE INDEX nodes_pending ON nodes (run, depth, number) WHERE disposition = 'pending';

CREATE TABLE edges (
    run    INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    weight INTEGER NOT NULL,                             -- distinct pages of the source that link to the target
    PRIMARY KEY (run, source, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_pages (
    run         INTEGER NOT NULL,
    node        INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    crawl       INTEGER NOT NULL,
    url         TEXT NOT NULL,
    disposition TEXT NOT NULL,
    reason      TEXT NOT NULL,
    detail      TEXT,
    status      INTEGER,
    attempts    INTEGER NOT NULL,
    elapsed_us  INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    PRIMARY KEY (run, node, ordinal)
) STRICT, WITHOUT ROWID;

-- What visited hosts link to, until the level is complete and it is numbered.
CREATE TABLE mentions (
    run         INTEGER NOT NULL,
    node        INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    host        TEXT NOT NULL,
    pages       INTEGER NOT NULL,
    is_excluded INTEGER NOT NULL,
    PRIMARY KEY (run, node, position)
) STRICT, WITHOUT ROWID;

-- Hosts that are linked to and are no nodes.
CREATE TABLE refused_hosts (
    run    INTEGER NOT NULL,
    host   TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, host)
) STRICT, WITHOUT ROWID;
