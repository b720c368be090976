-- Sites and their settings.

CREATE TABLE projects (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    host               TEXT NOT NULL UNIQUE,             -- host[:port]
    url                TEXT NOT NULL,
    created_at         INTEGER NOT NULL,                 -- unix time in seconds, as everywhere but in visited_at
    favicon            BLOB,
    favicon_type       TEXT,
    favicon_checked_at INTEGER
) STRICT;

CREATE TABLE configs (
    project        INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    settings       TEXT NOT NULL,                        -- JSON: what differs from the defaults
    is_incremental INTEGER NOT NULL DEFAULT 0,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;

-- Runs, their sessions, and who is at work.

CREATE TABLE runs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    project        INTEGER NOT NULL REFERENCES projects (id),
    state          TEXT NOT NULL CHECK (state IN ('in_progress', 'paused', 'completed', 'failed')),
    reason         TEXT,                                 -- why it is paused, or how it was completed
    detail         TEXT,                                 -- the same as a sentence, where there is more to say
    seeds          TEXT NOT NULL,                        -- JSON: list of URLs
    plan           TEXT NOT NULL,                        -- JSON: the frozen settings, without secrets
    is_incremental INTEGER NOT NULL,
    is_deleted     INTEGER NOT NULL DEFAULT 0,           -- its rows are being removed
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_of_project ON runs (project);
CREATE UNIQUE INDEX one_open_run_per_project ON runs (project) WHERE state <> 'completed' AND is_deleted = 0;

CREATE TABLE crawls (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    run         INTEGER NOT NULL REFERENCES runs (id),
    state       TEXT NOT NULL CHECK (state IN ('in_progress', 'completed', 'stopped', 'failed')),
    reason      TEXT,
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    visits      INTEGER NOT NULL DEFAULT 0,
    pages       INTEGER NOT NULL DEFAULT 0,
    failed      INTEGER NOT NULL DEFAULT 0,
    bytes       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX crawls_of_run ON crawls (run);
CREATE UNIQUE INDEX one_live_crawl_per_run ON crawls (run) WHERE state = 'in_progress';

CREATE TABLE owners (
    project      INTEGER PRIMARY KEY REFERENCES projects (id),
    run          INTEGER NOT NULL REFERENCES runs (id),
    crawl        INTEGER NOT NULL REFERENCES crawls (id),
    token        INTEGER NOT NULL,                       -- a commit of another token is refused
    pid          INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL
) STRICT;

-- What a run found. Every row hangs on (run, number).

CREATE TABLE urls (
    run          INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    url          TEXT NOT NULL,
    hash         INTEGER NOT NULL,                       -- 64 bits of the URL's fingerprint, signed; the URL is the identity
    parent       INTEGER,
    source       TEXT NOT NULL,
    kind         TEXT NOT NULL,
    steps        INTEGER NOT NULL,                       -- as the crawl counted them; `depth` is the shortest way
    is_from_seed INTEGER NOT NULL,
    depth        INTEGER,
    hops         INTEGER NOT NULL,
    redirects    INTEGER NOT NULL,
    base         INTEGER NOT NULL,
    is_internal  INTEGER NOT NULL,
    action       TEXT NOT NULL,
    task         TEXT NOT NULL,
    turn         INTEGER,
    disposition  TEXT NOT NULL,
    reason       TEXT NOT NULL,
    crawl        INTEGER NOT NULL,                       -- the session that found it
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX urls_pending ON urls (run, turn) WHERE disposition = 'pending';

CREATE TABLE visits (
    run                 INTEGER NOT NULL,
    number              INTEGER NOT NULL,
    crawl               INTEGER NOT NULL,
    visited_at          INTEGER NOT NULL,                -- unix time in milliseconds
    was_fetched         INTEGER NOT NULL,
    status              INTEGER,
    http_version        TEXT,
    content_type        TEXT,
    headers             INTEGER,
    wire_bytes          INTEGER,
    body_bytes          INTEGER,
    cut                 TEXT,
    is_from_cache       INTEGER NOT NULL,
    certificate_problem TEXT,
    error               TEXT,
    detail              TEXT,                            -- of a refusal: for example the line of robots.txt
    redirect_to         INTEGER,
    attempts            INTEGER NOT NULL,
    dns_us              INTEGER,
    connect_us          INTEGER,
    tls_us              INTEGER,
    first_byte_us       INTEGER,
    body_us             INTEGER,
    total_us            INTEGER NOT NULL,
    robots_report       TEXT,
    note                TEXT,
    links               INTEGER NOT NULL,
    links_cut           INTEGER NOT NULL,
    title               TEXT,
    description         TEXT,
    h1                  TEXT,
    h2                  TEXT,
    canonical           TEXT,
    lang                TEXT,
    indexable           TEXT NOT NULL,                   -- Yes, No or -
    indexable_reason    TEXT,
    is_nofollow         INTEGER NOT NULL,
    word_count          INTEGER,
    content_hash        TEXT,
    raw_hash            INTEGER,
    content_key         INTEGER,
    shape               INTEGER,
    identical_to        INTEGER,
    duplicate_of        INTEGER,
    is_unique_page      INTEGER NOT NULL,
    facts               TEXT,                            -- JSON: what else the page says, without defaults
    html                BLOB,                            -- key of a body
    text                BLOB,                            -- key of a body
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX visits_nofollow ON visits (run, number) WHERE is_nofollow = 1;

CREATE TABLE headers (
    run    INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    fields TEXT NOT NULL,                                -- JSON: list of [name, value]
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_kinds (
    id   INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE places (
    run       INTEGER NOT NULL,
    id        INTEGER NOT NULL,
    kind      INTEGER NOT NULL,                          -- of link_kinds
    rel       INTEGER NOT NULL,                          -- bits: nofollow 1, ugc 2, sponsored 4, noopener 8, noreferrer 16, new window 32
    position  TEXT NOT NULL,
    path_type TEXT NOT NULL,
    dom_path  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE anchors (
    run   INTEGER NOT NULL,
    id    INTEGER NOT NULL,
    place INTEGER NOT NULL,
    text  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

-- The links of one document in document order, packed: a byte that tells the bytes of one link, then for each link the
-- number of its target and the id of its anchor, half of the bytes each. The view `links` unpacks them.
CREATE TABLE link_lists (
    run    INTEGER NOT NULL,
    source INTEGER NOT NULL,
    list   BLOB NOT NULL,
    PRIMARY KEY (run, source)
) STRICT, WITHOUT ROWID;

-- The text around the links of one document, in the same order, compressed; only bluesnake itself unpacks it.
CREATE TABLE contexts (
    id     INTEGER PRIMARY KEY,                          -- run << 32 | source: rows this large are packed best this way
    packed BLOB NOT NULL
) STRICT;

CREATE TABLE deferred (
    run           INTEGER NOT NULL,
    number        INTEGER NOT NULL,
    says_nofollow INTEGER NOT NULL,
    links         TEXT NOT NULL,                         -- JSON
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE bodies (
    run   INTEGER NOT NULL,
    key   BLOB NOT NULL,                                 -- SHA-256 of the content
    bytes INTEGER NOT NULL,
    zstd  BLOB NOT NULL,
    PRIMARY KEY (run, key)
) STRICT;

-- For people with the sqlite3 tool, and for `bluesnake sql`: the published names.

CREATE VIEW discovered_urls AS
SELECT u.run AS run_id,
       coalesce(v.crawl, u.crawl) AS crawl_id,
       u.number,
       u.url,
       coalesce(v.was_fetched, 0) AS visited,
       v.status,
       v.title,
       v.description AS meta_description,
       v.content_hash,
       coalesce(v.indexable, '-') AS indexable,
       v.content_type,
       v.error,
       v.h1,
       v.h2,
       v.canonical AS canonical_url,
       v.word_count,
       u.depth,
       u.source,
       u.action,
       u.disposition,
       u.reason
FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number;

-- bluesnake itself reads links faster, by functions of its own; this is for other tools.
CREATE VIEW links AS
WITH RECURSIVE link (run, source, ordinal, half, list) AS (
    SELECT run, source, 0, (instr('0123456789ABCDEF', substr(hex(list), 2, 1)) - 1) / 2, list
    FROM link_lists WHERE length(list) > 1
    UNION ALL
    SELECT run, source, ordinal + 1, half, list FROM link WHERE 1 + (ordinal + 2) * 2 * half <= length(list)
), digits (run, source, ordinal, target, anchor) AS (
    SELECT run, source, ordinal,
           substr('00' || hex(substr(list, 2 + ordinal * 2 * half, half)), -8),
           substr('00' || hex(substr(list, 2 + (ordinal * 2 + 1) * half, half)), -8)
    FROM link
), numbers (run, source, ordinal, target, anchor) AS (
    SELECT run, source, ordinal, 
           (instr('0123456789ABCDEF', substr(target, 1, 1)) - 1) * 268435456
           + (instr('0123456789ABCDEF', substr(target, 2, 1)) - 1) * 16777216
           + (instr('0123456789ABCDEF', substr(target, 3, 1)) - 1) * 1048576
           + (instr('0123456789ABCDEF', substr(target, 4, 1)) - 1) * 65536
           + (instr('0123456789ABCDEF', substr(target, 5, 1)) - 1) * 4096
           + (instr('0123456789ABCDEF', substr(target, 6, 1)) - 1) * 256
           + (instr('0123456789ABCDEF', substr(target, 7, 1)) - 1) * 16
           + (instr('0123456789ABCDEF', substr(target, 8, 1)) - 1) * 1, 
           (instr('0123456789ABCDEF', substr(anchor, 1, 1)) - 1) * 268435456
           + (instr('0123456789ABCDEF', substr(anchor, 2, 1)) - 1) * 16777216
           + (instr('0123456789ABCDEF', substr(anchor, 3, 1)) - 1) * 1048576
           + (instr('0123456789ABCDEF', substr(anchor, 4, 1)) - 1) * 65536
           + (instr('0123456789ABCDEF', substr(anchor, 5, 1)) - 1) * 4096
           + (instr('0123456789ABCDEF', substr(anchor, 6, 1)) - 1) * 256
           + (instr('0123456789ABCDEF', substr(anchor, 7, 1)) - 1) * 16
           + (instr('0123456789ABCDEF', substr(anchor, 8, 1)) - 1) * 1
    FROM digits
)
SELECT n.run, n.source, n.ordinal, n.target, p.kind, p.rel, n.anchor
FROM numbers AS n
JOIN anchors AS a ON a.run = n.run AND a.id = n.anchor
JOIN places AS p ON p.run = n.run AND p.id = a.place;

CREATE VIEW page_links AS
SELECT l.run AS run_id,
       coalesce(sv.crawl, s.crawl) AS crawl_id,
       s.url AS source_url,
       t.url AS target_url,
       k.word AS type,
       a.text,
       '' AS context,
       t.is_internal,
       tv.status,
       tv.title,
       tv.content_type,
       p.position,
       p.dom_path,
       t.action AS url_action,
       p.path_type,
       l.rel,
       l.ordinal
FROM links AS l
JOIN urls AS s ON s.run = l.run AND s.number = l.source
JOIN urls AS t ON t.run = l.run AND t.number = l.target
JOIN link_kinds AS k ON k.id = l.kind
JOIN anchors AS a ON a.run = l.run AND a.id = l.anchor
JOIN places AS p ON p.run = l.run AND p.id = a.place
LEFT JOIN visits AS sv ON sv.run = l.run AND sv.number = l.source
LEFT JOIN visits AS tv ON tv.run = l.run AND tv.number = l.target;

CREATE VIEW crawl_queue_items AS
SELECT r.project AS project_id,
       u.run AS run_id,
       u.number AS id,
       u.url,
       u.hash AS url_hash,
       u.source,
       u.depth,
       coalesce(v.was_fetched, 0) AS visited,
       c.started_at AS created_at,
       coalesce(v.visited_at / 1000, c.started_at) AS updated_at
FROM urls AS u
JOIN runs AS r ON r.id = u.run
JOIN crawls AS c ON c.id = u.crawl
LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
WHERE u.disposition = 'pending' OR v.was_fetched = 1;

CREATE VIEW incremental_crawl_runs AS
SELECT id, project AS project_id, state, reason, created_at, updated_at
FROM runs WHERE is_incremental = 1 AND is_deleted = 0;
