//! The account at the authority: made once, written down, used again. It knows the store and the authority, nothing of
//! orders.

use std::sync::Arc;

use instant_acme::{Account, AccountCredentials, ExternalAccountKey, NewAccount};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tracing::{error, info};

use super::blocking::blocking;
use super::client::{Connector, Notes};
use super::failure::{Failure, Why};
use super::settings::AcmeSettings;
use crate::disk::Store;

/// The account as it is written down.
#[derive(Serialize, Deserialize)]
struct Saved {
    contacts: Vec<String>,
    credentials: serde_json::Value,
}

/// Source of accounts. Clones take turns.
#[derive(Clone)]
pub(super) struct Accounts {
    settings: Arc<AcmeSettings>,
    connector: Connector,
    /// One at a time: orders that begin together must not make an account each.
    turn: Arc<Mutex<()>>,
}

impl Accounts {
    pub(super) fn new(settings: Arc<AcmeSettings>, connector: Connector) -> Self {
        Self { settings, connector, turn: Arc::default() }
    }

    /// The account for one order, made when there is none, and the notes of the client that it uses.
    pub(super) async fn open(&self, store: &Store) -> (Result<Account, Failure>, Arc<Notes>) {
        let (http, notes) = self.connector.client();
        let _turn = self.turn.lock().await;
        let builder = Account::builder_with_http(http);
        let account = match self.saved(store).await {
            Ok(Some(saved)) => self.reopen(builder, saved, store).await,
            Ok(None) => self.make(builder, store).await,
            Err(failure) => Err(failure),
        };
        (account, notes)
    }

    /// The account is not known to the authority any more: the next order makes another one.
    pub(super) async fn forget(&self, store: &Store) {
        let _turn = self.turn.lock().await;
        let store = store.clone();
        match blocking(move || store.set_account_aside()).await {
            Ok(aside) => {
                error!(aside = %aside.display(), "the authority does not know the ACME account any more: a new one is made");
            }
            Err(failure) => error!(error = failure.text, "the ACME account cannot be set aside"),
        }
    }

    async fn saved(&self, store: &Store) -> Result<Option<Saved>, Failure> {
        let reader = store.clone();
        let Some(text) = blocking(move || reader.account()).await? else { return Ok(None) };
        let parsed = serde_json::from_str::<Saved>(&text);
        if let Ok(saved) = parsed
            && serde_json::from_value::<AccountCredentials>(saved.credentials.clone()).is_ok()
        {
            return Ok(Some(saved));
        }
        let store = store.clone();
        let aside = blocking(move || store.set_account_aside()).await?;
        error!(aside = %aside.display(), "the saved ACME account cannot be read: it is set aside and a new one is made");
        Ok(None)
    }

    async fn reopen(
        &self,
        builder: instant_acme::AccountBuilder,
        saved: Saved,
        store: &Store,
    ) -> Result<Account, Failure> {
        let credentials = serde_json::from_value(saved.credentials.clone())
            .map_err(|error| Failure::new(Why::Local, error.to_string()))?;
        let account = builder.from_credentials(credentials).await?;
        if saved.contacts != self.settings.contacts {
            let contacts: Vec<&str> = self.settings.contacts.iter().map(String::as_str).collect();
            account.update_contacts(&contacts).await?;
            let saved = Saved { contacts: self.settings.contacts.clone(), ..saved };
            write(store, &saved).await?;
            info!(account = account.id(), "the contacts of the ACME account were changed");
        }
        Ok(account)
    }

    async fn make(&self, builder: instant_acme::AccountBuilder, store: &Store) -> Result<Account, Failure> {
        let contacts: Vec<&str> = self.settings.contacts.iter().map(String::as_str).collect();
        let new =
            NewAccount { contact: &contacts, terms_of_service_agreed: true, only_return_existing: false };
        let binding = self.settings.binding.as_ref();
        let binding = binding.map(|binding| ExternalAccountKey::new(binding.key_id.clone(), &binding.key));
        let (account, credentials) =
            builder.create(&new, self.settings.directory.clone(), binding.as_ref()).await?;
        let credentials = serde_json::to_value(&credentials).map_err(|error| Failure::local(&error))?;
        write(store, &Saved { contacts: self.settings.contacts.clone(), credentials }).await?;
        info!(account = account.id(), directory = self.settings.directory, "an ACME account was made");
        Ok(account)
    }
}

async fn write(store: &Store, saved: &Saved) -> Result<(), Failure> {
    let text = serde_json::to_string(saved).map_err(|error| Failure::local(&error))?;
    let store = store.clone();
    blocking(move || store.save_account(&text)).await
}
