//! Certificates, good and bad, as seen by a verifying client.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use testsite::{Page, Running, Site, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Performs a TLS handshake as `name`, trusting only the site's authority.
pub(crate) async fn connect(site: &Running, name: &str, protocols: &[&[u8]]) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(site.ca_der())).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(site.addr()).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(name.to_owned()).unwrap(), stream).await
}

fn site(tls: Tls) -> Site {
    Site::new().tls(tls).page("/", Page::titled("Safe").link("{origin}/a"))
}

async fn refusal(tls: Tls) -> CertificateError {
    let site = site(tls).start().await;
    let error = connect(&site, "127.0.0.1", &[]).await.expect_err("the certificate is bad");
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(reason)) => reason.clone(),
        other => panic!("refused for another reason: {other:?}"),
    }
}

#[tokio::test]
async fn trusted_site_serves_https_under_all_its_names() {
    let site = site(Tls::trusted()).host("other.test", Site::new()).start().await;
    assert!(site.ca_pem().starts_with("-----BEGIN CERTIFICATE-----"));
    for name in ["127.0.0.1", "localhost", "other.test"] {
        let mut stream = connect(&site, name, &[b"h2", b"http/1.1"]).await.expect("the certificate is good");
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(&format!("href=\"https://127.0.0.1:{}/a\"", site.port())), "{answer}");
    }
}

#[tokio::test]
async fn each_bad_certificate_fails_for_its_own_reason() {
    assert!(matches!(
        refusal(Tls::expired()).await,
        CertificateError::Expired | CertificateError::ExpiredContext { .. }
    ));
    assert!(matches!(
        refusal(Tls::not_yet_valid()).await,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }
    ));
    assert!(matches!(
        refusal(Tls::wrong_host()).await,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    ));
    assert_eq!(refusal(Tls::self_signed()).await, CertificateError::UnknownIssuer);
    assert_eq!(refusal(Tls::unknown_ca()).await, CertificateError::UnknownIssuer);
}

#[tokio::test]
async fn stalled_handshake_never_ends() {
    let site = site(Tls::handshake_stall()).start().await;
    let handshake = tokio::time::timeout(Duration::from_millis(50), connect(&site, "127.0.0.1", &[])).await;
    assert!(handshake.is_err());
}
