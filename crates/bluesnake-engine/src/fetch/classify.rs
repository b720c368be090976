//! Maps errors of the HTTP, TLS and socket libraries to failure kinds.
//!
//! The libraries nest their errors; the first meaningful one in the chain decides. Start with [`head_failure`].

use std::error::Error;
use std::io;

use rustls::CertificateError;

use super::outcome::{Failure, FailureKind};

/// Why no response head arrived.
pub(super) fn head_failure(error: &(dyn Error + 'static)) -> Failure {
    chain(error).find_map(failure_of).unwrap_or_else(|| Failure::new(FailureKind::Reset, error.to_string()))
}

/// How a body was cut off.
pub(super) enum BodyBreak {
    /// The connection ended; what arrived is usable but incomplete.
    Ended,
    /// It cannot be used.
    Failed(Failure),
}

/// What an error in the middle of a body means.
pub(super) fn body_break(error: &hyper::Error) -> BodyBreak {
    // HTTP/2 checks the length of a body itself, and reports one that is too short as a stream error.
    let has_wrong_length =
        chain(error).any(|error| is_http2(error) && error.to_string().starts_with("stream error detected"));
    match head_failure(error) {
        _ if has_wrong_length => BodyBreak::Ended,
        Failure { kind: FailureKind::ClosedEarly, .. } => BodyBreak::Ended,
        failure => BodyBreak::Failed(failure),
    }
}

/// Whether the server closed the connection gracefully (GOAWAY) before accepting the request.
pub(super) fn is_not_taken(error: &(dyn Error + 'static)) -> bool {
    let is_goodbye = |text: &str| text.starts_with("connection error ") && text.contains("not a result of an error");
    chain(error).any(|error| is_goodbye(&error.to_string()))
}

/// Whether a request may be sent again because it was lost with a kept connection that the server had already closed,
/// or because the server says that it did not process it.
pub(super) fn is_lost(error: &(dyn Error + 'static), failure: &Failure, was_kept: bool) -> bool {
    let http2_text = chain(error).find(|&error| is_http2(error)).map(ToString::to_string);
    match http2_text {
        Some(text) => text.contains("refused stream") || text.contains("not a result of an error"),
        None => was_kept && matches!(failure.kind, FailureKind::Reset | FailureKind::ClosedEarly),
    }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>() {
        // The source of an io::Error is the source of its inner error; it skips the inner error itself.
        Some(io) => io.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    })
}

fn failure_of(error: &(dyn Error + 'static)) -> Option<Failure> {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(tls_failure(tls));
    }
    if let Some(http) = error.downcast_ref::<hyper::Error>() {
        return http_failure(http);
    }
    if let Some(io) = error.downcast_ref::<io::Error>() {
        return io_failure(io);
    }
    is_http2(error).then(|| http2_failure(&error.to_string()))
}

fn http_failure(error: &hyper::Error) -> Option<Failure> {
    if error.is_parse() && error.to_string().contains("too large") {
        return Some(FailureKind::HeadersTooLarge.into());
    }
    if error.is_parse() {
        return Some(Failure::new(FailureKind::Malformed, error.to_string()));
    }
    if error.is_incomplete_message() {
        return Some(FailureKind::ClosedEarly.into());
    }
    // Both also wrap errors that say more.
    let is_closed = (error.is_canceled() || error.is_closed()) && error.source().is_none();
    is_closed.then(|| FailureKind::ClosedEarly.into())
}

/// What a socket error means; `None` if it only wraps another one.
pub(super) fn io_failure(error: &io::Error) -> Option<Failure> {
    use io::ErrorKind::*;
    if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
        return None;
    }
    let kind = match error.kind() {
        ConnectionReset | ConnectionAborted | BrokenPipe | NotConnected => FailureKind::Reset,
        ConnectionRefused => FailureKind::Refused,
        HostUnreachable | NetworkUnreachable | NetworkDown => FailureKind::Unreachable,
        AddrNotAvailable | AddrInUse | OutOfMemory => FailureKind::Exhausted,
        TimedOut => FailureKind::ConnectTimeout,
        UnexpectedEof => FailureKind::ClosedEarly,
        InvalidData | InvalidInput => return Some(Failure::new(FailureKind::Malformed, error.to_string())),
        _ if is_out_of_handles(error) => FailureKind::Exhausted,
        _ => return None,
    };
    Some(kind.into())
}

/// EMFILE, ENFILE and ENOBUFS have no `ErrorKind`.
fn is_out_of_handles(error: &io::Error) -> bool {
    const CODES: &[i32] = if cfg!(windows) { &[10024, 10055] } else { &[23, 24, 55, 105] };
    error.raw_os_error().is_some_and(|code| CODES.contains(&code))
}

/// The HTTP/2 library's error type is not accessible here, so we match its messages.
fn is_http2(error: &(dyn Error + 'static)) -> bool {
    let text = error.to_string();
    text.starts_with("stream error ") || text.starts_with("connection error ")
}

fn http2_failure(text: &str) -> Failure {
    // An error that ends a connection ends every request on it, including unrelated ones, which deserve a retry.
    let is_of_one_stream = text.starts_with("stream error detected");
    Failure::new(if is_of_one_stream { FailureKind::Malformed } else { FailureKind::Reset }, text)
}

/// What a TLS error means.
pub(super) fn tls_failure(error: &rustls::Error) -> Failure {
    match error {
        rustls::Error::InvalidCertificate(problem) => certificate_failure(problem),
        rustls::Error::AlertReceived(alert) => {
            Failure::new(FailureKind::TlsFailed, format!("the server sent the alert {alert:?}"))
        }
        other => Failure::new(FailureKind::TlsFailed, other.to_string()),
    }
}

fn certificate_failure(problem: &CertificateError) -> Failure {
    use CertificateError::*;
    match problem {
        Expired | ExpiredContext { .. } => FailureKind::TlsExpired.into(),
        NotValidYet | NotValidYetContext { .. } => FailureKind::TlsNotYetValid.into(),
        NotValidForName => FailureKind::TlsWrongName.into(),
        NotValidForNameContext { presented, .. } => Failure::new(FailureKind::TlsWrongName, names(presented)),
        UnknownIssuer => FailureKind::TlsUnknownIssuer.into(),
        Other(other) => Failure::new(FailureKind::TlsCertificate, in_words(&format!("{:?}", other.0))),
        other => Failure::new(FailureKind::TlsCertificate, in_words(&format!("{other:?}"))),
    }
}

/// The libraries name certificate problems only as identifiers: `CaUsedAsEndEntity`.
fn in_words(name: &str) -> String {
    let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut words = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// The first few names of a certificate; some have hundreds.
fn names(presented: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = presented.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match presented.len().saturating_sub(SHOWN) {
        _ if presented.is_empty() => "it names no host".to_owned(),
        0 => format!("it is for {shown}"),
        more => format!("it is for {shown} and {more} more"),
    }
}
