//! What webhooks are made with: secrets that are kept sealed, and the operator's rules about where messages may go.

use crate::fault::Fault;
use assay_domain::{AccountId, MasterKey, SealError, Sealed, Sealer, WebhookId};
use assay_notify::{Guard, Refusal, Secret, Target};
use assay_store::ledger::SecretPlace;
use rand::Rng;

const PURPOSE: &str = "webhook";

/// Seals what messages are signed with, each for its own endpoint: moved to another one, it does not open.
#[derive(Debug, Clone)]
pub struct WebhookSeal {
    sealer: Sealer,
}

impl WebhookSeal {
    pub fn new(master: &MasterKey) -> Self {
        Self { sealer: master.sealer(PURPOSE) }
    }

    /// A new secret: to be shown once, and to be stored.
    pub fn draw(&self, account: AccountId, webhook: WebhookId) -> Result<(Secret, Sealed), SealError> {
        let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
        let secret = Secret::generate(random);
        let sealed = self.sealer.seal(&owner(account, webhook), secret.as_bytes(), random)?;
        Ok((secret, sealed))
    }

    pub fn open(&self, account: AccountId, webhook: WebhookId, sealed: &Sealed) -> Result<Secret, SealError> {
        let bytes = self.sealer.open(&owner(account, webhook), sealed.as_bytes())?;
        Secret::from_bytes(&bytes).map_err(|_| SealError)
    }
}

fn owner(account: AccountId, webhook: WebhookId) -> Vec<u8> {
    SecretPlace { account: Some(account), purpose: PURPOSE, name: &webhook.to_string() }.owner()
}

/// What an operator decides about webhooks.
#[derive(Debug, Clone)]
pub struct WebhookRules {
    pub seal: WebhookSeal,
    pub guard: Guard,
}

impl WebhookRules {
    /// As they are unless the operator says otherwise.
    pub fn strict(master: &MasterKey) -> Self {
        Self { seal: WebhookSeal::new(master), guard: Guard::default() }
    }

    /// A URL in its one form, if messages may go there as far as it tells. Where its host leads is judged at every connect.
    pub(crate) fn judge(&self, url: &str) -> Result<String, Fault> {
        match Target::parse(url, &self.guard) {
            Ok(target) => Ok(target.as_str().to_owned()),
            Err(refusal) => Err(refused(refusal)),
        }
    }
}

/// What is wrong with a URL, told without the URL: its path or query may be a secret.
pub(crate) fn refused(refusal: Refusal) -> Fault {
    Fault::field("/url", refusal.code(), refusal.to_string(), refusal.fix())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_secret_opens_for_its_own_endpoint_only_and_every_one_is_another() {
        let seal = WebhookSeal::new(&MasterKey::parse(&"11".repeat(32)).unwrap());
        let account = |number| AccountId::from_uuid(Uuid::from_u128(number));
        let webhook = |number| WebhookId::from_uuid(Uuid::from_u128(number));
        let (secret, sealed) = seal.draw(account(1), webhook(1)).unwrap();
        let opened = seal.open(account(1), webhook(1), &sealed).unwrap();
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(secret.reveal().starts_with("whsec_"));
        assert!(seal.open(account(2), webhook(1), &sealed).is_err());
        assert!(seal.open(account(1), webhook(2), &sealed).is_err());
        let stranger = WebhookSeal::new(&MasterKey::parse(&"22".repeat(32)).unwrap());
        assert!(stranger.open(account(1), webhook(1), &sealed).is_err());
        assert_ne!(seal.draw(account(1), webhook(1)).unwrap().0.reveal(), secret.reveal());
    }
}
