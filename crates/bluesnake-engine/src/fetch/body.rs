//! Reads bodies in pieces, within limits of size, time and rate.
//!
//! Never keeps more than the limit, however much is sent and whatever it would decode to; an incomplete body records
//! why. A body that stalls is a [`Failure`]. Start with [`read`].

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use hyper::body::{Body as HttpBody, Frame};
use tokio::time::{Instant, Sleep};

use super::classify::{self, BodyBreak};
use super::decode::{Decoder, Stop};
use super::outcome::{Failure, FailureKind};
use super::{Body, Cut, Take};
use crate::parse::sniff::SNIFFED_BYTES;
use crate::space::{Space, Taken};

/// Above this size, a body with too high a compression ratio is treated as a bomb.
const RATIO_FREE_BYTES: u64 = 1 << 20;
/// How many encoded bytes to read beyond the decoded limit: encoding may add a little instead of saving.
const WIRE_SLACK: u64 = 64 << 10;
/// How much memory to reserve based on Content-Length alone; beyond it, memory grows with the bytes received.
const TRUSTED_LENGTH: u64 = 256 << 10;
/// How much of any body is kept without a reservation. Larger bodies reserve part of the space shared by all bodies.
const FREE_BYTES: usize = 512 << 10;

/// How long a body may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The longest wait for the next byte.
    pub(super) idle: Duration,
    /// When the whole response must have arrived.
    pub(super) deadline: Instant,
    /// Bytes per second, on average; 0 = any.
    pub(super) min_rate: u64,
    /// How long a body may stay below that rate.
    pub(super) patience: Duration,
}

/// How much of a body to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// What to do with it, and its limit.
    pub(super) take: Take,
    /// How many bytes to read when only counting.
    pub(super) count_limit: u64,
    /// Decoded bytes per byte on the wire.
    pub(super) max_ratio: u64,
}

/// A body that was read.
#[derive(Default)]
pub(super) struct ReadBody {
    pub(super) body: Body,
    /// Its reservation in the shared space, if it is large.
    pub(super) room: Option<Taken>,
    /// How long it waited for that.
    pub(super) waited: Duration,
}

/// Reads a body to its end or to a limit. `alarm` is the timer that waited for the head; it may be set to any time.
///
/// A large body waits until there is space for its maximum size. The wait does not count against its time limit, but
/// the server sees a client that reads nothing for a while, and may give up.
pub(super) async fn read<B>(
    body: B,
    headers: &HeaderMap,
    extent: Extent,
    pace: Pace,
    alarm: Pin<&mut Sleep>,
    space: Option<&Space>,
) -> Result<ReadBody, Failure>
where
    B: HttpBody<Data = Bytes, Error = hyper::Error> + Unpin,
{
    if body.is_end_stream() {
        return Ok(ReadBody::default());
    }
    let mut frames = Frames { body, alarm, watch: Watch::new(pace) };
    let mut intake = Intake::new(headers, extent);
    let (mut room, mut waited) = (None, Duration::ZERO);
    loop {
        match frames.next(intake.wire_bytes).await {
            Ok(Some(frame)) => {
                let Ok(piece) = frame.into_data() else { continue };
                let mut flow = intake.push(&piece);
                if intake.needs_room() {
                    let began = Instant::now();
                    room = match space {
                        Some(space) => Some(space.take(intake.may_become()).await),
                        None => None,
                    };
                    waited = began.elapsed();
                    frames.watch.forgive(waited);
                    flow = intake.room_was_made(flow);
                }
                if flow.is_break() {
                    break;
                }
            }
            Ok(None) => break,
            Err(Trouble::Break(BodyBreak::Ended)) if is_delimited_by_close(headers) => break,
            Err(Trouble::Break(BodyBreak::Ended)) if intake.wire_bytes > 0 => {
                intake.cut = Some(Cut::Truncated);
                break;
            }
            Err(Trouble::Break(BodyBreak::Ended)) => return Err(FailureKind::ClosedEarly.into()),
            Err(Trouble::Break(BodyBreak::Failed(failure)) | Trouble::Late(failure)) => return Err(failure),
        }
    }
    Ok(ReadBody { body: intake.finish(), room, waited })
}

/// Without a length, the end of the connection ends the body. A missing TLS close_notify is too common to count as an
/// error.
fn is_delimited_by_close(headers: &HeaderMap) -> bool {
    !headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(TRANSFER_ENCODING)
}

enum Trouble {
    Break(BodyBreak),
    Late(Failure),
}

/// The frames of a body, with one timer for all waits; it is set only if there is something to wait for.
struct Frames<'a, B> {
    body: B,
    alarm: Pin<&'a mut Sleep>,
    watch: Watch,
}

impl<B: HttpBody<Data = Bytes, Error = hyper::Error> + Unpin> Frames<'_, B> {
    async fn next(&mut self, wire_bytes: u64) -> Result<Option<Frame<Bytes>>, Trouble> {
        std::future::poll_fn(|cx| self.poll_next(cx, wire_bytes)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>, wire_bytes: u64) -> Poll<Result<Option<Frame<Bytes>>, Trouble>> {
        if let Poll::Ready(next) = Pin::new(&mut self.body).poll_frame(cx) {
            if let Err(failure) = self.watch.came(wire_bytes) {
                return Poll::Ready(Err(Trouble::Late(failure)));
            }
            return Poll::Ready(match next {
                Some(Ok(frame)) => Ok(Some(frame)),
                Some(Err(error)) => Err(Trouble::Break(classify::body_break(&error))),
                None => Ok(None),
            });
        }
        self.watch.wait();
        loop {
            let due = match self.watch.due(Instant::now(), wire_bytes) {
                Ok(due) => due,
                Err(failure) => return Poll::Ready(Err(Trouble::Late(failure))),
            };
            // A timer that fires too early is cheaper than resetting it for every wait.
            if self.alarm.is_elapsed() || self.alarm.deadline() > due {
                self.alarm.as_mut().reset(due);
            }
            if self.alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

/// Detects bodies that are too late or too slow. Reads the clock only around waits.
struct Watch {
    pace: Pace,
    began: Instant,
    waits_since: Option<Instant>,
}

impl Watch {
    fn new(pace: Pace) -> Self {
        Self { pace, began: Instant::now(), waits_since: None }
    }

    /// Does not count time in which we read nothing.
    fn forgive(&mut self, time: Duration) {
        self.began += time;
        self.pace.deadline += time;
    }

    fn wait(&mut self) {
        self.waits_since.get_or_insert_with(Instant::now);
    }

    /// Data arrived. Without this check, a body that trickles without a pause would never be measured.
    fn came(&mut self, wire_bytes: u64) -> Result<(), Failure> {
        if self.waits_since.take().is_some() { self.check(Instant::now(), wire_bytes) } else { Ok(()) }
    }

    /// When to check again, or why the body failed.
    fn due(&self, now: Instant, wire_bytes: u64) -> Result<Instant, Failure> {
        self.check(now, wire_bytes)?;
        let idle_end = self.waits_since.unwrap_or(now) + self.pace.idle;
        if now >= idle_end {
            return Err(Failure::new(FailureKind::BodyTimeout, format!("{wire_bytes} bytes had come")));
        }
        let slow_end = self.began + self.pace.patience;
        let watches_rate = self.pace.min_rate > 0 && now < slow_end;
        Ok(idle_end.min(self.pace.deadline).min(if watches_rate { slow_end } else { idle_end }))
    }

    fn check(&self, now: Instant, wire_bytes: u64) -> Result<(), Failure> {
        if now >= self.pace.deadline {
            return Err(Failure::new(FailureKind::TotalTimeout, format!("{wire_bytes} bytes had come")));
        }
        let elapsed = now - self.began;
        let is_slow = (wire_bytes as f64) < self.pace.min_rate as f64 * elapsed.as_secs_f64();
        if elapsed >= self.pace.patience && is_slow {
            return Err(Failure::new(FailureKind::TooSlow, format!("{wire_bytes} bytes in {} s", elapsed.as_secs())));
        }
        Ok(())
    }
}

/// How much of a body has arrived and been kept.
struct Intake {
    kept: Vec<u8>,
    /// How many bytes to keep: all of them, or only the first if they are counted.
    keeps: usize,
    /// Whether it may exceed the free size.
    has_room: bool,
    /// Whether the last piece exceeds the wire limit.
    is_beyond: bool,
    wire_bytes: u64,
    decoded_bytes: u64,
    cut: Option<Cut>,
    coding: Coding,
    decoded_limit: u64,
    wire_limit: u64,
    max_ratio: u64,
    announced: Option<u64>,
}

enum Coding {
    Plain,
    Encoded(Box<Decoder>),
    Unknown,
}

impl Intake {
    fn new(headers: &HeaderMap, extent: Extent) -> Self {
        let (limit, keeps) = match extent.take {
            Take::Body(0) => (u64::MAX, usize::MAX),
            Take::Body(limit) => (limit as u64, usize::MAX),
            Take::Count | Take::Head => (extent.count_limit, SNIFFED_BYTES),
        };
        let (coding, cut) = match Decoder::of(headers) {
            Ok(None) => (Coding::Plain, None),
            Ok(Some(decoder)) => (Coding::Encoded(Box::new(decoder)), None),
            // It cannot be decoded, so nothing is kept.
            Err(_) => (Coding::Unknown, Some(Cut::Encoding)),
        };
        let announced = content_length(headers);
        let trusted = announced.unwrap_or(0).min(limit).min(TRUSTED_LENGTH).min(keeps as u64);
        let slack = if matches!(coding, Coding::Encoded(_)) { WIRE_SLACK } else { 0 };
        Self {
            kept: Vec::with_capacity(trusted as usize),
            keeps,
            has_room: false,
            is_beyond: false,
            wire_bytes: 0,
            decoded_bytes: 0,
            cut,
            coding,
            decoded_limit: limit,
            wire_limit: limit.saturating_add(slack),
            max_ratio: extent.max_ratio,
            announced,
        }
    }

    /// Adds a piece; breaks when no more is wanted.
    fn push(&mut self, piece: &[u8]) -> ControlFlow<()> {
        let room = usize::try_from(self.wire_limit - self.wire_bytes).unwrap_or(usize::MAX);
        self.is_beyond = piece.len() > room;
        let piece = &piece[..piece.len().min(room)];
        self.wire_bytes += piece.len() as u64;
        match &mut self.coding {
            Coding::Unknown => self.decoded_bytes = self.wire_bytes,
            Coding::Plain => {
                keep(&mut self.kept, piece, self.keeps);
                self.decoded_bytes = self.wire_bytes;
            }
            Coding::Encoded(_) => return self.decode(piece),
        }
        self.end_piece()
    }

    fn decode(&mut self, piece: &[u8]) -> ControlFlow<()> {
        let Coding::Encoded(decoder) = &mut self.coding else { return ControlFlow::Continue(()) };
        let mut sink = Sink {
            kept: &mut self.kept,
            keeps: self.keeps,
            has_room: self.has_room,
            decoded_bytes: self.decoded_bytes,
            limit: self.decoded_limit,
            ratio_limit: RATIO_FREE_BYTES.max(self.max_ratio.saturating_mul(self.wire_bytes)),
            cut: None,
        };
        let result = decoder.push(piece, &mut |decoded| sink.take(decoded));
        let cut = sink.cut;
        self.decoded_bytes = sink.decoded_bytes;
        match result {
            Ok(()) => self.end_piece(),
            Err(Stop::Paused) => ControlFlow::Continue(()),
            Err(stop) => {
                self.cut = if stop == Stop::Broken { Some(Cut::Encoding) } else { cut };
                ControlFlow::Break(())
            }
        }
    }

    fn end_piece(&mut self) -> ControlFlow<()> {
        if !self.is_beyond {
            return ControlFlow::Continue(());
        }
        self.cut = Some(Cut::Limit);
        ControlFlow::Break(())
    }

    /// Whether it exceeds the free size, or would.
    fn needs_room(&self) -> bool {
        !self.has_room && self.kept.len() > FREE_BYTES
    }

    /// How large it may still become.
    fn may_become(&self) -> u64 {
        match (&self.coding, self.announced) {
            (Coding::Plain, Some(announced)) => announced.min(self.decoded_limit),
            _ => self.decoded_limit,
        }
    }

    /// Continues with data held back for lack of space.
    fn room_was_made(&mut self, flow: ControlFlow<()>) -> ControlFlow<()> {
        self.has_room = true;
        if flow.is_break() { flow } else { self.decode(&[]) }
    }

    fn finish(mut self) -> Body {
        if let (None, Coding::Encoded(decoder)) = (self.cut, &self.coding)
            && !decoder.is_complete()
        {
            self.cut = Some(Cut::Encoding);
        }
        if self.kept.capacity() - self.kept.len() > self.kept.len() / 4 + 1024 {
            self.kept.shrink_to_fit();
        }
        let (bytes, first) = match self.keeps {
            usize::MAX => (Bytes::from(self.kept), Box::default()),
            _ => (Bytes::new(), self.kept.into()),
        };
        Body { bytes, first, wire_bytes: self.wire_bytes, decoded_bytes: self.decoded_bytes, cut: self.cut }
    }
}

/// Collects decoded pieces, up to a limit.
struct Sink<'a> {
    kept: &'a mut Vec<u8>,
    /// How many bytes to keep.
    keeps: usize,
    has_room: bool,
    decoded_bytes: u64,
    limit: u64,
    ratio_limit: u64,
    cut: Option<Cut>,
}

impl Sink<'_> {
    fn take(&mut self, decoded: &[u8]) -> Result<(), Stop> {
        let allowed = self.limit.min(self.ratio_limit);
        let room = usize::try_from(allowed.saturating_sub(self.decoded_bytes)).unwrap_or(usize::MAX);
        let taken = &decoded[..decoded.len().min(room)];
        self.decoded_bytes += taken.len() as u64;
        keep(self.kept, taken, self.keeps);
        if taken.len() < decoded.len() {
            self.cut = Some(if self.limit <= self.ratio_limit { Cut::Limit } else { Cut::Ratio });
            return Err(Stop::Enough);
        }
        let needs_room = !self.has_room && self.kept.len() > FREE_BYTES;
        if needs_room { Err(Stop::Paused) } else { Ok(()) }
    }
}

/// Keeps a piece as far as there is room for it.
fn keep(kept: &mut Vec<u8>, piece: &[u8], most: usize) {
    kept.extend_from_slice(&piece[..piece.len().min(most - kept.len())]);
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use http::HeaderValue;
    use http::header::CONTENT_ENCODING;

    use super::*;

    const LIMIT: usize = 10 << 20;

    /// Reads a body in pieces, as it would arrive over the wire.
    fn taken(encoding: &'static str, wire: &[u8], take: Take) -> Body {
        taken_within(encoding, wire, take, 200)
    }

    fn taken_within(encoding: &'static str, wire: &[u8], take: Take, max_ratio: u64) -> Body {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        let mut intake = Intake::new(&headers, Extent { take, count_limit: LIMIT as u64, max_ratio });
        for piece in wire.chunks(1000) {
            let flow = intake.push(piece);
            let flow = if intake.needs_room() { intake.room_was_made(flow) } else { flow };
            if flow.is_break() {
                break;
            }
        }
        intake.finish()
    }

    /// A piece of a few kilobytes can reach the limit before anything could wait for space.
    #[test]
    fn a_body_that_grows_by_decoding_is_held_back_until_there_is_room() {
        let plain = text(3 << 20);
        for (encoding, wire) in [
            ("gzip", gzip(&plain)),
            ("zstd", zstd::encode_all(&plain[..], 3).unwrap()),
            ("gzip, zstd", zstd::encode_all(&gzip(&plain)[..], 3).unwrap()),
            ("zstd, gzip", gzip(&zstd::encode_all(&plain[..], 3).unwrap())),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
            let extent = Extent { take: Take::Body(LIMIT), count_limit: 0, max_ratio: 200 };
            let mut intake = Intake::new(&headers, extent);
            let flow = intake.push(&wire);
            assert!(flow.is_continue() && intake.needs_room() && intake.may_become() == LIMIT as u64, "{encoding}");
            assert!(intake.kept.len() <= FREE_BYTES + (64 << 10), "{encoding}: {}", intake.kept.len());
            assert!(intake.room_was_made(flow).is_continue() && !intake.needs_room(), "{encoding}");
            let body = intake.finish();
            assert!(
                body.bytes == plain && body.cut.is_none(),
                "{encoding}: {} bytes, {:?}",
                body.bytes.len(),
                body.cut
            );
        }
    }

    fn decoded(encoding: &'static str, wire: &[u8]) -> (Vec<u8>, Option<Cut>) {
        let body = taken(encoding, wire, Take::Body(LIMIT));
        (body.bytes.to_vec(), body.cut)
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(plain: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    /// Text that compresses, but not suspiciously well.
    fn text(bytes: usize) -> Vec<u8> {
        let words =
            (0_u64..).flat_map(|number| format!("{:x} ", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes());
        words.take(bytes).collect()
    }

    #[test]
    fn every_coding_round_trips() {
        let plain = text(300_000);
        for (encoding, wire) in [
            ("identity", plain.clone()),
            ("gzip", gzip(&plain)),
            ("X-GZip", gzip(&plain)),
            ("deflate", zlib(&plain)),
            ("deflate", raw_deflate(&plain)),
            ("zstd", zstd::encode_all(&plain[..], 3).unwrap()),
            ("gzip, zstd", zstd::encode_all(&gzip(&plain)[..], 3).unwrap()),
            ("gzip, gzip", gzip(&gzip(&plain))),
        ] {
            let (bytes, cut) = decoded(encoding, &wire);
            assert!(bytes == plain && cut.is_none(), "{encoding}: {} bytes, {cut:?}", bytes.len());
        }
    }

    #[test]
    fn a_gzip_body_of_several_members_is_read_to_its_end() {
        let wire = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(decoded("gzip", &wire), (b"one two".to_vec(), None));
    }

    #[test]
    fn a_body_without_a_byte_is_whole_whatever_its_label() {
        for encoding in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
            assert_eq!(decoded(encoding, b""), (Vec::new(), None), "{encoding}");
        }
    }

    #[test]
    fn the_decoded_part_of_a_broken_body_is_kept() {
        let plain = text(1_000_000);
        for (encoding, wire) in
            [("gzip", gzip(&plain)), ("deflate", zlib(&plain)), ("zstd", zstd::encode_all(&plain[..], 3).unwrap())]
        {
            let (bytes, cut) = decoded(encoding, &wire[..wire.len() * 3 / 4]);
            assert_eq!(cut, Some(Cut::Encoding), "{encoding} truncated");
            assert!(!bytes.is_empty() && plain.starts_with(&bytes), "{encoding} truncated");
            let (bytes, cut) = decoded(encoding, &[&wire[..], b"garbage"].concat());
            assert!(bytes == plain && cut == Some(Cut::Encoding), "{encoding} with garbage after it: {cut:?}");
        }
    }

    #[test]
    fn mislabelled_encodings_are_reported() {
        for encoding in ["gzip", "br", "zstd"] {
            assert_eq!(decoded(encoding, b"<!doctype html><title>plain</title>").1, Some(Cut::Encoding), "{encoding}");
        }
    }

    #[test]
    fn nothing_is_kept_of_a_coding_that_we_do_not_know() {
        assert_eq!(decoded("compress", b"abc"), (Vec::new(), Some(Cut::Encoding)));
        assert_eq!(decoded("gzip, gzip, gzip", b"abc"), (Vec::new(), Some(Cut::Encoding)));
    }

    #[test]
    fn a_charset_name_is_not_a_coding() {
        for mistake in ["UTF-8", "none", "8bit", "utf-8, identity"] {
            assert_eq!(decoded(mistake, b"abc"), (b"abc".to_vec(), None), "{mistake}");
        }
    }

    #[test]
    fn a_body_is_cut_at_the_limit() {
        let plain = text(5_000);
        for (encoding, wire) in [("identity", plain.clone()), ("gzip", gzip(&plain)), ("deflate", zlib(&plain))] {
            let body = taken(encoding, &wire, Take::Body(1_500));
            assert_eq!((&body.bytes[..], body.cut), (&plain[..1_500], Some(Cut::Limit)), "{encoding}");
            let body = taken(encoding, &wire, Take::Body(5_000));
            assert_eq!((body.bytes.len(), body.cut), (5_000, None), "{encoding}");
            let body = taken(encoding, &wire, Take::Body(0));
            assert_eq!((body.bytes.len(), body.cut), (5_000, None), "{encoding} without a limit");
        }
    }

    #[test]
    fn a_bomb_is_cut_by_its_ratio() {
        let zeros = vec![0; 20 << 20];
        for (encoding, wire) in [("gzip", gzip(&zeros)), ("zstd", zstd::encode_all(&zeros[..], 3).unwrap())] {
            let body = taken(encoding, &wire, Take::Body(usize::MAX));
            assert_eq!(body.cut, Some(Cut::Ratio), "{encoding}");
            assert!(body.bytes.len() <= 4 << 20, "{encoding}: {}", body.bytes.len());
        }
    }

    #[test]
    fn a_counted_body_is_measured_and_not_kept() {
        let wire = gzip(&text(50_000));
        let body = taken("gzip", &wire, Take::Count);
        assert_eq!((body.wire_bytes, body.decoded_bytes), (wire.len() as u64, 50_000));
        assert_eq!((body.bytes.len(), body.first.len(), body.cut), (0, SNIFFED_BYTES, None));
    }

    /// 27 MB of the alphabet, encoded by node's zlib.
    const BIG_BROTLI: &[u8] = b"\xcb\xff\xff\x3f\xf8\x65\xf1\x98\x0f\xc4\xea\x9d\xf1\x61\xa8\x90\xcf\xfb\x3f\x24\x16\xa5\x8d\x75\
        \x3e\xc4\x94\x4b\x6d\x7d\xcc\xb5\xcf\x7d\x1f\xf8\xff\xff\x07\xbf\x04\x40\x1c\x16\x00\xe8\xde\xff\xf1\xff\xff\x0f\x7e\
        \x09\x80\x38\x2c\x00\xd0\xbd\xff\xcb\x5f\xfe\x0d\xfc\x12\x00\x71\x58\x00\xa0\x47\xbf\x01";

    #[test]
    fn decodes_output_of_other_encoders() {
        let check = |wire: &[u8], expected: &[u8]| {
            let body = taken_within("br", wire, Take::Body(30 << 20), u64::MAX);
            assert!(body.bytes == expected && body.cut.is_none(), "{:?}", body.cut);
        };
        check(b"\x1b\x03\x29\xf8\xa5\xcc\xde\xe2\xb3\x20\x60\x17\x04\xc0", &b"foo".repeat(3_500));
        check(b"\x0b\x05\x80Hello world\x03", b"Hello world");
        check(BIG_BROTLI, &b"abcdefghijklmnopqrstuvwxyz\n".repeat(1_000_000));
    }

    #[test]
    fn a_long_text_of_one_line_repeated_is_a_bomb() {
        let plain = b"abcdefghijklmnopqrstuvwxyz\n".repeat(1_000_000);
        let zstd = zstd::encode_all(&plain[..], 3).unwrap();
        for (encoding, wire) in [("gzip", gzip(&plain)), ("zstd", zstd), ("br", BIG_BROTLI.to_vec())] {
            let read = |max_ratio| taken_within(encoding, &wire, Take::Body(30 << 20), max_ratio);
            assert!(read(u64::MAX).bytes == plain, "{encoding}");
            assert_eq!(read(200).cut, Some(Cut::Ratio), "{encoding}");
        }
    }

    #[test]
    fn a_zstd_window_too_large_to_keep_is_refused() {
        // A frame header without options, the window descriptor, and one final raw block.
        let frame = |window| [b"\x28\xb5\x2f\xfd\x00", &[window][..], b"\x19\x00\x00abc"].concat();
        let (one_kib, two_gib) = (0, 21 << 3);
        assert_eq!(decoded("zstd", &frame(one_kib)), (b"abc".to_vec(), None));
        assert_eq!(decoded("zstd", &frame(two_gib)).1, Some(Cut::Encoding));
    }

    fn watch(min_rate: u64) -> (Watch, Instant) {
        let secs = Duration::from_secs;
        let began = Instant::now();
        let pace = Pace { idle: secs(15), deadline: began + secs(60), min_rate, patience: secs(20) };
        (Watch { pace, began, waits_since: None }, began)
    }

    #[test]
    fn a_body_is_given_up_when_it_is_idle_late_or_slow() {
        let secs = Duration::from_secs;
        let (mut watch, began) = watch(1_000);
        watch.waits_since = Some(began);
        assert_eq!(watch.due(began, 0), Ok(began + secs(15)));
        assert_eq!(watch.due(began + secs(15), 0).unwrap_err().kind, FailureKind::BodyTimeout);
        watch.waits_since = Some(began + secs(14));
        assert_eq!(watch.due(began + secs(14), 500), Ok(began + secs(20)), "then the rate is looked at");
        assert_eq!(watch.due(began + secs(20), 500).unwrap_err().kind, FailureKind::TooSlow);
        assert_eq!(watch.due(began + secs(20), 50_000), Ok(began + secs(29)));
        watch.waits_since = Some(began + secs(55));
        assert_eq!(watch.due(began + secs(55), 90_000), Ok(began + secs(60)));
        assert_eq!(watch.due(began + secs(60), 90_000).unwrap_err().kind, FailureKind::TotalTimeout);
    }

    #[test]
    fn without_a_minimum_rate_any_pace_is_accepted() {
        let (mut watch, began) = watch(0);
        watch.waits_since = Some(began + Duration::from_secs(40));
        assert!(watch.due(began + Duration::from_secs(40), 1).is_ok());
    }
}
