//! What can be wrong with how this crate is set up. What a server does wrong is no error but an answer.

#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    #[error("the name to greet mail servers with is not a host name of at most 253 characters")]
    HeloName,
    #[error("encryption cannot be set up: {0}")]
    Encryption(#[from] rustls::Error),
}
