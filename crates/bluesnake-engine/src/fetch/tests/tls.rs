//! Which certificates are trusted.

use rcgen::{BasicConstraints, IsCa};

use super::*;

#[tokio::test]
async fn a_self_signed_certificate_in_ca_file_is_trusted_for_its_names_and_its_time() {
    let folder = Folder::new("self-signed");
    let ca_file = folder.0.join("ca.pem");
    for (years, host, expected) in [
        ((2000, 2100), "a.example", Ok(200)),
        ((2000, 2100), "b.example", Err(FailureKind::TlsWrongName)),
        ((2000, 2001), "a.example", Err(FailureKind::TlsExpired)),
    ] {
        // As made by `openssl req -x509`: they claim to be authorities.
        let (server, certificate) =
            serve_tls_with(&["a.example"], years, |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
        std::fs::write(&ca_file, certificate).unwrap();
        let resolve = vec![format!("*:{}", server.address)];
        let trusting = FetchSettings { ca_file: ca_file.clone(), resolve, ..settings() };
        let address = url(&format!("https://{host}/"));
        let response = fetch(&trusting, &address).await;
        assert_eq!(
            response.map(|response| response.status).map_err(|failure| failure.kind),
            expected,
            "{years:?} {host}"
        );
        let untrusting = FetchSettings { ca_file: Default::default(), ..trusting };
        assert!(fetch(&untrusting, &address).await.is_err());
    }
}

#[tokio::test]
async fn certificate_problems_are_described_in_words() {
    let make_authority = |params: &mut CertificateParams| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (server, _) = serve_tls_with(&["a.example"], (2000, 2100), make_authority);
    let settings = FetchSettings { resolve: vec![format!("*:{}", server.address)], ..settings() };
    let failure = fetch(&settings, &url("https://a.example/")).await.unwrap_err();
    assert_eq!(failure.to_string(), "the certificate cannot be trusted: ca used as end entity");
}
