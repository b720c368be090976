//! Generated certificates, good and bad.
//!
//! Every start creates a new authority; [`crate::Running::ca_pem`] returns it for clients to trust.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::site::Site;

/// The certificate a site presents, or how it fails to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tls(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Trusted,
    Expired,
    NotYetValid,
    WrongHost,
    SelfSigned,
    UnknownCa,
    HandshakeStall,
}

impl Tls {
    /// Valid for the address, `localhost` and every declared host; signed by the authority of the running site.
    pub fn trusted() -> Self {
        Self(Kind::Trusted)
    }

    /// Like trusted, but expired.
    pub fn expired() -> Self {
        Self(Kind::Expired)
    }

    /// Like trusted, but not valid yet.
    pub fn not_yet_valid() -> Self {
        Self(Kind::NotYetValid)
    }

    /// Like trusted, but for `wrong.test` only.
    pub fn wrong_host() -> Self {
        Self(Kind::WrongHost)
    }

    /// Self-signed.
    pub fn self_signed() -> Self {
        Self(Kind::SelfSigned)
    }

    /// Signed by another authority than the running site's.
    pub fn unknown_ca() -> Self {
        Self(Kind::UnknownCa)
    }

    /// Reads the first message of the handshake and never responds.
    pub fn handshake_stall() -> Self {
        Self(Kind::HandshakeStall)
    }
}

/// How connections are secured.
#[derive(Clone)]
pub(crate) enum Acceptor {
    Handshake(TlsAcceptor),
    Stall,
}

/// A site's certificate and the authority behind it.
pub(crate) struct Identity {
    pub(crate) ca_pem: String,
    pub(crate) ca_der: CertificateDer<'static>,
    acceptor: Acceptor,
}

impl Identity {
    pub(crate) fn new(tls: &Tls, site: &Site) -> Self {
        let authority = Authority::new("testsite authority");
        let acceptor = match tls.0 {
            Kind::HandshakeStall => Acceptor::Stall,
            kind => Acceptor::Handshake(TlsAcceptor::from(Arc::new(server_config(kind, &authority, site)))),
        };
        Self { ca_pem: authority.pem, ca_der: authority.der, acceptor }
    }

    pub(crate) fn acceptor(&self) -> Acceptor {
        self.acceptor.clone()
    }
}

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: CertificateDer<'static>,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = named(name, vec![]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = new_key();
        let certificate = params.self_signed(&key).expect("our authority is well formed");
        Self { pem: certificate.pem(), der: certificate.der().clone(), issuer: Issuer::new(params, key) }
    }

    fn sign(&self, params: &CertificateParams, key: &KeyPair) -> CertificateDer<'static> {
        params.signed_by(key, &self.issuer).expect("our certificate is well formed").der().clone()
    }
}

fn server_config(kind: Kind, authority: &Authority, site: &Site) -> ServerConfig {
    let key = new_key();
    let certificate = certificate(kind, authority, site, &key);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a generated key can be read");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider knows the usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the key matches the certificate");
    let protocols: &[&[u8]] = if site.offers_http2 { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    config
}

fn certificate(kind: Kind, authority: &Authority, site: &Site, key: &KeyPair) -> CertificateDer<'static> {
    let mut params = named("testsite", names_of(site));
    match kind {
        Kind::Expired => params.not_after = date_time_ymd(2001, 1, 1),
        Kind::NotYetValid => params.not_before = date_time_ymd(4000, 1, 1),
        Kind::WrongHost => params.subject_alt_names = named("", vec!["wrong.test".into()]).subject_alt_names,
        Kind::SelfSigned => return params.self_signed(key).expect("our certificate is well formed").der().clone(),
        Kind::UnknownCa => return Authority::new("another authority").sign(&params, key),
        Kind::Trusted | Kind::HandshakeStall => {}
    }
    authority.sign(&params, key)
}

fn names_of(site: &Site) -> Vec<String> {
    let web = site.web.as_ref().map(|web| web.host_names()).unwrap_or_default();
    [site.ip.clone(), "localhost".into()].into_iter().chain(site.hosts.keys().cloned()).chain(web).collect()
}

fn named(name: &str, alternatives: Vec<String>) -> CertificateParams {
    let mut params = CertificateParams::new(alternatives).expect("host names are ASCII");
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2000, 1, 1);
    params
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("the system has randomness")
}
