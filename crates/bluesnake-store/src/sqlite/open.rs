//! Opens the file: format, version, connection settings.
//!
//! A file that is not ours, or newer than this version, is refused and left unchanged. Migrations are append-only; a
//! file is backed up before it is migrated, both under one lock.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bluesnake_engine::LinkKind;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::columns::one;
use super::functions;
use crate::error::DatabaseError;

/// Every step from an empty file to the current format; a file's version is the number of steps applied.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/sqlite/0001.sql"),
    include_str!("../../migrations/sqlite/0002.sql"),
    include_str!("../../migrations/sqlite/0003.sql"),
    include_str!("../../migrations/sqlite/0004.sql"),
    include_str!("../../migrations/sqlite/0005.sql"),
    include_str!("../../migrations/sqlite/0006_runs.sql"),
    include_str!("../../migrations/sqlite/0007_endless.sql"),
    include_str!("../../migrations/sqlite/0008_sessions.sql"),
    include_str!("../../migrations/sqlite/0009_facts.sql"),
    include_str!("../../migrations/sqlite/0010_audit.sql"),
    include_str!("../../migrations/sqlite/0011_section_words.sql"),
    include_str!("../../migrations/sqlite/0012_rendering.sql"),
];
/// The current format.
pub(super) const NEWEST: u32 = MIGRATIONS.len() as u32;
/// The SQLite application id of our files: "blue".
const APPLICATION: i32 = 0x626c_7565;
/// How long SQLite itself waits for another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The writer's connection. Creates the file and its folder if missing.
pub(super) fn writable(path: &Path) -> Result<Connection, DatabaseError> {
    make_folder(path)?;
    let tell = |error| DatabaseError::of(path, "cannot open the database", error);
    let mut connection = Connection::open(path).map_err(tell)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(tell)?;
    check_ours(path, &connection)?;
    // The write-ahead log inherits the permissions the file has at that point.
    restrict(path);
    configure_patiently(&connection).map_err(tell)?;
    migrate(path, &mut connection, MIGRATIONS)?;
    Ok(connection)
}

/// An existing empty file is not a database that can be queried.
pub(super) fn check_not_empty(path: &Path) -> Result<(), DatabaseError> {
    let is_empty = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0);
    if is_empty { Err(DatabaseError::damaged(path, "the file is empty")) } else { Ok(()) }
}

/// The same if a database was there: its lock files are still next to it. It is not recreated.
pub(super) fn check_not_emptied(path: &Path) -> Result<(), DatabaseError> {
    if beside(path, ".locks").exists() { check_not_empty(path) } else { Ok(()) }
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// While other processes write to it.
    Shared,
    /// As an unchanging file on read-only storage: without a log, and without locks.
    AtRest,
}

/// How to read a file that cannot be written, because its disk, its folder or the file itself is read-only, or the
/// disk is full.
pub(super) fn check_readable(path: &Path) -> Result<Reading, DatabaseError> {
    let try_it = |reading| readable(path, reading).and_then(|connection| check_current(path, &connection));
    let shared = match try_it(Reading::Shared) {
        Ok(()) => return Ok(Reading::Shared),
        Err(error) => error,
    };
    // A process using the database has a log next to it, and so has one that died using it.
    let has_log = std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    match shared {
        DatabaseError::Unwritable { .. } | DatabaseError::Full(_) if !has_log => {
            try_it(Reading::AtRest).map(|()| Reading::AtRest)
        }
        other => Err(other),
    }
}

/// Fails for an older format: without write access it cannot be migrated.
fn check_current(path: &Path, connection: &Connection) -> Result<(), DatabaseError> {
    check_ours(path, connection)?;
    let found = version(connection).map_err(|error| DatabaseError::of(path, "cannot read the database", error))?;
    let known = NEWEST;
    if found == known { Ok(()) } else { Err(DatabaseError::Older { path: path.to_owned(), found, known }) }
}

/// A read-only connection.
pub(super) fn readable(path: &Path, reading: Reading) -> Result<Connection, DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot open the database", error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match reading {
        Reading::Shared => Connection::open_with_flags(path, flags),
        Reading::AtRest => Connection::open_with_flags(at_rest(path), flags | OpenFlags::SQLITE_OPEN_URI),
    };
    let connection = connection.map_err(tell)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(tell)?;
    prepare_once(&connection).map_err(tell)?;
    connection.execute_batch("PRAGMA cache_size = -4000;").and_then(|()| functions::add(&connection)).map_err(tell)?;
    Ok(connection)
}

/// The file name that tells SQLite that the file does not change.
fn at_rest(path: &Path) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

/// The codes of the link kinds a file knows, and -1 for those that no link in it has.
pub(super) fn known_link_kinds(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let find = "SELECT coalesce((SELECT id FROM link_kinds WHERE word = ?1), -1)";
    LinkKind::ALL.iter().map(|kind| one(connection, find, [kind.as_str()])).collect()
}

/// The code of each link kind. Codes are assigned once and kept, so that files survive changes of the list.
pub(super) fn link_kinds(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    // Usually all are known, and nothing is written.
    if known_link_kinds(connection)?.contains(&-1) {
        let mut insert = connection.prepare("INSERT INTO link_kinds (word) VALUES (?1) ON CONFLICT DO NOTHING")?;
        for kind in LinkKind::ALL {
            insert.execute([kind.as_str()])?;
        }
    }
    known_link_kinds(connection)
}

fn make_folder(path: &Path) -> Result<(), DatabaseError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| DatabaseError::unwritable(folder, error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Crawled data may be private; a file system without permissions is no reason to fail.
        let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    }
    Ok(())
}

fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let is_open = std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
        if is_open {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
        }
    }
}

/// Detects files of other programs, newer files and damaged ones before anything is written.
fn check_ours(path: &Path, connection: &Connection) -> Result<(), DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot read the database", error);
    // One snapshot: another process may be creating the database right now.
    let look = connection.unchecked_transaction().map_err(tell)?;
    let tables: i64 = one(&look, "SELECT count(*) FROM sqlite_schema", []).map_err(tell)?;
    let application: i32 = look.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(tell)?;
    let found = version(&look).map_err(tell)?;
    let known = NEWEST;
    match (application, tables, found) {
        (0, 0, 0) => Ok(()),
        (APPLICATION, _, 0) => Err(DatabaseError::damaged(path, "it has tables of ours and no version")),
        (APPLICATION, _, _) if found > known => Err(DatabaseError::Newer { path: path.to_owned(), found, known }),
        (APPLICATION, _, _) => Ok(()),
        _ => Err(DatabaseError::damaged(path, "it is a database of another program")),
    }
}

/// Caches statements and their plans: otherwise SQLite would replan many of them for every bound value.
fn prepare_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A new file switches to WAL mode once; SQLite does not wait by itself while another process does that.
fn configure_patiently(connection: &Connection) -> rusqlite::Result<()> {
    let since = std::time::Instant::now();
    loop {
        match configure(connection) {
            Err(error) if super::writer::is_busy(&error) && since.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    prepare_once(connection)?;
    // The page size applies to new files only. NORMAL survives a crash of the process; power loss may cost the newest
    // commits, which are then fetched again.
    connection.execute_batch(
        "PRAGMA page_size = 16384;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -16000;
         PRAGMA wal_autocheckpoint = 2000;
         PRAGMA journal_size_limit = 33554432;",
    )
}

/// Migrates the format, all steps in one transaction. An older file is backed up first.
fn migrate(path: &Path, connection: &mut Connection, migrations: &[&str]) -> Result<(), DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot migrate the database", error);
    let known = migrations.len() as u32;
    let found = version(connection).map_err(tell)?;
    if found > known {
        return Err(DatabaseError::Newer { path: path.to_owned(), found, known });
    }
    if found == known {
        return Ok(());
    }
    // From here on no other process writes, so that the backup is what the steps start from.
    let steps = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(tell)?;
    // Another process may have been faster.
    let done = version(&steps).map_err(tell)?;
    if done > 0 && done < known {
        back_up(path, done)?;
    }
    take_steps(steps, migrations).map_err(tell)
}

/// Applies the missing steps and commits.
fn take_steps(transaction: Transaction<'_>, migrations: &[&str]) -> rusqlite::Result<()> {
    let done = version(&transaction)? as usize;
    for migration in migrations.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", migrations.len() as u32)?;
    transaction.commit()
}

/// A new database in a given format of ours, possibly an older one.
pub(super) fn empty(path: &Path, format: u32) -> Result<Connection, DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot create the database", error);
    let mut connection = Connection::open(path).map_err(tell)?;
    configure(&connection).map_err(tell)?;
    let steps = connection.transaction().map_err(tell)?;
    take_steps(steps, &MIGRATIONS[..format as usize]).map_err(tell)?;
    Ok(connection)
}

/// Migrates a file that needs no backup.
pub(super) fn bring_up_to_date(path: &Path, connection: &mut Connection) -> Result<(), DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot migrate the database", error);
    connection.transaction().and_then(|steps| take_steps(steps, MIGRATIONS)).map_err(tell)
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Copies the file; only a complete copy gets the final name. The caller holds the database lock, so no other process
/// uses it.
fn back_up(path: &Path, version: u32) -> Result<(), DatabaseError> {
    let partial = beside(path, &format!(".before-{version}.partial"));
    let unwritable = |error: std::io::Error| DatabaseError::unwritable(&partial, error);
    // Left by a process killed while copying.
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(unwritable)?;
    }
    let copy = create_private(&partial).map_err(unwritable)?;
    let tell = |error| DatabaseError::of(&partial, "cannot copy the database", error);
    let written = readable(path, Reading::Shared)
        .and_then(|reader| reader.execute("VACUUM INTO ?1", [partial.to_string_lossy()]).map_err(tell));
    let placed =
        written.and_then(|_| copy.sync_all().and_then(|()| place(path, version, &partial)).map_err(unwritable));
    if placed.is_err() {
        // Nothing has changed yet, so the partial copy is useless.
        let _ = std::fs::remove_file(&partial);
    }
    placed
}

/// Gives a complete copy its name. An existing one is never replaced: it may be from another time.
fn place(path: &Path, version: u32, copy: &Path) -> std::io::Result<()> {
    for count in 1.. {
        let name = if count == 1 { format!(".before-{version}") } else { format!(".before-{version}-{count}") };
        let target = beside(path, &name);
        if !target.exists() {
            std::fs::rename(copy, &target)?;
            break;
        }
        if is_same_file(copy, &target)? {
            std::fs::remove_file(copy)?;
            break;
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn is_same_file(one: &Path, other: &Path) -> std::io::Result<bool> {
    use std::io::{BufReader, Read};
    let (one, other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    for (one, other) in BufReader::new(one).bytes().zip(BufReader::new(other).bytes()) {
        if one? != other? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A new file that only its owner may read.
pub(super) fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create_new(true).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A file next to the database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporary(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("bluesnake-open-{}-{name}.db", std::process::id()));
        for suffix in ["", "-wal", "-shm", ".before-1", ".before-1-2", ".before-1.partial", ".before-4"] {
            std::fs::remove_file(format!("{}{suffix}", path.display())).ok();
        }
        path
    }

    #[test]
    fn an_older_file_is_backed_up_and_migrated() {
        let path = temporary("older");
        let mut connection = Connection::open(&path).unwrap();
        let steps = ["CREATE TABLE a (x); INSERT INTO a VALUES (7)", "ALTER TABLE a ADD COLUMN y"];
        migrate(&path, &mut connection, &steps[..1]).unwrap();
        migrate(&path, &mut connection, &steps).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
        let copy = Connection::open(beside(&path, ".before-1")).unwrap();
        assert_eq!(copy.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(copy.prepare("SELECT y FROM a").is_err(), "the copy was migrated too");
    }

    #[test]
    fn a_backup_is_complete_private_and_never_replaced() {
        let path = temporary("copied");
        let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"];
        let old = || {
            for suffix in ["", "-wal", "-shm"] {
                std::fs::remove_file(beside(&path, suffix)).ok();
            }
            let mut connection = Connection::open(&path).unwrap();
            migrate(&path, &mut connection, &steps[..1]).unwrap();
            connection
        };
        let rows = |name: &str| -> i64 {
            let copy = Connection::open(beside(&path, name)).unwrap();
            copy.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).unwrap()
        };
        // Left by a process killed while copying.
        std::fs::write(beside(&path, ".before-1.partial"), "half a copy").unwrap();
        let mut connection = old();
        connection.execute("INSERT INTO a VALUES (1)", []).unwrap();
        migrate(&path, &mut connection, &steps).unwrap();
        assert_eq!(rows(".before-1"), 1);
        assert!(!beside(&path, ".before-1.partial").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(beside(&path, ".before-1")).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "other users can read it");
        }

        // Again, as after a kill between the copy and the steps: one copy is enough.
        let mut connection = old();
        connection.execute("INSERT INTO a VALUES (1)", []).unwrap();
        migrate(&path, &mut connection, &steps).unwrap();
        assert!(!beside(&path, ".before-1-2").exists());

        // Different content under the same name: the older copy stays.
        let mut connection = old();
        connection.execute("INSERT INTO a VALUES (1), (2)", []).unwrap();
        migrate(&path, &mut connection, &steps).unwrap();
        assert_eq!((rows(".before-1"), rows(".before-1-2")), (1, 2));
    }

    #[test]
    fn migrating_a_graph_from_format_four_derives_its_limits() {
        let path = temporary("graph");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&path, &mut connection, &MIGRATIONS[..4]).unwrap();
        connection
            .execute_batch(
                r#"INSERT INTO projects (id, host, url, created_at) VALUES (1, 'a.test', 'http://a.test/', 0);
                   INSERT INTO runs (id, project, state, seeds, plan, is_incremental, created_at, updated_at, kind) VALUES
                       (1, 1, 'completed', '[]', '{"weave": {"max_crawls_per_node": 2, "max_outbound_links": 7}}', 0, 0, 0, 'weave');
                   INSERT INTO nodes (run, number, host, domain, is_subdomain, depth, disposition, reason, crawl_count, mentions_cut)
                   VALUES (1, 1, 'a.test', 'a.test', 0, 0, 'fetched', 'page', 2, 5), (1, 2, 'b.test', 'b.test', 0, 1, 'fetched', 'page', 1, 0),
                          (1, 3, 'c.test', 'c.test', 0, 2, 'refused', 'too_deep', 0, 0)"#,
            )
            .unwrap();
        migrate(&path, &mut connection, MIGRATIONS).unwrap();
        let mut select =
            connection.prepare("SELECT pages_cut, pages_limit, mentions_limit FROM nodes ORDER BY number").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let rows: Vec<(u32, u32, u32)> = rows.map(Result::unwrap).collect();
        assert_eq!(rows, [(1, 2, 7), (0, 2, 0), (0, 0, 0)]);
    }

    #[test]
    fn a_failed_migration_leaves_the_file_unchanged() {
        let path = temporary("failing");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&path, &mut connection, &["CREATE TABLE a (x)"]).unwrap();
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x); nonsense"];
        assert!(migrate(&path, &mut connection, &steps).is_err());
        assert_eq!(version(&connection).unwrap(), 1);
        assert!(connection.prepare("SELECT * FROM b").is_err());
    }

    #[test]
    fn a_newer_file_is_refused() {
        let path = temporary("newer");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&path, &mut connection, &["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).unwrap();
        let refused = migrate(&path, &mut connection, &["CREATE TABLE a (x)"]).unwrap_err();
        assert!(matches!(refused, DatabaseError::Newer { found: 2, known: 1, .. }), "{refused}");
    }
}
