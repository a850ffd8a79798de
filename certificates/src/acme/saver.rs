//! Issued certificates on their way to the disk. One that cannot be written down serves from memory until it can. It
//! knows the store, nothing of orders.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tracing::{error, info};

use super::blocking::blocking;
use super::failure::Failure;
use crate::disk::{Pair, Store};

/// Certificates that are not written down yet, and the receiver of news about written ones.
pub(super) struct Saver {
    unsaved: watch::Sender<BTreeMap<String, Arc<Pair>>>,
    changed: Arc<Notify>,
}

impl Saver {
    /// The manager of certificates reads the other ends.
    pub(super) fn new(unsaved: watch::Sender<BTreeMap<String, Arc<Pair>>>, changed: Arc<Notify>) -> Saver {
        Saver { unsaved, changed }
    }

    /// True if something is not written down.
    pub(super) fn has_unsaved(&self) -> bool {
        !self.unsaved.borrow().is_empty()
    }

    /// Has the disk read again.
    pub(super) fn changed(&self) {
        self.changed.notify_one();
    }

    /// Writes a certificate down. One that cannot be serves from memory.
    pub(super) async fn save(&self, store: &Store, name: &str, pair: Arc<Pair>) -> Result<(), Failure> {
        let (writing, of, written) = (store.clone(), name.to_owned(), pair.clone());
        let saved = blocking(move || writing.save(&of, &written)).await;
        match &saved {
            Ok(()) => {
                if self.unsaved.borrow().contains_key(name) {
                    self.unsaved.send_modify(|unsaved| drop(unsaved.remove(name)));
                    info!(host = name, "the certificate is written down now");
                }
                self.changed();
            }
            Err(failure) => {
                if self.unsaved.borrow().get(name) != Some(&pair) {
                    let error = &failure.text;
                    error!(
                        host = name,
                        error, "the certificate serves and cannot be written down: a restart would lose it"
                    );
                    self.unsaved.send_modify(|unsaved| drop(unsaved.insert(name.to_owned(), pair)));
                }
            }
        }
        saved
    }

    /// Writes down what could not be before, as far as that works now.
    pub(super) async fn save_rest(&self, store: &Store) -> Result<(), Failure> {
        let unsaved = self.unsaved.borrow().clone();
        for (name, pair) in unsaved {
            self.save(store, &name, pair).await?;
        }
        Ok(())
    }
}
