//! Decodes content codings while the body arrives: gzip, deflate, brotli and zstd, at most two layers.
//!
//! A [`Decoder`] accepts pieces of any size and passes decoded pieces on; it holds one small buffer per layer,
//! whatever size the body claims. The consumer enforces limits, see [`body`](super::body).

use std::io;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation};

const MAX_LAYERS: usize = 2;
const BUFFER_BYTES: usize = 16 * 1024;
/// RFC 9659: what a browser must support and a server may rely on.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;
const DEFLATE_WINDOW_BITS: u8 = 15;

/// Why decoding stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes are invalid for the coding.
    Broken,
    /// The consumer wants no more.
    Enough,
    /// The consumer wants no more for now; the rest comes with the next piece.
    Paused,
}

/// The codings of one body, the outermost first.
pub(super) struct Decoder {
    layers: Vec<Layer>,
}

impl Decoder {
    /// The decoder for a response with these headers; `None` if the body is not encoded. Returns an error for an
    /// unknown coding or too many layers.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, UnknownCoding> {
        let mut layers = Vec::new();
        for value in headers.get_all(CONTENT_ENCODING) {
            let value = value.to_str().map_err(|_| UnknownCoding)?;
            for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                layers.extend(Layer::named(name)?);
            }
        }
        layers.reverse();
        match layers.len() {
            0 => Ok(None),
            1..=MAX_LAYERS => Ok(Some(Self { layers })),
            _ => Err(UnknownCoding),
        }
    }

    /// Decodes a piece; `take` receives the output and may stop it. After a pause, an empty piece continues with the
    /// rest.
    pub(super) fn push(&mut self, piece: &[u8], take: &mut impl FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
        // The innermost layer holds the earliest data.
        for outermost in (0..self.layers.len()).rev() {
            if let Some(held) = self.layers[outermost].held.take() {
                pump(&mut self.layers[outermost..], &held, take)?;
            }
        }
        if piece.is_empty() { Ok(()) } else { pump(&mut self.layers, piece, take) }
    }

    /// Whether every layer reached its end. An empty body is complete too: many servers label empty bodies as
    /// encoded.
    pub(super) fn is_complete(&self) -> bool {
        self.layers.iter().all(|layer| layer.is_at_end || !layer.has_begun)
    }
}

/// The body has an encoding we do not decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnknownCoding;

fn pump(layers: &mut [Layer], mut input: &[u8], take: &mut impl FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
    let Some((layer, inner)) = layers.split_first_mut() else { return take(input) };
    let mut buffer = std::mem::take(&mut layer.buffer);
    buffer.resize(BUFFER_BYTES, 0);
    loop {
        let step = layer.step(input, &mut buffer)?;
        input = &input[step.read..];
        if step.written > 0 {
            let pumped = pump(inner, &buffer[..step.written], take);
            if pumped == Err(Stop::Paused) {
                layer.held = Some(input.to_vec());
            }
            pumped?;
        }
        let may_hold_more = step.written == buffer.len();
        if input.is_empty() && !may_hold_more {
            break;
        }
        if step.read == 0 && step.written == 0 {
            return Err(Stop::Broken);
        }
    }
    layer.buffer = buffer;
    Ok(())
}

struct Layer {
    codec: Codec,
    buffer: Vec<u8>,
    /// Input not yet decoded when the consumer paused.
    held: Option<Vec<u8>>,
    has_begun: bool,
    is_at_end: bool,
}

struct Step {
    read: usize,
    written: usize,
}

enum Codec {
    Gzip(Decompress),
    /// `deflate` means zlib, but many servers send raw deflate; the first byte decides.
    Deflate(Option<Decompress>),
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(Box<ZstdDecoder<'static>>),
}

impl Layer {
    /// The layer of that name; `None` for `identity`, and for names that servers send by mistake: a charset or a
    /// transfer encoding.
    fn named(name: &str) -> Result<Option<Self>, UnknownCoding> {
        let codec = match name.to_ascii_lowercase().as_str() {
            "identity" | "none" | "7bit" | "8bit" | "binary" => return Ok(None),
            charset if encoding_rs::Encoding::for_label(charset.as_bytes()).is_some() => return Ok(None),
            "gzip" | "x-gzip" => Codec::Gzip(Decompress::new_gzip(DEFLATE_WINDOW_BITS)),
            "deflate" => Codec::Deflate(None),
            "br" => Codec::Brotli(Box::new(new_brotli())),
            "zstd" => Codec::Zstd(Box::new(new_zstd().map_err(|_| UnknownCoding)?)),
            _ => return Err(UnknownCoding),
        };
        Ok(Some(Self { codec, buffer: Vec::new(), held: None, has_begun: false, is_at_end: false }))
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Stop> {
        if input.is_empty() && (self.is_at_end || !self.has_begun) {
            return Ok(Step { read: 0, written: 0 });
        }
        self.has_begun = true;
        match &mut self.codec {
            Codec::Gzip(gzip) => {
                // A gzip file may have several members.
                if self.is_at_end {
                    *gzip = Decompress::new_gzip(DEFLATE_WINDOW_BITS);
                    self.is_at_end = false;
                }
                inflate(gzip, input, output, &mut self.is_at_end)
            }
            Codec::Deflate(deflate) => {
                refuse_more(self.is_at_end)?;
                let has_zlib_header = input.first().is_some_and(|first| first & 0x8f == 8);
                let inflater = deflate.get_or_insert_with(|| Decompress::new(has_zlib_header));
                inflate(inflater, input, output, &mut self.is_at_end)
            }
            Codec::Brotli(state) => {
                refuse_more(self.is_at_end)?;
                unbrotli(state, input, output, &mut self.is_at_end)
            }
            Codec::Zstd(decoder) => {
                let status = decoder.run_on_buffers(input, output).map_err(|_| Stop::Broken)?;
                self.is_at_end = status.remaining == 0;
                Ok(Step { read: status.bytes_read, written: status.bytes_written })
            }
        }
    }
}

/// These codings have a single stream with nothing after it.
fn refuse_more(is_at_end: bool) -> Result<(), Stop> {
    if is_at_end { Err(Stop::Broken) } else { Ok(()) }
}

fn inflate(inflater: &mut Decompress, input: &[u8], output: &mut [u8], is_at_end: &mut bool) -> Result<Step, Stop> {
    let (read, written) = (inflater.total_in(), inflater.total_out());
    let status = inflater.decompress(input, output, FlushDecompress::None).map_err(|_| Stop::Broken)?;
    *is_at_end = status == Status::StreamEnd;
    Ok(Step { read: (inflater.total_in() - read) as usize, written: (inflater.total_out() - written) as usize })
}

fn new_brotli() -> BrotliState<StandardAlloc, StandardAlloc, StandardAlloc> {
    BrotliState::new(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default())
}

fn unbrotli(
    state: &mut BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    input: &[u8],
    output: &mut [u8],
    is_at_end: &mut bool,
) -> Result<Step, Stop> {
    let (mut available_in, mut read) = (input.len(), 0);
    let (mut available_out, mut written, mut total) = (output.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut available_in,
        &mut read,
        input,
        &mut available_out,
        &mut written,
        output,
        &mut total,
        state,
    );
    match result {
        BrotliResult::ResultFailure => return Err(Stop::Broken),
        BrotliResult::ResultSuccess => *is_at_end = true,
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
    }
    Ok(Step { read, written })
}

fn new_zstd() -> io::Result<ZstdDecoder<'static>> {
    let mut decoder = ZstdDecoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
    Ok(decoder)
}
