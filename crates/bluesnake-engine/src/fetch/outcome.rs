//! How a request can fail, by cause and phase.
//!
//! A [`Failure`] is data about the web, stored and shown; it is never an error of ours. [`FailureKind`] is the closed
//! list, with one stable name each; whether a retry is worthwhile is part of the kind. Errors of the HTTP and TLS
//! libraries are mapped in [`classify`](super::classify).

use std::fmt;

use crate::words::words;

/// Why a request got no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// Details for the user; empty if the kind says it all. Never contains the IP address behind a refused name.
    pub detail: Box<str>,
}

impl Failure {
    /// A failure with details.
    pub fn new(kind: FailureKind, detail: impl Into<Box<str>>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl std::error::Error for Failure {}

impl From<FailureKind> for Failure {
    fn from(kind: FailureKind) -> Self {
        Self::new(kind, "")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.sentence())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

/// Declares the failure kinds: variant, stable name, whether it is transient, sentence.
macro_rules! kinds {
    ($( $(#[$doc:meta])* $kind:ident = $word:literal, $transience:ident, $sentence:literal; )*) => {
        words! {
            /// What went wrong with a request.
            FailureKind { $( $(#[$doc])* $kind = $word, )* }
        }

        impl FailureKind {
            /// Whether it may pass by itself, so that a retry is worthwhile.
            pub fn is_transient(self) -> bool {
                match self { $( Self::$kind => kinds!(@ $transience), )* }
            }

            fn sentence(self) -> &'static str {
                match self { $( Self::$kind => $sentence, )* }
            }
        }
    };
    (@ transient) => { true };
    (@ lasting) => { false };
}

kinds! {
    /// The name does not exist, or has no address.
    DnsNotFound = "dns_not_found", lasting, "the host name does not resolve";
    /// The name servers did not respond, or responded with an error.
    DnsFailed = "dns_failed", transient, "the host name could not be looked up";
    /// Nothing listens on the port.
    Refused = "refused", transient, "the connection was refused";
    /// The peer reset the connection.
    Reset = "reset", transient, "the connection was reset";
    /// There is no route to the address.
    Unreachable = "unreachable", transient, "the host is unreachable";
    /// The connection was not established in time.
    ConnectTimeout = "connect_timeout", transient, "the connection took too long";
    /// This machine has no file descriptor, memory or port left for another connection. No host is blamed: the
    /// request is made again or ends the session, and is never recorded.
    Exhausted = "exhausted", transient, "this machine cannot open another connection";
    /// The certificate is past its end date.
    TlsExpired = "tls_expired", lasting, "the certificate has expired";
    /// The certificate is not valid yet.
    TlsNotYetValid = "tls_not_yet_valid", lasting, "the certificate is not valid yet";
    /// The certificate was made for other names.
    TlsWrongName = "tls_wrong_name", lasting, "the certificate is for another name";
    /// The certificate is self-signed or from an unknown authority.
    TlsUnknownIssuer = "tls_unknown_issuer", lasting, "the certificate's issuer is not known";
    /// Something else is wrong with the certificate.
    TlsCertificate = "tls_certificate", lasting, "the certificate cannot be trusted";
    /// The TLS handshake failed.
    TlsFailed = "tls_failed", lasting, "the secure connection failed";
    /// The TLS handshake did not finish in time.
    TlsTimeout = "tls_timeout", transient, "the secure connection took too long";
    /// The response did not begin in time.
    HeadersTimeout = "headers_timeout", transient, "the response timed out";
    /// No byte of the body came for too long.
    BodyTimeout = "body_timeout", transient, "the response stalled";
    /// The whole response took too long.
    TotalTimeout = "total_timeout", transient, "the response took too long";
    /// The body came too slowly.
    TooSlow = "too_slow", transient, "the response was too slow";
    /// More or larger header fields than we accept.
    HeadersTooLarge = "headers_too_large", lasting, "the response header is too large";
    /// Endless informational (1xx) responses or other bytes that are not part of a response.
    Flood = "flood", lasting, "the server kept sending data but no response";
    /// The response is not HTTP, or violates it.
    Malformed = "malformed", lasting, "the response is not valid HTTP";
    /// The connection ended before the response did.
    ClosedEarly = "closed_early", transient, "the connection closed before the response was complete";
    /// The IP address is not global, or belongs to a metadata service.
    AddressRefused = "address_refused", lasting, "the address is not allowed";
    /// The proxy could not be used.
    Proxy = "proxy", transient, "the proxy failed";
    /// The host keeps rate-limiting us.
    Throttled = "throttled", transient, "the host is rate-limiting us";
    /// The host sends nothing but server errors.
    ServerErrors = "server_errors", transient, "the host responds only with server errors";
    /// The URL cannot be sent in a request.
    Unsendable = "unsendable", lasting, "the URL cannot be requested";
    /// The response has an unknown or corrupt content encoding.
    NotParsed = "not_parsed", lasting, "the document could not be parsed";
    /// Our own code failed on this URL.
    Panic = "panic", lasting, "internal error on this URL";
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let mut words: Vec<&str> = FailureKind::ALL.iter().map(|kind| kind.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), FailureKind::ALL.len());
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        use FailureKind::*;
        for lasting in [DnsNotFound, TlsExpired, TlsWrongName, TlsUnknownIssuer, Malformed, AddressRefused, Panic] {
            assert!(!lasting.is_transient(), "{lasting}");
        }
        for passing in [Reset, Refused, ConnectTimeout, HeadersTimeout, BodyTimeout, ClosedEarly] {
            assert!(passing.is_transient(), "{passing}");
        }
    }

    #[test]
    fn a_failure_reads_as_one_sentence() {
        let failure = Failure::new(FailureKind::TlsWrongName, "it is for a.example");
        assert_eq!(failure.to_string(), "the certificate is for another name: it is for a.example");
        assert_eq!(Failure::from(FailureKind::Reset).to_string(), "the connection was reset");
    }
}
