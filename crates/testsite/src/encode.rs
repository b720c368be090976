//! Content encodings, and decompression bombs made of them.
//!
//! A bomb is tiny on the wire and generated piece by piece, so it costs the server no memory either.

use std::io::{Read, Write};
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

use crate::reply::Pieces;

/// Encodes `plain` with the encoding a `Content-Encoding` header names; an unknown name leaves it unchanged.
pub(crate) fn encode(name: &str, plain: &[u8]) -> Vec<u8> {
    match name {
        "gzip" => gzip(plain),
        "deflate" => read_all(flate2::read::ZlibEncoder::new(plain, Compression::default())),
        "br" => read_all(brotli::CompressorReader::new(plain, 4096, 5, 22)),
        "zstd" => zstd::encode_all(plain, 3).expect("memory can be read"),
        _ => plain.to_vec(),
    }
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    read_all(flate2::read::GzEncoder::new(plain, Compression::default()))
}

fn read_all(mut encoder: impl Read) -> Vec<u8> {
    let mut encoded = Vec::new();
    encoder.read_to_end(&mut encoded).expect("memory can be read");
    encoded
}

/// Decoded size of one repeated piece of a bomb.
const PIECE: usize = 1 << 20;

/// The start of a bomb, so that a decoder sees a page before the flood.
const OPENING: &[u8] = b"<!doctype html><title>Bomb</title><p>";

/// The parts of a bomb; the middle one may repeat any number of times.
struct Powder {
    opening: Bytes,
    piece: Bytes,
}

/// One gzip member that decodes to `decoded` bytes, rounded up to whole megabytes.
pub(crate) fn gzip_bomb(decoded: u64) -> Pieces {
    static POWDER: LazyLock<Powder> = LazyLock::new(gzip_powder);
    let count = decoded.div_ceil(PIECE as u64);
    let (sum, amount) = checksum(count);
    let final_empty_block = [0x03, 0x00];
    let tail = [&final_empty_block[..], &sum.to_le_bytes(), &amount.to_le_bytes()].concat();
    repeated(&POWDER, count, tail)
}

fn gzip_powder() -> Powder {
    let mut deflate = Compress::new(Compression::best(), false);
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let opening = [&header[..], &deflate_piece(&mut deflate, OPENING)].concat();
    // After a full flush the compressor has no state, so every piece comes out the same.
    let piece = deflate_piece(&mut deflate, &vec![b' '; PIECE]);
    Powder { opening: opening.into(), piece: piece.into() }
}

fn deflate_piece(deflate: &mut Compress, plain: &[u8]) -> Vec<u8> {
    let mut piece = Vec::with_capacity(plain.len() / 100 + 4096);
    deflate.compress_vec(plain, &mut piece, FlushCompress::Full).expect("a healthy compressor compresses");
    piece
}

fn checksum(count: u64) -> (u32, u32) {
    let (mut sum, mut piece) = (Crc::new(), Crc::new());
    sum.update(OPENING);
    piece.update(&vec![b' '; PIECE]);
    (0..count).for_each(|_| sum.combine(&piece));
    (sum.sum(), sum.amount())
}

/// Decoded size of one repeated piece of a brotli bomb.
const BROTLI_PIECE: usize = 16 << 20;

/// A brotli stream that decodes to `decoded` bytes, rounded up to whole pieces.
pub(crate) fn brotli_bomb(decoded: u64) -> Pieces {
    static POWDER: LazyLock<Powder> = LazyLock::new(brotli_powder);
    let count = decoded.div_ceil(BROTLI_PIECE as u64).saturating_sub(1);
    let final_empty_block = vec![0x03];
    repeated(&POWDER, count, final_empty_block)
}

fn brotli_powder() -> Powder {
    let blanks = vec![b' '; BROTLI_PIECE];
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 24);
    let mut ends = Vec::new();
    for plain in [OPENING, &blanks, &blanks] {
        brotli.write_all(plain).and_then(|()| brotli.flush()).expect("memory can be written");
        ends.push(brotli.get_ref().len());
    }
    // The second block of blanks ends in the state it starts in; the first one starts in another.
    let stream = Bytes::copy_from_slice(brotli.get_ref());
    Powder { opening: stream.slice(..ends[1]), piece: stream.slice(ends[1]..ends[2]) }
}

/// A zstd frame of run-length blocks: 4 bytes on the wire for every 128 KiB.
pub(crate) fn zstd_bomb(decoded: u64) -> Pieces {
    const BLOCK: u32 = 128 << 10;
    let run = zstd_block(BLOCK, 1, false, b" ");
    let mut opening = zstd_frame(window_descriptor(23));
    opening.extend(zstd_block(OPENING.len() as u32, 0, false, OPENING));
    let powder = Powder { opening: opening.into(), piece: run.repeat(PIECE / BLOCK as usize).into() };
    repeated(&powder, decoded.div_ceil(PIECE as u64), zstd_block(0, 0, true, b""))
}

/// A small zstd page whose frame requires a window of 2 GiB.
pub(crate) fn zstd_huge_window() -> Vec<u8> {
    let mut frame = zstd_frame(window_descriptor(31));
    frame.extend(zstd_block(OPENING.len() as u32, 0, true, OPENING));
    frame
}

fn zstd_frame(window: u8) -> Vec<u8> {
    vec![0x28, 0xb5, 0x2f, 0xfd, 0, window]
}

/// RFC 8878, 3.1.1.1.2: the upper five bits are the exponent above 1 KiB.
fn window_descriptor(exponent: u8) -> u8 {
    (exponent - 10) << 3
}

/// RFC 8878, 3.1.1.2: three bytes of header; kind 0 is raw, kind 1 a run of one byte.
fn zstd_block(size: u32, kind: u32, is_last: bool, content: &[u8]) -> Vec<u8> {
    let header = (size << 3) | (kind << 1) | u32::from(is_last);
    [&header.to_le_bytes()[..3], content].concat()
}

fn repeated(powder: &Powder, count: u64, tail: Vec<u8>) -> Pieces {
    let piece = powder.piece.clone();
    let middle = (0..count).map(move |_| piece.clone());
    Box::new(std::iter::once(powder.opening.clone()).chain(middle).chain([Bytes::from(tail)]))
}
