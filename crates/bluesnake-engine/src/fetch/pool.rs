//! The open connections of this process: how many there may be, and which are idle.
//!
//! Every socket a fetch opens needs a [`Permit`]; the limit on file descriptors decides how many permits there are. A
//! request gets an idle connection to its origin or a permit for a new one; otherwise it waits, and the least
//! recently used idle connection is closed to make room. All crawls of a process share one pool because they share
//! its descriptors. Start with [`Pool::place`].

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connection::Connection;
use super::descriptors;

/// How long to keep an idle connection.
const KEPT_FOR: Duration = Duration::from_secs(20);
/// How many to keep. An idle connection costs about 10 kB, so a crawl of many hosts would fill memory with them.
const MOST_IDLE: usize = 512;

/// The connections of a process; cheap to clone.
#[derive(Clone)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    most_open: usize,
    state: Mutex<State>,
}

/// The owner of connections: fetchers never share them, because their settings may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct User(u64);

impl User {
    pub(super) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a request gets.
pub(super) enum Place {
    /// An open connection.
    Kept(Held),
    /// The right to open one.
    Room(Permit),
}

#[derive(Default)]
struct State {
    /// Permits in use.
    open: usize,
    /// Idle connections, least recently used first. HTTP/2 connections are here even while in use.
    by_age: BTreeMap<u64, Idle>,
    /// The same by origin.
    ages: HashMap<User, HashMap<Box<str>, Vec<u64>>>,
    last_age: u64,
    waiting: VecDeque<Waiting>,
    /// When a connection was last opened.
    last_opened: Option<Instant>,
}

struct Idle {
    user: User,
    origin: Box<str>,
    connection: Connection,
    since: Instant,
}

struct Waiting {
    user: User,
    origin: Box<str>,
    sender: oneshot::Sender<Place>,
}

impl Pool {
    /// A pool with at most this many open connections.
    pub(crate) fn new(most_open: usize) -> Self {
        Self { shared: Arc::new(Shared { most_open: most_open.max(1), state: Mutex::default() }) }
    }

    /// The default pool, shared by all crawls of this process.
    pub(crate) fn of_this_process() -> Self {
        static POOL: OnceLock<Pool> = OnceLock::new();
        POOL.get_or_init(|| Self::new(descriptors::connection_limit())).clone()
    }

    /// Waits for a connection to an origin, or for room to open one.
    pub(super) async fn place(&self, user: User, origin: &str) -> Place {
        let (granted, closed) = {
            let mut state = self.state();
            if let Some((origin, connection)) = state.take(user, origin) {
                return Place::Kept(self.held(user, origin, connection));
            }
            if state.open < self.shared.most_open {
                state.open += 1;
                return Place::Room(Permit(self.clone()));
            }
            let (sender, granted) = oneshot::channel();
            state.waiting.push_back(Waiting { user, origin: origin.into(), sender });
            (granted, state.take_oldest())
        };
        drop(closed);
        granted.await.expect("a pool keeps those who wait")
    }

    /// Another permit, if one is left.
    pub(super) fn try_permit(&self) -> Option<Permit> {
        let mut state = self.state();
        (state.open < self.shared.most_open).then(|| {
            state.open += 1;
            Permit(self.clone())
        })
    }

    /// Waits for a permit that is not for a connection.
    pub(super) async fn permit(&self) -> Permit {
        match self.place(User::new(), "").await {
            Place::Room(permit) => permit,
            Place::Kept(_) => unreachable!("no connection has an empty origin"),
        }
    }

    /// Adds a newly opened connection. If several HTTP/2 connections to one origin were opened concurrently, the
    /// first serves all requests and counts as kept.
    pub(super) fn opened(&self, user: User, origin: &str, connection: Connection) -> (Held, bool) {
        let mut unwanted = Vec::new();
        let held = {
            let mut state = self.state();
            state.last_opened = Some(Instant::now());
            let Some(clone) = connection.share() else {
                return (self.held(user, origin.into(), connection), false);
            };
            if let Some((origin, first)) = state.take(user, origin) {
                unwanted.extend([clone, connection]);
                (self.held(user, origin, first), true)
            } else {
                state.put(user, origin.into(), clone);
                while let Some(waiting) = state.take_waiting_for(user, origin) {
                    let shared = connection.share().expect("it was shared before");
                    let place = Place::Kept(self.held(user, origin.into(), shared));
                    if let Err(Place::Kept(held)) = waiting.send(place) {
                        unwanted.extend(held.into_connection());
                    }
                }
                (self.held(user, origin.into(), connection), false)
            }
        };
        drop(unwanted);
        held
    }

    /// When the process last opened a connection.
    pub(super) fn last_opened(&self) -> Option<Instant> {
        self.state().last_opened
    }

    /// Closes the idle connections of a dropped fetcher.
    pub(super) fn forget(&self, user: User) {
        let forgotten = self.state().forget(user);
        drop(forgotten);
    }

    /// Closes all idle connections because the machine has run out of resources.
    pub(super) fn close_idle(&self) {
        let mut closed = Vec::new();
        closed.extend(std::iter::from_fn(|| self.state().take_oldest()));
    }

    fn held(&self, user: User, origin: Box<str>, connection: Connection) -> Held {
        Held { pool: self.clone(), user, origin, connection: Some(connection) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().expect("no panic happens while connections are counted")
    }
}

impl State {
    /// A live idle connection; the most recently used, so that the others expire.
    fn take(&mut self, user: User, origin: &str) -> Option<(Box<str>, Connection)> {
        loop {
            let age = *self.ages.get(&user)?.get(origin)?.last()?;
            let idle = self.remove(age).expect("both maps know it");
            let is_old = idle.since.elapsed() >= KEPT_FOR && !idle.connection.is_used_elsewhere();
            if is_old || idle.connection.is_closed() {
                continue;
            }
            if let Some(shared) = idle.connection.share() {
                self.put(user, origin.into(), shared);
            }
            return Some((idle.origin, idle.connection));
        }
    }

    fn put(&mut self, user: User, origin: Box<str>, connection: Connection) {
        self.last_age += 1;
        let ages = self.ages.entry(user).or_default();
        match ages.get_mut(&origin) {
            Some(ages) => ages.push(self.last_age),
            None => _ = ages.insert(origin.clone(), vec![self.last_age]),
        }
        let idle = Idle { user, origin, connection, since: Instant::now() };
        self.by_age.insert(self.last_age, idle);
    }

    fn remove(&mut self, age: u64) -> Option<Idle> {
        let idle = self.by_age.remove(&age)?;
        let of_user = self.ages.get_mut(&idle.user).expect("both maps know its fetcher");
        let ages = of_user.get_mut(&idle.origin).expect("both maps know its origin");
        ages.retain(|other| *other != age);
        if ages.is_empty() {
            of_user.remove(&idle.origin);
        }
        Some(idle)
    }

    /// The least recently used idle connection.
    fn take_oldest(&mut self) -> Option<Connection> {
        loop {
            let age = *self.by_age.iter().find(|(_, idle)| !idle.connection.is_used_elsewhere())?.0;
            let idle = self.remove(age)?;
            // One that the peer has closed frees nothing.
            if !idle.connection.is_closed() {
                return Some(idle.connection);
            }
        }
    }

    /// What to close now: a connection for each waiter, and those that are too old or too many.
    fn take_surplus(&mut self) -> Vec<Connection> {
        let mut surplus = Vec::new();
        if !self.waiting.is_empty() || self.by_age.len() > MOST_IDLE {
            surplus.extend(self.take_oldest());
        }
        while let Some((&age, idle)) = self.by_age.first_key_value()
            && idle.since.elapsed() >= KEPT_FOR
            && !idle.connection.is_used_elsewhere()
        {
            surplus.extend(self.remove(age).map(|idle| idle.connection));
        }
        surplus
    }

    /// The longest waiter, if it wants a connection to this origin.
    fn take_first_waiting_for(&mut self, user: User, origin: &str) -> Option<oneshot::Sender<Place>> {
        while self.waiting.front().is_some_and(|first| first.sender.is_closed()) {
            self.waiting.pop_front();
        }
        let first = self.waiting.pop_front_if(|first| first.user == user && *first.origin == *origin)?;
        Some(first.sender)
    }

    /// Any waiter for a connection to this origin.
    fn take_waiting_for(&mut self, user: User, origin: &str) -> Option<oneshot::Sender<Place>> {
        let is_for = |waiting: &Waiting| waiting.user == user && *waiting.origin == *origin;
        let place = self.waiting.iter().position(|waiting| is_for(waiting) && !waiting.sender.is_closed())?;
        self.waiting.remove(place).map(|waiting| waiting.sender)
    }

    fn forget(&mut self, user: User) -> Vec<Connection> {
        let ages = self.ages.remove(&user).into_iter().flat_map(HashMap::into_values).flatten();
        ages.filter_map(|age| self.by_age.remove(&age)).map(|idle| idle.connection).collect()
    }
}

/// The right to have one descriptor open. Dropping it wakes the first waiter.
pub(super) struct Permit(Pool);

impl Drop for Permit {
    fn drop(&mut self) {
        let refused = {
            let mut state = self.0.state();
            state.open -= 1;
            let next = std::iter::from_fn(|| state.waiting.pop_front()).find(|waiting| !waiting.sender.is_closed());
            next.and_then(|next| {
                state.open += 1;
                next.sender.send(Place::Room(Permit(self.0.clone()))).err()
            })
        };
        // A waiter that was dropped just now returns its permit in turn, once the lock is released.
        drop(refused);
    }
}

/// A connection in use. Dropping it closes the connection unless others share it; see [`Held::give_back`].
pub(super) struct Held {
    pool: Pool,
    user: User,
    origin: Box<str>,
    connection: Option<Connection>,
}

impl Held {
    pub(super) fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a held connection is there until the end")
    }

    /// The response was read to its end.
    pub(super) fn give_back(mut self) {
        if self.connection().is_shared() {
            return;
        }
        let Some(connection) = self.connection.take() else { return };
        let origin = std::mem::take(&mut self.origin);
        let mut surplus = Vec::new();
        {
            let mut state = self.pool.state();
            match state.take_first_waiting_for(self.user, &origin) {
                Some(waiting) => {
                    let place = Place::Kept(self.pool.held(self.user, origin, connection));
                    if let Err(Place::Kept(held)) = waiting.send(place) {
                        surplus.extend(held.into_connection());
                    }
                }
                None => {
                    state.put(self.user, origin, connection);
                    surplus = state.take_surplus();
                }
            }
        }
        drop(surplus);
    }

    /// Removes the connection from use.
    pub(super) fn discard(self) {
        let discarded = {
            let mut state = self.pool.state();
            let ages = state.ages.get(&self.user).and_then(|ages| ages.get(&self.origin)).cloned().unwrap_or_default();
            let this = self.connection.as_ref().expect("a held connection is there until the end");
            let age = ages.into_iter().find(|age| state.by_age[age].connection.is_same(this));
            age.and_then(|age| state.remove(age))
        };
        drop(discarded);
    }

    fn into_connection(mut self) -> Option<Connection> {
        self.connection.take()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let is_shared = connection.is_shared();
        drop(connection);
        if is_shared {
            let surplus = self.pool.state().take_surplus();
            drop(surplus);
        }
    }
}
