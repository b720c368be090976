//! The engine's port for one session of a run: batches in, queue out.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bluesnake_engine::admit::Depth;
use bluesnake_engine::admit::endless::Leads;
use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl, StoredVisit};
use bluesnake_engine::{
    Action, Batch, CanonicalUrl, LinkKind, Links, Number, Reason, Source, Store, StoreError, Task, Turn, UrlRow, Visit,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, Transaction, params};

use super::catalog::owners;
use super::commit::{Commit, StoredLink};
use super::pack::Packer;
use super::prepare::{self, Figures, Prepared, Workbench};
use super::{Database, Failure};
use crate::error::DatabaseError;
use crate::rows::TypeCounts;

/// The columns of [`url_row`], of a table called `u`.
const URL_COLUMNS: &str = "u.number, u.url, u.parent, u.source, u.kind, u.steps, u.is_from_seed, u.hops, u.redirects, \
                           u.base, u.is_internal, u.action, u.task, u.turn, u.disposition, u.reason";
const FIRST_AFTER_URL: usize = 16;

/// Where one session of a run stores its results.
#[derive(Debug)]
pub struct RunStore {
    pub(super) database: Database,
    pub(super) run: i64,
    pub(super) session: i64,
    /// The owner's token; commits with any other are refused.
    pub(super) token: i64,
    started: Instant,
    /// How long the session had run before a crash.
    earlier_ms: i64,
    /// `None` if it must be read from the database (again).
    bench: Mutex<Option<Workbench>>,
    /// Idle packers; at most as many as there are cores.
    packers: Mutex<Vec<Packer>>,
    most_packers: usize,
}

impl RunStore {
    /// Starts the session's clock: time spent waiting does not count.
    pub fn start_clock(&mut self) {
        self.started = Instant::now();
    }

    pub(super) fn new(database: Database, run: i64, session: i64, token: i64, earlier_ms: i64) -> Self {
        Self {
            database,
            run,
            session,
            token,
            started: Instant::now(),
            earlier_ms,
            bench: Mutex::default(),
            packers: Mutex::default(),
            most_packers: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    fn bench(&self) -> MutexGuard<'_, Option<Workbench>> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn packers(&self) -> MutexGuard<'_, Vec<Packer>> {
        self.packers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the session has run.
    pub(super) fn elapsed_ms(&self) -> i64 {
        self.earlier_ms + self.started.elapsed().as_millis() as i64
    }
}

impl Store for RunStore {
    fn pack(&self, visit: &Visit) -> Option<Box<[u8]>> {
        let idle = self.packers().pop();
        let mut packer = idle.unwrap_or_else(Packer::new);
        let packed = packer.pack(visit);
        let mut packers = self.packers();
        if packers.len() < self.most_packers {
            packers.push(packer);
        }
        Some(packed)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let (run, session, token, elapsed_ms) = (self.run, self.session, self.token, self.elapsed_ms());
            // It stays empty after a failure: its state may have been rolled back.
            let kept = self.bench().take();
            let mut bench = match kept {
                Some(bench) => bench,
                None => self.database.read("cannot read the run", move |c| Ok(Workbench::of(c, run)?)).await?,
            };
            let (parts, prepared) = std::sync::mpsc::channel::<Option<Prepared>>();
            let job = move |transaction: &Transaction<'_>| {
                owners::check(transaction, session, token)?;
                let figures = write_parts(&Commit { transaction, run, session }, &prepared)?;
                let mut update = transaction.prepare_cached(
                    "UPDATE sessions SET visits = visits + ?2, pages = pages + ?3, failed = failed + ?4,
                        bytes = bytes + ?5, duration_ms = ?6, fetched = fetched + ?7, html = html + ?8, css = css + ?9,
                        javascript = javascript + ?10, images = images + ?11, fonts = fonts + ?12,
                        first_number = min(coalesce(first_number, ?13), coalesce(?13, first_number)),
                        last_number = max(coalesce(last_number, ?14), coalesce(?14, last_number)), guides = guides + ?15
                     WHERE id = ?1",
                )?;
                let Figures { visits, guides, pages, failed, bytes, fetched, types, numbers } = figures;
                let TypeCounts { html, css, javascript, images, fonts, .. } = types;
                let (lowest, highest) = numbers.unzip();
                update.execute(params![
                    session, visits, pages, failed, bytes, elapsed_ms, fetched, html, css, javascript, images, fonts,
                    lowest, highest, guides
                ])?;
                Ok(())
            };
            let response = self.database.begin_write("cannot store a batch", job).await?;
            // The writer may have failed and be gone; its reply says why.
            prepare::in_parts(batch, &self.database, &mut bench, |part| drop(parts.send(Some(part))));
            let _ = parts.send(None);
            response.wait().await?;
            self.database.check_in_place()?;
            *self.bench() = Some(bench);
            Ok(())
        })
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        let run = self.run;
        let rows = async move {
            let job = move |connection: &Connection| load(connection, run, after, limit);
            self.database.read("cannot read the run", job).await.map_err(StoreError::from)
        };
        Box::pin(rows)
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        let run = self.run;
        let rows = async move {
            let job = move |connection: &Connection| pending(connection, run, after, limit);
            self.database.read("cannot read the queue", job).await.map_err(StoreError::from)
        };
        Box::pin(rows)
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        let run = self.run;
        let rows = async move {
            let job = move |connection: &Connection| deferred(connection, run, after, limit);
            self.database.read("cannot read the queue", job).await.map_err(StoreError::from)
        };
        Box::pin(rows)
    }
}

/// Writes the parts of a batch as they arrive; an incomplete batch is not applied.
fn write_parts(commit: &Commit<'_>, parts: &Receiver<Option<Prepared>>) -> Result<Figures, Failure> {
    let mut figures = Figures::default();
    loop {
        match parts.recv() {
            Ok(Some(part)) => {
                commit.write(&part)?;
                part.visits.iter().for_each(|visit| figures.count(visit));
            }
            Ok(None) => return Ok(figures),
            Err(_) => {
                let what = "cannot store a batch".to_owned();
                return Err(DatabaseError::Other { what, source: "it was not prepared to its end".into() }.into());
            }
        }
    }
}

fn load(connection: &Connection, run: i64, after: Number, limit: usize) -> Result<Vec<StoredUrl>, Failure> {
    let sql = format!(
        "SELECT {URL_COLUMNS}, v.was_fetched, v.content_key, v.raw_hash, v.shape,
                v.identical_to IS NOT NULL OR v.duplicate_of IS NOT NULL, v.is_unique_page, v.redirect_to, t.url,
                CASE WHEN v.content_key IS NOT NULL THEN v.duplicate_of END, coalesce(d.is_own_markdown, 0),
                v.leads, coalesce(v.wire_bytes, 0)
         FROM urls AS u
         LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
         LEFT JOIN urls AS t ON t.run = u.run AND t.number = v.redirect_to
         LEFT JOIN documents AS d ON d.run = v.run AND d.number = v.number
         WHERE u.run = ?1 AND u.number > ?2 ORDER BY u.number LIMIT ?3"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let rows = select.query_map(params![run, after.0, limit], |row| {
        Ok(StoredUrl { row: url_row(row)?, visit: stored_visit(row)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn pending(connection: &Connection, run: i64, after: Turn, limit: usize) -> Result<Vec<UrlRow>, Failure> {
    let sql = format!(
        "SELECT {URL_COLUMNS} FROM urls AS u INDEXED BY urls_pending
         WHERE u.run = ?1 AND u.disposition = 'pending' AND u.turn > ?2 ORDER BY u.turn LIMIT ?3"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let rows = select.query_map(params![run, after.0, limit], url_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn deferred(connection: &Connection, run: i64, after: Number, limit: usize) -> Result<Vec<Deferred>, Failure> {
    let sql = format!(
        "SELECT {URL_COLUMNS}, d.says_nofollow, d.links FROM deferred AS d
         JOIN urls AS u ON u.run = d.run AND u.number = d.number
         WHERE d.run = ?1 AND d.number > ?2 ORDER BY d.number LIMIT ?3"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let rows = select.query_map(params![run, after.0, limit], |row| {
        let text: String = row.get(FIRST_AFTER_URL + 1)?;
        let links: Option<Vec<_>> = serde_json::from_str::<Vec<StoredLink<'_>>>(&text)
            .ok()
            .and_then(|links| links.iter().map(StoredLink::to_link).collect());
        let links = Links::of(&links.ok_or_else(|| unreadable(FIRST_AFTER_URL + 1, "links"))?);
        Ok(Deferred { from: url_row(row)?, links, says_nofollow: row.get(FIRST_AFTER_URL)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn url_row(row: &Row<'_>) -> rusqlite::Result<UrlRow> {
    Ok(UrlRow {
        number: Number(row.get(0)?),
        url: CanonicalUrl::from_stored(row.get(1)?),
        parent: row.get::<_, Option<u32>>(2)?.map(Number),
        source: word(row, 3, Source::from_word)?,
        kind: word(row, 4, LinkKind::from_word)?,
        depth: Depth { steps: row.get(5)?, from_seed: row.get(6)? },
        hops: row.get(7)?,
        redirects: row.get(8)?,
        base: row.get(9)?,
        is_internal: row.get(10)?,
        action: word(row, 11, Action::from_word)?,
        task: word(row, 12, Task::from_word)?,
        turn: row.get::<_, Option<u32>>(13)?.map(Turn),
        reason: reason(row, 14)?,
    })
}

fn stored_visit(row: &Row<'_>) -> rusqlite::Result<Option<StoredVisit>> {
    let at = FIRST_AFTER_URL;
    let Some(was_fetched) = row.get::<_, Option<bool>>(at)? else { return Ok(None) };
    let bits = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(|bits| bits as u64));
    let redirects_to = match (row.get::<_, Option<u32>>(at + 6)?, row.get::<_, Option<String>>(at + 7)?) {
        (Some(number), Some(url)) => Some((Number(number), CanonicalUrl::from_stored(url))),
        _ => None,
    };
    Ok(Some(StoredVisit {
        content_key: bits(at + 1)?,
        // Among copies, only those in another form have their own key.
        twin_of: row.get::<_, Option<u32>>(at + 8)?.map(Number),
        is_own_markdown: row.get(at + 9)?,
        raw_bits: bits(at + 2)?.unwrap_or_default() as u32,
        shape: bits(at + 3)?,
        is_duplicate: row.get(at + 4)?,
        redirects_to,
        is_unique_page: row.get(at + 5)?,
        was_fetched,
        leads: row.get::<_, Option<u8>>(at + 10)?.map(Leads::from_bits),
        wire_bytes: row.get::<_, i64>(at + 11)? as u64,
    }))
}

/// A column whose values are names of an enum.
fn word<T>(row: &Row<'_>, column: usize, read: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    read(text).ok_or_else(|| unreadable(column, text))
}

/// A disposition and, in the next column, its reason.
pub(in crate::sqlite) fn reason(row: &Row<'_>, column: usize) -> rusqlite::Result<Reason> {
    let (disposition, reason) = (row.get_ref(column)?.as_str()?, row.get_ref(column + 1)?.as_str()?);
    Reason::from_words(disposition, reason).ok_or_else(|| unreadable(column, &format!("{disposition}, {reason}")))
}

fn unreadable(column: usize, text: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        column,
        Type::Text,
        format!("`{text}` is not a word of this version").into(),
    )
}
