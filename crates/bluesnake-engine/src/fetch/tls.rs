//! TLS: which authorities are trusted, and for which hosts certificates are not checked.
//!
//! The crypto provider is named only here. A host in `insecure_hosts` gets a connection whatever its certificate; the
//! problem is still reported. There is no other way around the checks.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Problems;
use super::classify;
use super::outcome::{Failure, FailureKind};
use crate::plan::FetchSettings;

/// The TLS setup of one crawl.
pub(super) struct Tls {
    /// Built on the first handshake: reading the system's certificates takes longer than crawling a small site.
    connectors: OnceLock<Connectors>,
    /// The certificates of `fetch.ca_file`.
    named: Arc<[CertificateDer<'static>]>,
    insecure_hosts: HashSet<String>,
    offers_http2: bool,
}

struct Connectors {
    checked: TlsConnector,
    to_proxy: TlsConnector,
    verifier: Arc<Verifier>,
    provider: Arc<CryptoProvider>,
}

/// A TLS connection, and what is wrong with its certificate.
pub(super) struct Secured<S> {
    pub(super) stream: TlsStream<S>,
    pub(super) certificate_problem: Option<String>,
}

impl Tls {
    pub(super) fn new(settings: &FetchSettings, problems: &mut Problems) -> Self {
        let has_file = !settings.ca_file.as_os_str().is_empty();
        Self {
            connectors: OnceLock::new(),
            named: if has_file { authorities_in(&settings.ca_file, problems).into() } else { Arc::default() },
            insecure_hosts: settings.insecure_hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            offers_http2: settings.http2,
        }
    }

    fn connectors(&self) -> &Connectors {
        self.connectors.get_or_init(|| {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let mut roots = known_authorities().clone();
            roots.add_parsable_certificates(self.named.iter().cloned());
            let by_chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .build()
                .expect("the built-in authorities make a verifier");
            let verifier = Arc::new(Verifier { by_chain, named: Arc::clone(&self.named), problem: None });
            let config = |offers_http2| Arc::new(client_config(&provider, Arc::clone(&verifier) as _, offers_http2));
            Connectors {
                checked: TlsConnector::from(config(self.offers_http2)),
                to_proxy: TlsConnector::from(config(false)),
                verifier,
                provider,
            }
        })
    }

    /// Performs the handshake with a host. The name comes from a URL, so an IPv6 address has brackets.
    pub(super) async fn secure<S>(&self, host: &str, stream: S) -> Result<Secured<S>, Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = server_name(host)?;
        if self.insecure_hosts.contains(host) {
            return self.secure_unchecked(name, stream).await;
        }
        let stream =
            self.connectors().checked.connect(name, stream).await.map_err(|error| handshake_failure(&error))?;
        Ok(Secured { stream, certificate_problem: None })
    }

    /// Performs the handshake with a proxy, which uses HTTP/1.1.
    pub(super) async fn secure_proxy<S>(&self, host: &str, stream: S) -> Result<TlsStream<S>, Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.connectors().to_proxy.connect(server_name(host)?, stream).await.map_err(|error| handshake_failure(&error))
    }

    /// Each such connection has its own configuration, because the verifier records what it saw. Sessions are not
    /// resumed, because a resumed one shows no certificate.
    async fn secure_unchecked<S>(&self, name: ServerName<'static>, stream: S) -> Result<Secured<S>, Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Connectors { verifier, provider, .. } = self.connectors();
        let noting = Arc::new(Verifier { problem: Some(OnceLock::new()), ..Verifier::clone(verifier) });
        let mut config = client_config(provider, Arc::clone(&noting) as _, self.offers_http2);
        config.resumption = Resumption::disabled();
        let connector = TlsConnector::from(Arc::new(config));
        let stream = connector.connect(name, stream).await.map_err(|error| handshake_failure(&error))?;
        Ok(Secured { stream, certificate_problem: noting.problem.as_ref().and_then(OnceLock::get).cloned() })
    }
}

fn server_name(host: &str) -> Result<ServerName<'static>, Failure> {
    let bare = host.trim_matches(['[', ']']).trim_end_matches('.');
    ServerName::try_from(bare.to_owned())
        .map_err(|_| Failure::new(FailureKind::TlsFailed, "the host name cannot stand in a certificate"))
}

fn client_config(
    provider: &Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
    offers_http2: bool,
) -> ClientConfig {
    let mut config = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default protocol versions")
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = if offers_http2 { vec![b"h2".to_vec(), b"http/1.1".to_vec()] } else { Vec::new() };
    config
}

/// The public authorities, and those of the system, `SSL_CERT_FILE` or `SSL_CERT_DIR`. Read once.
fn known_authorities() -> &'static RootCertStore {
    static KNOWN: OnceLock<RootCertStore> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let system = rustls_native_certs::load_native_certs();
        for error in system.errors {
            tracing::warn!(%error, "cannot read system certificates");
        }
        for certificate in &system.certs {
            // Some systems keep certificates that no current verifier can use.
            if let Ok(anchor) = webpki::anchor_from_trusted_cert(certificate)
                && !roots.roots.contains(&anchor)
            {
                roots.roots.push(anchor.to_owned());
            }
        }
        roots
    })
}

/// The certificates in a file. One without any usable certificate is a problem.
fn authorities_in(file: &Path, problems: &mut Problems) -> Vec<CertificateDer<'static>> {
    let mut wrong = |message: String| problems.push(("fetch.ca_file", format!("`{}` {message}", file.display())));
    let certificates: Vec<_> = match CertificateDer::pem_file_iter(file) {
        Ok(certificates) => certificates.filter_map(Result::ok).collect(),
        Err(error) => {
            wrong(format!("cannot be read: {error}"));
            return Vec::new();
        }
    };
    let (usable, _) = RootCertStore::empty().add_parsable_certificates(certificates.iter().cloned());
    if usable == 0 {
        wrong("holds no certificate in PEM form".to_owned());
    }
    certificates
}

fn handshake_failure(error: &std::io::Error) -> Failure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(tls) => classify::tls_failure(tls),
        None => classify::io_failure(error).unwrap_or_else(|| Failure::new(FailureKind::TlsFailed, error.to_string())),
    }
}

/// Trusts certificates signed by a known authority, and those named by the operator even if a server presents one as
/// its own: most self-signed certificates claim to be authorities, which no server certificate should.
#[derive(Clone, Debug)]
struct Verifier {
    by_chain: Arc<WebPkiServerVerifier>,
    named: Arc<[CertificateDer<'static>]>,
    /// If present, every certificate is accepted, and what is wrong with it is recorded here. The signatures of the
    /// handshake are still verified.
    problem: Option<OnceLock<String>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.by_chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        let verified = match verified {
            // Its dates are checked before this is found.
            Err(error) if is_authority_itself(&error) && self.named.contains(end_entity) => {
                ParsedCertificate::try_from(end_entity)
                    .and_then(|certificate| verify_server_name(&certificate, server_name))
                    .map(|()| ServerCertVerified::assertion())
            }
            verified => verified,
        };
        verified.or_else(|error| {
            let problem = self.problem.as_ref().ok_or_else(|| error.clone())?;
            problem.get_or_init(|| classify::tls_failure(&error).to_string());
            Ok(ServerCertVerified::assertion())
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_chain.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_chain.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_chain.supported_verify_schemes()
    }
}

/// Whether a server presented an authority's certificate as its own.
fn is_authority_itself(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(cause))) = error else { return false };
    matches!(cause.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}
