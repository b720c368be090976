//! How far requests get that fail, and what that says about a host.

use crate::fetch::FailureKind;
use crate::frontier::suggests_no_https;
use crate::visit::{Outcome, Visit};

/// Whether https is worth another attempt that failed at a first look, after http has failed, too.
pub(super) fn is_worth_another(secure: &Visit, plain: &Visit) -> bool {
    match (&secure.outcome, &plain.outcome) {
        (Outcome::Failed(https), Outcome::Failed(http)) => {
            suggests_no_https(https.kind) && https.kind.is_transient() && Way::of(http.kind) == Way::Nowhere
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
