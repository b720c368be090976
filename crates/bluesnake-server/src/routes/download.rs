//! Streamed downloads: memory does not grow with the file, and a client that disconnects ends the work.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bluesnake_app::AppError;
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinSet;

use crate::error::{Code, Problem};
use crate::state::Server;

/// The header of a sitemap with the number of pages omitted because their URLs contain secrets.
const SKIPPED: &str = "x-skipped-pages";
/// Chunks of a file that may wait for the client.
const AHEAD: usize = 4;

/// The media type and the name of a file.
pub(super) type Label = (&'static str, String);

/// Sends a file while it is written.
pub(super) async fn download<W: Future<Output = Result<u64, AppError>> + Send + 'static>(
    server: &Server,
    (media_type, name): Label,
    write: impl FnOnce(Pieces) -> W,
) -> Result<Response, Problem> {
    let place = Arc::clone(&server.exports).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy(Code::TooManyExports, "too many exports are running"))?;
    let mut export = Export::begin(place, write);
    // Errors in the request surface before the first byte, so they can still be reported.
    let first = export.first().await?;
    let skipped = Arc::clone(&export.skipped);
    let pieces = stream::unfold((first, export), |(first, mut export)| async {
        let piece = match first {
            Some(first) => Ok(first),
            None => export.next().await?,
        };
        Some((piece, (None, export)))
    });
    let headers = [(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""))];
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    if let Some(skipped) = skipped.get() {
        response.headers_mut().insert(SKIPPED, HeaderValue::from(*skipped));
    }
    Ok(response)
}

/// An export in progress.
struct Export {
    pieces: mpsc::Receiver<Bytes>,
    /// For sitemaps, known before the first chunk.
    skipped: Arc<OnceLock<u64>>,
    writing: JoinSet<Result<u64, AppError>>,
}

impl Export {
    fn begin<W: Future<Output = Result<u64, AppError>> + Send + 'static>(
        place: OwnedSemaphorePermit,
        write: impl FnOnce(Pieces) -> W,
    ) -> Self {
        let (sender, pieces) = mpsc::channel(AHEAD);
        let skipped = Arc::default();
        let mut writing = JoinSet::new();
        // Work on a thread cannot be cancelled: the slot stays taken until it ends.
        writing.spawn(write(Pieces { sender, skipped: Arc::clone(&skipped), _place: place }));
        Self { pieces, skipped, writing }
    }

    /// The first chunk, or the error in the request.
    async fn first(&mut self) -> Result<Option<Bytes>, Problem> {
        match self.pieces.recv().await {
            Some(piece) => Ok(Some(piece)),
            None => self.end().await.map(|()| None).map_err(Problem::from),
        }
    }

    /// The next chunk; an error aborts the response, so that a partial export is never mistaken for a complete one.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(piece) = self.pieces.recv().await {
            return Some(Ok(piece));
        }
        match self.end().await {
            Ok(()) => None,
            Err(error) => {
                tracing::error!(story = error.story(), "an export failed");
                Some(Err(io::Error::other("the export failed")))
            }
        }
    }

    async fn end(&mut self) -> Result<(), AppError> {
        match self.writing.join_next().await {
            None => Ok(()),
            Some(Ok(written)) => written.map(|_| ()),
            Some(Err(panic)) => Err(AppError::Export(io::Error::other(panic).into())),
        }
    }
}

/// Passes bytes to the client from a thread that may wait for it.
pub(super) struct Pieces {
    sender: mpsc::Sender<Bytes>,
    skipped: Arc<OnceLock<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Pieces {
    /// Reports how many pages a sitemap omits. Only before the first byte.
    pub(super) fn note_skipped(&self, pages: u64) {
        let _ = self.skipped.set(pages);
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(bytes);
        self.sender.blocking_send(piece).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
