//! What a web server can do wrong for one path; every fault has a name.
//!
//! What happens on the wire is in [`crate::script`] (broken HTTP) and [`crate::broken_content`] (valid HTTP with bad
//! content); faults of a whole site are in [`crate::Mode`].

use std::time::Duration;

/// Declares [`Fault`] and lists its variants in `Fault::all`, so that no test over all faults misses one.
macro_rules! faults {
    (
        all($($value:ident: $type:ty),*);
        $($(#[$doc:meta])* $name:ident $({ $(#[$field_doc:meta])* $field:ident: $field_type:ty$(,)? })?,)*
    ) => {
        /// A planned fault of one path.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Fault {
            $($(#[$doc])* $name $({ $(#[$field_doc])* $field: $field_type })?,)*
        }

        impl Fault {
            /// Every fault; bombs decode to `decoded` bytes and slow faults send one byte per `every`.
            pub fn all($($value: $type),*) -> Vec<Fault> {
                vec![$(Self::$name $({ $field })?),*]
            }
        }
    };
}

faults! {
    all(decoded: u64, every: Duration);
    /// Reads the request and never responds.
    HangBeforeHeaders,
    /// Sends the head one byte at a time.
    SlowHeaders {
        /// The time between two bytes.
        every: Duration,
    },
    /// Sends the body one byte at a time, forever.
    SlowBody {
        /// The time between two bytes.
        every: Duration,
    },
    /// Closes the connection instead of responding.
    DropBeforeHeaders,
    /// Resets the connection instead of responding.
    ResetBeforeHeaders,
    /// Resets the connection in the middle of the head.
    ResetInHeaders,
    /// Resets the connection in the middle of the body.
    ResetMidBody,
    /// Resets the connection after the complete response.
    ResetAfterBody,
    /// Closes the connection after half of the `Content-Length`.
    TruncatedBody,
    /// Sends twice the `Content-Length`.
    BodyLongerThanLength,
    /// A chunk whose size is not a number.
    BadChunkSize,
    /// A chunked body that ends without its last chunk.
    MissingFinalChunk,
    /// A chunked body with trailers, which is legal.
    ChunkTrailers,
    /// The last chunk, repeated forever.
    EmptyChunksForever,
    /// A chunk size of endless zeros.
    EndlessChunkSize,
    /// Both `Content-Length` and `Transfer-Encoding: chunked`, and they disagree.
    LengthAndChunked,
    /// `Content-Encoding: gzip` on a body that is not gzip.
    BadGzip,
    /// A truncated gzip body; its `Content-Length` matches the truncated size.
    TruncatedGzip,
    /// A valid gzip body followed by garbage.
    GzipTrailingGarbage,
    /// A body that was gzipped twice and is labelled so.
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
    /// A zstd body that requires a window of 2 GiB.
    ZstdHugeWindow,
    /// An endless body without a length.
    EndlessBody,
    /// Endless headers.
    EndlessHeaders,
    /// One header of 1 MB.
    HugeHeader,
    /// Ten thousand headers.
    ManyHeaders,
    /// Random bytes instead of a response.
    GarbageInsteadOfHttp,
    /// A first line that is not a status line.
    GarbageStatusLine,
    /// A page without any head, as in HTTP/0.9.
    Http09,
    /// The status 999.
    Status999,
    /// `204 No Content` with a body.
    NoContentWithBody,
    /// A redirect with an invalid target.
    RedirectWithoutLocation,
    /// `Location: file:///etc/passwd`.
    RedirectToFile,
    /// `Location: ftp://…`.
    RedirectToFtp,
    /// `Location: data:…`.
    RedirectToData,
    /// `Location: javascript:…`.
    RedirectToJavascript,
    /// A page that immediately refreshes to itself.
    MetaRefreshSelf,
    /// Two pages that refresh to each other: the path, and the path with `?pong`.
    MetaRefreshPingPong,
    /// The header says windows-1252; the byte order mark says UTF-8 and is right.
    CharsetHeaderAgainstBom,
    /// No charset in the header, UTF-16 in the meta tag, but the bytes are UTF-8.
    CharsetMetaLies,
    /// UTF-8 in the header, but the bytes are windows-1252.
    CharsetHeaderLies,
    /// UTF-16, little endian, with a byte order mark.
    Utf16WithBom,
    /// UTF-8 with invalid sequences.
    InvalidUtf8,
    /// UTF-7, which must not be decoded.
    Utf7,
    /// HTTP/2: the stream is reset after the head and a part of the body; HTTP/1.1: like [`Fault::ResetMidBody`].
    ResetStream,
    /// HTTP/2: the stream is refused (`REFUSED_STREAM`); HTTP/1.1: like [`Fault::ResetBeforeHeaders`].
    RefuseStream,
}

impl Fault {
    /// The fault's name as a path segment: `reset-mid-body`.
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

    /// The status a client sees; 0 if there is none.
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
