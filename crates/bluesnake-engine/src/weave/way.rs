//! How far failing requests got, and what that says about a host.

use crate::fetch::FailureKind;
use crate::frontier::suggests_no_https;
use crate::visit::{Outcome, Visit};

/// Whether to retry https after a first look failed and http failed too.
pub(super) fn is_worth_another(secure: &Visit, plain: &Visit) -> bool {
    match (&secure.outcome, &plain.outcome) {
        (Outcome::Failed(https), Outcome::Failed(http)) => {
            suggests_no_https(https.kind) && https.kind.is_transient() && Way::of(http.kind) == Way::Nowhere
        }
        _ => false,
    }
}

/// Whether the host may still respond over http after this https failure.
pub(super) fn may_respond_over_http(kind: FailureKind) -> bool {
    use FailureKind::*;
    match kind {
        DnsNotFound | DnsFailed | AddressRefused | Exhausted | Proxy | Unsendable | NotParsed | Panic => false,
        Throttled | ServerErrors | HeadersTooLarge | Flood | BodyTimeout | TotalTimeout | TooSlow => false,
        Refused | Reset | Unreachable | ConnectTimeout | TlsExpired | TlsNotYetValid | TlsWrongName
        | TlsUnknownIssuer | TlsCertificate | TlsFailed | TlsTimeout | HeadersTimeout | Malformed | ClosedEarly => true,
    }
}

/// Of two failures, keeps the one that got further, because it says more about the host; https if neither connected.
pub(super) fn further(secure: Box<Visit>, plain: Box<Visit>) -> Box<Visit> {
    match (&secure.outcome, &plain.outcome) {
        (Outcome::Failed(by_https), Outcome::Failed(by_http)) => {
            let (https, http) = (Way::of(by_https.kind), Way::of(by_http.kind));
            if http == Way::Nowhere || https > http { secure } else { plain }
        }
        _ => plain,
    }
}

/// How far a request got before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// No connection.
    Nowhere,
    /// A connection, but no usable response.
    Connection,
    /// A certificate. A host that supports only https sends nothing useful over http.
    Certificate,
    /// An HTTP response.
    Response,
}

impl Way {
    fn of(kind: FailureKind) -> Self {
        use FailureKind::*;
        match kind {
            DnsNotFound | DnsFailed | Refused | Unreachable | ConnectTimeout | Exhausted | Proxy | Unsendable => {
                Self::Nowhere
            }
            Reset | ClosedEarly | Malformed | HeadersTimeout | TlsFailed | TlsTimeout => Self::Connection,
            TlsExpired | TlsNotYetValid | TlsWrongName | TlsUnknownIssuer | TlsCertificate => Self::Certificate,
            // The host itself had a different address over https, so its own response led to this one.
            AddressRefused => Self::Response,
            Throttled | ServerErrors | HeadersTooLarge | Flood | BodyTimeout | TotalTimeout | TooSlow | NotParsed
            | Panic => Self::Response,
        }
    }
}
