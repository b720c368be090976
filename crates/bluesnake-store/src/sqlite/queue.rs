//! The engine's port for one session of a run: batches in, queue out.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bluesnake_engine::admit::Depth;
use bluesnake_engine::admit::endless::Leads;
use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl, StoredVisit};
use bluesnake_engine::{Batch, Links, Number, Store, StoreError, Turn, UrlRow, Visit};
use rusqlite::{Transaction, params};

use super::catalog::{TypeCounts, owners};
use super::columns::{Columns, FromColumns};
use super::commit::{Commit, StoredLink};
use super::pack::Packer;
use super::prepare::{self, Figures, Prepared, Workbench};
use super::{Database, Failure};
use crate::error::DatabaseError;

/// The columns of a [`UrlRow`], of a table called `u`.
const URL_COLUMNS: &str = "u.number, u.url, u.parent, u.source, u.kind, u.steps, u.is_from_seed, u.hops, u.redirects, \
                           u.base, u.is_internal, u.action, u.task, u.turn, u.disposition, u.reason";

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
        let sql = format!(
            "SELECT {URL_COLUMNS}, v.was_fetched, v.content_key,
                    CASE WHEN v.content_key IS NOT NULL THEN v.duplicate_of END, coalesce(d.is_own_markdown, 0),
                    v.raw_hash, v.shape, v.identical_to IS NOT NULL OR v.duplicate_of IS NOT NULL,
                    t.number, t.url, v.is_unique_page, v.leads,
                    coalesce(v.wire_bytes, 0)
             FROM urls AS u
             LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
             LEFT JOIN urls AS t ON t.run = u.run AND t.number = v.redirect_to
             LEFT JOIN documents AS d ON d.run = v.run AND d.number = v.number
             WHERE u.run = ?1 AND u.number > ?2 ORDER BY u.number LIMIT ?3"
        );
        Box::pin(async move { Ok(self.database.list("cannot read the run", sql, (self.run, after.0, limit)).await?) })
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        let sql = format!(
            "SELECT {URL_COLUMNS} FROM urls AS u INDEXED BY urls_pending
             WHERE u.run = ?1 AND u.disposition = 'pending' AND u.turn > ?2 ORDER BY u.turn LIMIT ?3"
        );
        Box::pin(async move { Ok(self.database.list("cannot read the queue", sql, (self.run, after.0, limit)).await?) })
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        let sql = format!(
            "SELECT {URL_COLUMNS}, d.says_nofollow, d.links FROM deferred AS d
             JOIN urls AS u ON u.run = d.run AND u.number = d.number
             WHERE d.run = ?1 AND d.number > ?2 ORDER BY d.number LIMIT ?3"
        );
        Box::pin(async move { Ok(self.database.list("cannot read the queue", sql, (self.run, after.0, limit)).await?) })
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

/// The columns are [`URL_COLUMNS`].
impl FromColumns for UrlRow {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: columns.read()?,
            url: columns.read()?,
            parent: columns.read()?,
            source: columns.read()?,
            kind: columns.read()?,
            depth: Depth { steps: columns.read()?, from_seed: columns.read()? },
            hops: columns.read()?,
            redirects: columns.read()?,
            base: columns.read()?,
            is_internal: columns.read()?,
            action: columns.read()?,
            task: columns.read()?,
            turn: columns.read()?,
            reason: columns.read()?,
        })
    }
}

impl FromColumns for StoredUrl {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let row = columns.read()?;
        let was_fetched = columns.read::<Option<bool>>()?;
        let visit = was_fetched.map(|was_fetched| stored_visit(was_fetched, columns)).transpose()?;
        Ok(Self { row, visit })
    }
}

fn stored_visit(was_fetched: bool, columns: &mut Columns<'_>) -> rusqlite::Result<StoredVisit> {
    let to_bits = |number: i64| number as u64;
    Ok(StoredVisit {
        was_fetched,
        content_key: columns.read::<Option<_>>()?.map(to_bits),
        // Among copies, only those in another form have their own key.
        twin_of: columns.read()?,
        is_own_markdown: columns.read()?,
        raw_bits: columns.read::<Option<_>>()?.map_or(0, to_bits) as u32,
        shape: columns.read::<Option<_>>()?.map(to_bits),
        is_duplicate: columns.read()?,
        redirects_to: columns.read()?,
        is_unique_page: columns.read()?,
        leads: columns.read::<Option<_>>()?.map(Leads::from_bits),
        wire_bytes: columns.read()?,
    })
}

impl FromColumns for Deferred {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let (from, says_nofollow) = (columns.read()?, columns.read()?);
        let links: Vec<StoredLink<'_>> = columns.json()?;
        let links: Option<Vec<_>> = links.iter().map(StoredLink::to_link).collect();
        let links = links.ok_or_else(|| columns.unreadable("a link has an unknown kind, form or position"))?;
        Ok(Self { from, links: Links::of(&links), says_nofollow })
    }
}
