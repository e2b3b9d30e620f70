//! Sealing: what must be stored but not be readable where it is stored, under a key of its own for each purpose.
//!
//! XChaCha20-Poly1305: its nonce is long enough to be random, so that no counter has to be kept anywhere.

use std::fmt;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

/// The first byte of everything sealed: another cipher would be another number.
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;

/// Bytes that only the sealer of their purpose can read, and only as their owner's.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(Vec<u8>);

impl Sealed {
    /// What was stored before.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

/// It says no more than this on purpose: why something does not open is nobody's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is stored cannot be opened: it was changed, moved, or sealed with another key")]
pub struct SealError;

/// Seals and opens for one purpose.
#[derive(Clone)]
pub struct Sealer {
    cipher: XChaCha20Poly1305,
    purpose: &'static str,
}

impl Sealer {
    /// `key` belongs to the purpose alone: see [`crate::MasterKey::sealer`].
    pub fn new(key: &[u8; 32], purpose: &'static str) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()), purpose }
    }

    /// Seals for an owner: a row's own ids, so that what is sealed cannot be moved to another row.
    pub fn seal(
        &self,
        owner: &[u8],
        plain: &[u8],
        random: &mut dyn FnMut(&mut [u8]),
    ) -> Result<Sealed, SealError> {
        let mut nonce = [0_u8; NONCE_BYTES];
        random(&mut nonce);
        let bound = self.bound_to(owner);
        let payload = Payload { msg: plain, aad: &bound };
        let hidden = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError)?;
        let mut whole = Vec::with_capacity(1 + NONCE_BYTES + hidden.len());
        whole.push(VERSION);
        whole.extend_from_slice(&nonce);
        whole.extend_from_slice(&hidden);
        Ok(Sealed(whole))
    }

    /// Gives back exactly what was sealed for this owner, or nothing.
    pub fn open(&self, owner: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let rest = sealed.strip_prefix(&[VERSION]).ok_or(SealError)?;
        let (nonce, hidden) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(SealError)?;
        let bound = self.bound_to(owner);
        let payload = Payload { msg: hidden, aad: &bound };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError)
    }

    /// The purpose's length comes first, so that no purpose and owner run into another pair.
    fn bound_to(&self, owner: &[u8]) -> Vec<u8> {
        let length = u64::try_from(self.purpose.len()).unwrap_or(u64::MAX).to_be_bytes();
        [&[VERSION], length.as_slice(), self.purpose.as_bytes(), owner].concat()
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({}, ***)", self.purpose)
    }
}
