//! What lists of URLs are filtered and sorted by: a value of fixed width for every URL, by number.
//!
//! About 30 bytes per URL. A value that is missing has the largest number of its width, a status is 0.

use std::sync::OnceLock;

use bluesnake_engine::{Reason, Source};
use hashbrown::HashMap;
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};

use super::folders::{Folder, Folders};
use super::rows::RowSort;
use crate::sqlite::columns::{Columns, from_row};
use crate::sqlite::contents::PageType;
use crate::sqlite::contents::names::{Reasons, Words};
use crate::sqlite::contents::walk::urls_with_visits;

/// Bits of [`Grid::flags`].
pub(super) const INTERNAL: u8 = 1;
pub(super) const INDEXABLE: u8 = 2;
/// It is a page that is indexable or not.
pub(super) const HAS_INDEX_STATE: u8 = 4;
pub(super) const PAGE: u8 = 8;

/// With both orders.
const BYTES_PER_URL: usize = 38;

/// A missing depth.
pub(super) const NO_DEPTH: u16 = u16::MAX;
/// Any other missing number.
pub(super) const NONE: u32 = u32::MAX;

const URLS: &str = "SELECT number, is_internal, source, disposition, reason, depth FROM urls
    WHERE run = ?1 ORDER BY number";
const VISITS: &str = "SELECT number, was_fetched, status, content_type, indexable, facts IS NOT NULL, word_count,
    body_bytes, total_us FROM visits WHERE run = ?1 ORDER BY number";

/// The columns of a run. The value of number `n` is at index `n - 1`.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Grid {
    /// 0 without a response.
    pub(super) status: Vec<u16>,
    /// Index in [`PageType::ALL`]; that of `All` if it was not requested.
    pub(super) kind: Vec<u8>,
    /// Index in [`Names::reasons`].
    pub(super) reason: Vec<u8>,
    /// Index in [`Names::media`].
    pub(super) media: Vec<u16>,
    pub(super) depth: Vec<u16>,
    pub(super) flags: Vec<u8>,
    /// Index in [`Names::sources`].
    pub(super) source: Vec<u8>,
    pub(super) words: Vec<u32>,
    pub(super) bytes: Vec<u32>,
    /// Milliseconds.
    pub(super) time: Vec<u32>,
    pub(super) inlinks: Vec<u32>,
    /// NaN if it has none.
    pub(super) score: Vec<f32>,
    pub(super) names: Names,
    /// Numbers in the order of their URLs, and of their titles; made when needed if the run is not sealed.
    pub(super) by_url: OnceLock<Vec<u32>>,
    pub(super) by_title: OnceLock<Vec<u32>>,
    /// The folders of a run that is not sealed.
    pub(super) folders: OnceLock<Folders>,
}

/// The names that columns refer to.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) reasons: Vec<Reason>,
    pub(super) sources: Vec<Source>,
    /// Ascending; the first is empty, for URLs without one.
    pub(super) media: Vec<String>,
}

/// A number with its depth.
pub(in crate::sqlite) type Depth = (u32, Option<u32>);

/// A column as it is stored: its name, and how to write it.
type Stored = (&'static str, fn(&Grid) -> Vec<u8>);

/// What the audit knows about every URL.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Derived {
    pub(in crate::sqlite) depth: Vec<Option<u32>>,
    pub(in crate::sqlite) inlinks: Vec<u32>,
    pub(in crate::sqlite) score: Vec<f32>,
}

impl Derived {
    /// What is stored of it.
    pub(super) fn read(connection: &Connection, run: i64, urls: usize) -> rusqlite::Result<Self> {
        let mut derived = Self { depth: vec![None; urls], inlinks: vec![0; urls], score: vec![f32::NAN; urls] };
        let sql = "SELECT u.number, u.depth, f.inlinks, f.link_score FROM urls AS u
                   LEFT JOIN figures AS f ON f.run = u.run AND f.number = u.number WHERE u.run = ?1 AND u.number <= ?2";
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query((run, urls))?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let at = columns.read::<usize>()? - 1;
            derived.depth[at] = columns.read()?;
            derived.inlinks[at] = columns.read::<Option<u32>>()?.unwrap_or(0);
            derived.score[at] = columns.read::<Option<f64>>()?.map_or(f32::NAN, |score| score as f32);
        }
        Ok(derived)
    }
}

impl Grid {
    /// How many URLs it knows.
    pub(in crate::sqlite) fn len(&self) -> usize {
        self.status.len()
    }

    /// Its memory in bytes, with orders and folders.
    pub(super) fn weight(&self) -> usize {
        self.len() * BYTES_PER_URL + self.folders.get().map_or(0, |folders| folders.bytes)
    }

    /// Reads the columns from the rows of a run. Without an audit there are no inlinks and scores.
    pub(in crate::sqlite) fn scan(
        connection: &Connection,
        run: i64,
        derived: Option<Derived>,
    ) -> rusqlite::Result<Self> {
        let mut builder = Builder::new();
        urls_with_visits(connection, run, (URLS, VISITS), |_, url, visit| builder.add(url, visit))?;
        let mut grid = builder.finish();
        match derived {
            Some(Derived { depth, inlinks, score }) => {
                grid.depth = depth.into_iter().map(shown_depth).collect();
                (grid.inlinks, grid.score) = (inlinks, score);
            }
            None => (grid.inlinks, grid.score) = (vec![NONE; grid.len()], vec![f32::NAN; grid.len()]),
        }
        Ok(grid)
    }

    /// The grid of a run with its orders and folders, and the depths that are not stored as they are.
    pub(in crate::sqlite) fn to_store(
        connection: &Connection,
        run: i64,
        derived: Derived,
    ) -> rusqlite::Result<(Self, Vec<Depth>)> {
        let sql = "SELECT number, depth FROM urls WHERE run = ?1 ORDER BY number";
        let mut changed = Vec::new();
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query([run])?;
        for depth in &derived.depth {
            let Some(row) = rows.next()? else { break };
            let (number, stored): (u32, Option<u32>) = from_row(row)?;
            if stored != *depth {
                changed.push((number, *depth));
            }
        }
        let grid = Self::scan(connection, run, Some(derived))?;
        grid.make_order(connection, run, RowSort::Title)?;
        grid.folders(connection, run)?;
        Ok((grid, changed))
    }

    /// The stored columns of a run; `None` if they are missing or not of this version.
    pub(super) fn load(connection: &Connection, run: i64, urls: usize) -> rusqlite::Result<Option<Self>> {
        let mut grid = Self::default();
        let mut select = connection.prepare_cached("SELECT name, bytes FROM run_columns WHERE run = ?1")?;
        let mut rows = select.query([run])?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            grid.put(columns.text()?, columns.optional_bytes()?.unwrap_or_default());
        }
        Ok(Some(grid).filter(|grid| grid.is_sound(urls)))
    }

    /// The names of the columns as they are stored, and how to write them.
    pub(in crate::sqlite) fn stored() -> impl Iterator<Item = Stored> {
        let others: [Stored; 3] = [
            ("by_url", |grid| u32::to_bytes(grid.by_url.get().map_or(&[], Vec::as_slice))),
            ("by_title", |grid| u32::to_bytes(grid.by_title.get().map_or(&[], Vec::as_slice))),
            ("names", |grid| serde_json::to_vec(&StoredNames::of(&grid.names)).expect("names are JSON")),
        ];
        Self::COLUMNS.iter().copied().chain(others)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) {
        match name {
            "by_url" => self.by_url = u32::from_bytes(bytes).into(),
            "by_title" => self.by_title = u32::from_bytes(bytes).into(),
            "names" => self.names = StoredNames::read(bytes).unwrap_or_default(),
            _ => self.put_column(name, bytes),
        }
    }

    /// Whether every column has a value for every URL, and no index leads nowhere.
    fn is_sound(&self, urls: usize) -> bool {
        let is_order = |order: &OnceLock<Vec<u32>>| {
            let order = order.get().map_or(&[][..], Vec::as_slice);
            order.len() == urls && order.iter().all(|number| (1..=urls as u32).contains(number))
        };
        let is_below = |indexes: &[u8], names: usize| indexes.iter().all(|index| usize::from(*index) < names);
        self.lengths().iter().all(|length| *length == urls)
            && is_below(&self.kind, PageType::ALL.len())
            && is_below(&self.reason, self.names.reasons.len())
            && is_below(&self.source, self.names.sources.len())
            && self.media.iter().all(|media| usize::from(*media) < self.names.media.len())
            && is_order(&self.by_url)
            && is_order(&self.by_title)
    }

    /// Its folders, which are stored apart.
    pub(in crate::sqlite) fn take_folders(&mut self) -> Vec<Folder> {
        self.folders.take().map(|folders| folders.all).unwrap_or_default()
    }

    /// Why a URL ended up where it did.
    pub(super) fn reason(&self, at: usize) -> Reason {
        self.names.reasons[usize::from(self.reason[at])]
    }
}

/// Declares the columns with a value for every URL.
macro_rules! columns {
    ($( $name:ident )*) => {
        impl Grid {
            const COLUMNS: &[Stored] = &[ $( (stringify!($name), |grid| Fixed::to_bytes(&grid.$name)) ),* ];

            fn put_column(&mut self, name: &str, bytes: &[u8]) {
                match name {
                    $( stringify!($name) => self.$name = Fixed::from_bytes(bytes), )*
                    _ => {}
                }
            }

            fn lengths(&self) -> [usize; Self::COLUMNS.len()] {
                [ $( self.$name.len() ),* ]
            }
        }
    };
}

columns! { status kind reason media depth flags source words bytes time inlinks score }

/// Numbers of fixed width, little-endian.
trait Fixed: Sized {
    fn to_bytes(values: &[Self]) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! fixed {
    ($( $type:ty )*) => { $(
        impl Fixed for $type {
            fn to_bytes(values: &[Self]) -> Vec<u8> {
                values.iter().flat_map(|value| value.to_le_bytes()).collect()
            }

            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                let (values, _) = bytes.as_chunks();
                values.iter().map(|value| Self::from_le_bytes(*value)).collect()
            }
        }
    )* };
}

fixed! { u8 u16 u32 f32 }

/// [`Names`] as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct StoredNames {
    /// Dispositions and reasons.
    reasons: Vec<(String, String)>,
    sources: Vec<String>,
    media: Vec<String>,
}

impl StoredNames {
    fn of(names: &Names) -> Self {
        let words = |reason: &Reason| (reason.disposition().as_str().to_owned(), reason.as_str().to_owned());
        Self {
            reasons: names.reasons.iter().map(words).collect(),
            sources: names.sources.iter().map(|source| source.as_str().to_owned()).collect(),
            media: names.media.clone(),
        }
    }

    /// `None` if a name is not known.
    fn read(json: &[u8]) -> Option<Names> {
        let Self { reasons, sources, media } = serde_json::from_slice(json).ok()?;
        let reasons = reasons.iter().map(|(disposition, reason)| Reason::from_words(disposition, reason));
        let sources = sources.iter().map(|source| Source::from_word(source));
        Some(Names { reasons: reasons.collect::<Option<_>>()?, sources: sources.collect::<Option<_>>()?, media })
    }
}

/// Makes a grid from the rows of a run.
struct Builder {
    grid: Grid,
    reasons: Reasons,
    sources: Words<Source>,
    /// Index of each media type in `grid.names.media`, which is sorted at the end.
    media: HashMap<Box<str>, u16>,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self {
            grid: Grid::default(),
            reasons: Reasons::default(),
            sources: Words::new(Source::from_word),
            media: HashMap::new(),
        };
        builder.media("");
        builder
    }

    fn add(&mut self, url: &Row<'_>, visit: Option<&Row<'_>>) -> rusqlite::Result<()> {
        let mut columns = Columns::of(url);
        let _number: u32 = columns.read()?;
        let is_internal: bool = columns.read()?;
        let source = self.sources.read(&mut columns)?;
        let reason = self.reasons.read(&mut columns)?;
        let depth: Option<u32> = columns.read()?;
        let visit = visit.map(Visit::read).transpose()?.unwrap_or_default();
        let media = self.media(visit.content_type);
        let grid = &mut self.grid;
        grid.status.push(visit.status.unwrap_or(0));
        let page_type = if visit.was_fetched { PageType::of(visit.content_type) } else { PageType::All };
        grid.kind.push(page_type as u8);
        grid.reason.push(index_of(&mut grid.names.reasons, reason));
        grid.media.push(media);
        grid.depth.push(shown_depth(depth));
        let index_state = match visit.indexable {
            "Yes" => HAS_INDEX_STATE | INDEXABLE,
            "No" => HAS_INDEX_STATE,
            _ => 0,
        };
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        grid.flags.push(flag(is_internal, INTERNAL) | flag(visit.is_page, PAGE) | index_state);
        grid.source.push(index_of(&mut grid.names.sources, source));
        grid.words.push(saturated(visit.words));
        grid.bytes.push(saturated(visit.bytes));
        grid.time.push(saturated(visit.total_us.map(|us| us / 1000)));
        Ok(())
    }

    /// The index of a media type. Beyond 65,535 different ones, more count as none.
    fn media(&mut self, media: &str) -> u16 {
        if let Some(index) = self.media.get(media) {
            return *index;
        }
        let Ok(index) = u16::try_from(self.media.len()) else { return 0 };
        self.media.insert(media.into(), index);
        self.grid.names.media.push(media.to_owned());
        index
    }

    fn finish(mut self) -> Grid {
        let names = std::mem::take(&mut self.grid.names.media);
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|one, other| names[*one].cmp(&names[*other]));
        let mut places = vec![0; names.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = place as u16;
        }
        self.grid.media.iter_mut().for_each(|media| *media = places[usize::from(*media)]);
        self.grid.names.media = order.iter().map(|index| names[*index].clone()).collect();
        self.grid
    }
}

/// What lists need of a visit.
#[derive(Default)]
struct Visit<'a> {
    was_fetched: bool,
    status: Option<u16>,
    content_type: &'a str,
    indexable: &'a str,
    is_page: bool,
    words: Option<u64>,
    bytes: Option<u64>,
    total_us: Option<u64>,
}

impl<'a> Visit<'a> {
    fn read(row: &'a Row<'a>) -> rusqlite::Result<Self> {
        let mut columns = Columns::of(row);
        let _number: u32 = columns.read()?;
        Ok(Self {
            was_fetched: columns.read()?,
            status: columns.read()?,
            content_type: columns.optional_text()?.unwrap_or_default(),
            indexable: columns.text()?,
            is_page: columns.read()?,
            words: columns.read()?,
            bytes: columns.read()?,
            total_us: columns.read()?,
        })
    }
}

/// A depth as it is kept.
fn shown_depth(depth: Option<u32>) -> u16 {
    depth.map_or(NO_DEPTH, |depth| depth.min(u32::from(NO_DEPTH) - 1) as u16)
}

fn saturated(value: Option<u64>) -> u32 {
    value.map_or(NONE, |value| value.min(u64::from(NONE) - 1) as u32)
}

/// The index of a value in a short list, which it is added to.
fn index_of<T: PartialEq>(known: &mut Vec<T>, value: T) -> u8 {
    let found = known.iter().position(|one| *one == value);
    found.unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    }) as u8
}
