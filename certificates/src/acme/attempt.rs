//! One try to get a certificate, from the disk to the account to the order.

use tracing::debug;

use super::account::Accounts;
use super::blocking::blocking;
use super::failure::{Failure, Why};
use super::order;
use super::proof::Proof;
use crate::disk::{Pair, Store};

/// Orders a certificate for `name`, proven by `proof`, in place of `replaced`.
pub(super) async fn attempt(
    accounts: &Accounts,
    store: &Store,
    name: &str,
    proof: &Proof,
    replaced: Option<&Pair>,
) -> Result<Pair, Failure> {
    let (probing, of) = (store.clone(), name.to_owned());
    let probed = blocking(move || probing.probe(&of)).await;
    probed.map_err(|failure| Failure { why: Why::Disk, ..failure })?;
    let (account, notes) = accounts.open(store).await;
    let outcome = match account {
        Ok(account) => {
            // Only an authority that suggests renewals wants to know what is replaced.
            let window = match replaced {
                Some(pair) => order::suggestion(&account, pair).await.ok().and_then(|(window, _)| window),
                None => None,
            };
            let identifier = window.and(replaced).and_then(order::identifier);
            debug!(host = name, replaces = identifier.is_some(), "an order begins");
            order::order(&account, name, proof, identifier).await
        }
        Err(failure) => Err(failure),
    };
    outcome.map_err(|failure| {
        let retry_after = failure.retry_after.or(notes.retry_after());
        Failure { retry_after, ..failure }
    })
}
