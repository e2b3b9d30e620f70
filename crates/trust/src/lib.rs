//! Floor 0: whose certificates are believed when this service asks or tells others over https.

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;

/// Why the operator's own certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    #[error("the certificates are not readable as PEM: {0}")]
    Pem(pem::Error),
    #[error("a certificate cannot be trusted: {0}")]
    Certificate(rustls::Error),
    #[error("there is no certificate in what should hold some")]
    Empty,
    #[error("encryption cannot be set up: {0}")]
    Provider(rustls::Error),
}

/// For HTTP/1.1. Trusts the public authorities that Mozilla does, and the operator's own beside them.
pub fn client_config(extra_roots_pem: &[u8]) -> Result<ClientConfig, RootsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let public = roots.len();
    for certificate in CertificateDer::pem_slice_iter(extra_roots_pem) {
        roots.add(certificate.map_err(RootsError::Pem)?).map_err(RootsError::Certificate)?;
    }
    if !extra_roots_pem.is_empty() && roots.len() == public {
        return Err(RootsError::Empty);
    }
    let mut settings = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(RootsError::Provider)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    settings.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_that_are_none_are_refused() {
        assert!(client_config(b"").is_ok());
        assert!(matches!(client_config(b"no certificate"), Err(RootsError::Empty)));
        let broken = b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n";
        assert!(matches!(client_config(broken), Err(RootsError::Pem(_))));
        let other = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(client_config(other), Err(RootsError::Certificate(_))));
    }

    #[test]
    fn an_own_certificate_is_trusted_beside_the_public_ones() {
        let own = rcgen::generate_simple_self_signed(["acme.test".to_owned()]).unwrap();
        assert!(client_config(own.cert.pem().as_bytes()).is_ok());
    }
}
