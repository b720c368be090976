//! What a web server can do wrong on one address, each fault under a name.
//!
//! What happens on the wire is in [`crate::script`] (broken HTTP) and [`crate::broken_content`] (sound HTTP with bad
//! content); what a whole site does wrong is a [`crate::Mode`].

use std::time::Duration;

/// A planned fault of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Takes the request and never says a word.
    HangBeforeHeaders,
    /// Sends the head one byte at a time.
    SlowHeaders {
        /// The time between two bytes.
        every: Duration,
    },
    /// Sends the body one byte at a time, without end.
    SlowBody {
        /// The time between two bytes.
        every: Duration,
    },
    /// Closes the connection instead of answering.
    DropBeforeHeaders,
    /// Resets the connection instead of answering.
    ResetBeforeHeaders,
    /// Resets the connection in the middle of the head.
    ResetInHeaders,
    /// Resets the connection in the middle of the body.
    ResetMidBody,
    /// Resets the connection when the whole answer is sent.
    ResetAfterBody,
    /// Closes the connection when half of the `Content-Length` is sent.
    TruncatedBody,
    /// Sends twice the `Content-Length`.
    BodyLongerThanLength,
    /// A chunk whose size is no number.
    BadChunkSize,
    /// A chunked body that ends without its last chunk.
    MissingFinalChunk,
    /// A chunked body with trailers, which is legal.
    ChunkTrailers,
    /// The last chunk again and again.
    EmptyChunksForever,
    /// A chunk size of zeros without end.
    EndlessChunkSize,
    /// Both `Content-Length` and `Transfer-Encoding: chunked`, and they disagree.
    LengthAndChunked,
    /// `Content-Encoding: gzip` on a body that is not gzip.
    BadGzip,
    /// A gzip body cut in the middle; its `Content-Length` is that of the cut.
    TruncatedGzip,
    /// A sound gzip body followed by garbage.
    GzipTrailingGarbage,
    /// A body that was gzipped twice, and says so.
    DoubleGzip,
    /// A body under five content encodings.
    NestedEncodings,
    /// A small gzip body that decodes to this many bytes.
    GzipBomb {
        /// Size after decoding.
        decoded: u64,
    },
    /// A small brotli body that decodes to this many bytes.
    BrotliBomb {
        /// Size after decoding.
        decoded: u64,
    },
    /// A small zstd body that decodes to this many bytes.
    ZstdBomb {
        /// Size after decoding.
        decoded: u64,
    },
    /// A zstd body that asks for a window of 2 GiB.
    ZstdHugeWindow,
    /// A body without length and without end.
    EndlessBody,
    /// Headers without end.
    EndlessHeaders,
    /// One header of 1 MB.
    HugeHeader,
    /// Ten thousand headers.
    ManyHeaders,
    /// Random bytes in place of an answer.
    GarbageInsteadOfHttp,
    /// A first line that is no status line.
    GarbageStatusLine,
    /// A page without any head, as in HTTP/0.9.
    Http09,
    /// The status 999.
    Status999,
    /// `204 No Content` with a body.
    NoContentWithBody,
    /// A redirect to nowhere.
    RedirectWithoutLocation,
    /// `Location: file:///etc/passwd`.
    RedirectToFile,
    /// `Location: ftp://…`.
    RedirectToFtp,
    /// `Location: data:…`.
    RedirectToData,
    /// `Location: javascript:…`.
    RedirectToJavascript,
    /// A page that refreshes to itself at once.
    MetaRefreshSelf,
    /// Two pages that refresh to each other: the address, and the address with `?pong`.
    MetaRefreshPingPong,
    /// The header says windows-1252, the byte order mark says UTF-8 and is right.
    CharsetHeaderAgainstBom,
    /// The header says nothing, the meta tag says UTF-16, the bytes are UTF-8.
    CharsetMetaLies,
    /// The header says UTF-8, the bytes are windows-1252.
    CharsetHeaderLies,
    /// UTF-16, little endian, with a byte order mark.
    Utf16WithBom,
    /// UTF-8 with invalid sequences.
    InvalidUtf8,
    /// UTF-7, which must not be decoded.
    Utf7,
    /// HTTP/2: the stream is reset after the head and a part of the body; HTTP/1.1: as [`Fault::ResetMidBody`].
    ResetStream,
    /// HTTP/2: the stream is refused (`REFUSED_STREAM`); HTTP/1.1: as [`Fault::ResetBeforeHeaders`].
    RefuseStream,
}

impl Fault {
    /// Every fault, the bombs decoding to `decoded` bytes and the slow ones sending a byte each `every`.
    pub fn all(decoded: u64, every: Duration) -> Vec<Fault> {
        use Fault::*;
        vec![
            HangBeforeHeaders,
            SlowHeaders { every },
            SlowBody { every },
            DropBeforeHeaders,
            ResetBeforeHeaders,
            ResetInHeaders,
            ResetMidBody,
            ResetAfterBody,
            TruncatedBody,
            BodyLongerThanLength,
            BadChunkSize,
            MissingFinalChunk,
            ChunkTrailers,
            EmptyChunksForever,
            EndlessChunkSize,
            LengthAndChunked,
            BadGzip,
            TruncatedGzip,
            GzipTrailingGarbage,
            DoubleGzip,
            NestedEncodings,
            GzipBomb { decoded },
            BrotliBomb { decoded },
            ZstdBomb { decoded },
            ZstdHugeWindow,
            EndlessBody,
            EndlessHeaders,
            HugeHeader,
            ManyHeaders,
            GarbageInsteadOfHttp,
            GarbageStatusLine,
            Http09,
            Status999,
            NoContentWithBody,
            RedirectWithoutLocation,
            RedirectToFile,
            RedirectToFtp,
            RedirectToData,
            RedirectToJavascript,
            MetaRefreshSelf,
            MetaRefreshPingPong,
            CharsetHeaderAgainstBom,
            CharsetMetaLies,
            CharsetHeaderLies,
            Utf16WithBom,
            InvalidUtf8,
            Utf7,
            ResetStream,
            RefuseStream,
        ]
    }

    /// The fault's name as a part of a path: `reset-mid-body`.
    pub fn name(&self) -> String {
        let debug = format!("{self:?}");
        let variant = debug.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        let mut name = String::new();
        for letter in variant.chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// The status a client gets to see; 0 when there is none.
    pub fn status(&self) -> u16 {
        match self {
            Self::HangBeforeHeaders
            | Self::DropBeforeHeaders
            | Self::ResetBeforeHeaders
            | Self::ResetInHeaders
            | Self::RefuseStream
            | Self::EndlessHeaders
            | Self::GarbageInsteadOfHttp
            | Self::GarbageStatusLine
            | Self::Http09 => 0,
            Self::Status999 => 999,
            Self::NoContentWithBody => 204,
            Self::RedirectWithoutLocation
            | Self::RedirectToFile
            | Self::RedirectToFtp
            | Self::RedirectToData
            | Self::RedirectToJavascript => 302,
            _ => 200,
        }
    }
}
