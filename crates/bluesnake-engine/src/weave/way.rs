//! How far requests get that fail, and what that says about a host.

use crate::fetch::{FailureKind, Fetched};
use crate::visit::{Outcome, Visit};

/// How every host fails on a machine without network, or with one that leads nowhere.
pub(super) const NO_NETWORK: [FailureKind; 5] = [
    FailureKind::DnsNotFound,
    FailureKind::DnsFailed,
    FailureKind::Unreachable,
    FailureKind::ConnectTimeout,
    FailureKind::Proxy,
];

/// Whether a failure will not pass in a few seconds. Where nobody listens, somebody will not begin to; and on a first
/// look, what does not speak https is not waited for.
pub(super) fn is_lasting(kind: FailureKind, is_first_look: bool) -> bool {
    let is_refused = matches!(kind, FailureKind::Refused | FailureKind::Unreachable);
    !kind.is_transient() || is_refused || (is_first_look && is_no_https(kind))
}

pub(super) fn is_lasting_here(fetched: &Fetched, is_first_look: bool) -> bool {
    matches!(&fetched.result, Err(failure) if is_lasting(failure.kind, is_first_look))
}

/// Whether a failure looks as if the host did not speak https.
fn is_no_https(kind: FailureKind) -> bool {
    use FailureKind::*;
    matches!(kind, Reset | ClosedEarly | Malformed | ConnectTimeout | TlsFailed | TlsTimeout)
}

/// Whether https is worth another attempt that failed at a first look, after http has failed, too.
pub(super) fn is_worth_another(secure: &Visit, plain: &Visit) -> bool {
    match (&secure.outcome, &plain.outcome) {
        (Outcome::Failed(https), Outcome::Failed(http)) => {
            is_no_https(https.kind) && https.kind.is_transient() && Way::of(http.kind) == Way::Nowhere
        }
        _ => false,
    }
}

/// Whether a failure of https leaves the hope that the host speaks http.
pub(super) fn may_respond_over_http(kind: FailureKind) -> bool {
    use FailureKind::*;
    match kind {
        DnsNotFound | DnsFailed | AddressRefused | Exhausted | Proxy | Unsendable | NotParsed | Panic => false,
        Throttled | ServerErrors | HeadersTooLarge | Flood | BodyTimeout | TotalTimeout | TooSlow => false,
        Refused | Reset | Unreachable | ConnectTimeout | TlsExpired | TlsNotYetValid | TlsWrongName
        | TlsUnknownIssuer | TlsCertificate | TlsFailed | TlsTimeout | HeadersTimeout | Malformed | ClosedEarly => true,
    }
}

/// Of two failures the one that got further says more about the host; by https, when nobody was there by http either.
pub(super) fn further(secure: Visit, plain: Visit) -> Visit {
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
    /// Nobody was there.
    Nowhere,
    /// Somebody was, who said nothing that can be understood.
    Connection,
    /// The host showed a certificate. One that speaks https alone has no other answer for http than noise.
    Certificate,
    /// The host speaks HTTP.
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
            // The host itself had another address by https, so that it was its answer which led to this one.
            AddressRefused => Self::Response,
            Throttled | ServerErrors | HeadersTooLarge | Flood | BodyTimeout | TotalTimeout | TooSlow | NotParsed
            | Panic => Self::Response,
        }
    }
}
