//! Conduct that the real test authority does not show, with the whole order loop or parts of it against the
//! [`stub`](super::stub): suggested renewals, rate limits, and accounts that cannot be read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use instant_acme::Account;
use serde_json::Value;
use tokio::sync::{Notify, mpsc, watch};
use waf_shared::control::Challenges;

use super::account::Accounts;
use super::client::{Connector, Notes};
use super::failure::{Failure, Why};
use super::stub::{Conduct, NAME, Stub};
use super::{Figures, order, rfc3339, start};
use crate::disk::Pair;
use crate::manager::{Orders, Wanted};

async fn open(stub: &Stub) -> (Result<Account, Failure>, Arc<Notes>) {
    let connector = Connector::new(stub.settings.root.as_deref()).unwrap();
    Accounts::new(Arc::new(stub.settings.clone()), connector).open(&stub.store()).await
}

/// As the authority names it.
fn named(pair: &Pair) -> String {
    order::identifier(pair).unwrap().to_string()
}

#[tokio::test]
async fn an_authority_that_suggests_renewals_is_heard() {
    let stub = Stub::start(Conduct { suggests: true, ..Conduct::default() }).await;
    stub.remember_account();
    let account = open(&stub).await.0.unwrap();
    let (window, again) = order::suggestion(&account, &stub.issued()).await.unwrap();
    let (start, end) = window.unwrap();
    assert_eq!(rfc3339(start), "2901-01-02T03:04:05Z");
    assert_eq!(end.duration_since(start).unwrap().as_secs(), 2 * 24 * 3600);
    assert!((21_590..=21_600).contains(&again.as_secs()), "{again:?}");
}

#[tokio::test]
async fn an_authority_that_suggests_nothing_leaves_it_to_the_lifetime() {
    let stub = Stub::start(Conduct::default()).await;
    stub.remember_account();
    let account = open(&stub).await.0.unwrap();
    let (window, _) = order::suggestion(&account, &stub.issued()).await.unwrap();
    assert!(window.is_none());
}

/// Renews a certificate that is far from its end because the authority says so; gives what the orders were to replace.
async fn renew(refuses_replacements: bool) -> (Pair, Vec<Value>) {
    let stub = Stub::start(Conduct { suggests: true, refuses_replacements, ..Conduct::default() }).await;
    stub.remember_account();
    let (store, before) = (stub.store(), stub.issued());
    stub.conduct().due = Some(named(&before));
    store.save(NAME, &before).unwrap();
    let hosts = vec![NAME.to_owned()];
    let read = || Arc::new(store.load(&hosts));
    let (snapshot, serving) = watch::channel(read());
    let wanted = Wanted { hosts: hosts.clone(), data_dir: stub.folder.path().to_owned() };
    let (_wanted, wanted) = watch::channel(wanted);
    let (_names, unserved) = mpsc::channel(1);
    let (challenges, _) = watch::channel(Challenges::default());
    let (_answered, answered) = watch::channel(0);
    let (unsaved, _) = watch::channel(BTreeMap::new());
    let changed = Arc::new(Notify::new());
    let orders = Orders {
        wanted,
        snapshot: serving,
        unserved,
        challenges,
        answered,
        unsaved,
        changed: changed.clone(),
    };
    start(stub.settings.clone(), orders, Arc::new(Figures::default())).unwrap();
    let renewed = async {
        loop {
            changed.notified().await;
            let now = read();
            snapshot.send_replace(now.clone());
            if let Some(pair) = now.of(NAME).filter(|pair| named(pair) != named(&before)) {
                return Pair::clone(pair);
            }
        }
    };
    let renewed = tokio::time::timeout(Duration::from_secs(20), renewed).await.unwrap();
    // The new one is asked about, and as its window lies ahead, that is all.
    let asked = async {
        while stub.conduct().questions.last() != Some(&named(&renewed)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), asked).await.unwrap();
    let orders = stub.conduct().orders.iter().map(|order| order["replaces"].clone()).collect();
    (before, orders)
}

#[tokio::test]
async fn a_window_that_has_begun_renews_at_once_and_names_what_is_replaced() {
    let (before, orders) = renew(false).await;
    assert_eq!(orders, [Value::from(named(&before))]);
}

#[tokio::test]
async fn what_must_not_be_named_as_replaced_is_ordered_without() {
    let (before, orders) = renew(true).await;
    assert_eq!(orders, [Value::from(named(&before)), Value::Null]);
}

#[tokio::test]
async fn a_rate_limit_comes_with_the_wait_that_the_authority_asks_for() {
    let stub = Stub::start(Conduct::default()).await;
    let (account, notes) = open(&stub).await;
    let Err(failure) = account else { panic!("the stub makes no accounts") };
    assert_eq!(failure.why, Why::RateLimited);
    assert!(failure.text.contains("rateLimited says the stub"), "{}", failure.text);
    assert_eq!(notes.retry_after().map(|wait| wait.as_secs()), Some(1234));
}

#[tokio::test]
async fn an_account_that_cannot_be_read_is_set_aside() {
    let stub = Stub::start(Conduct::default()).await;
    let store = stub.store();
    store.save_account("{\"contacts\":[],\"credentials\":{}}").unwrap();
    // A new one is asked for, which this authority refuses.
    let (account, _) = open(&stub).await;
    assert!(matches!(account, Err(Failure { why: Why::RateLimited, .. })));
    let path = &store.layout().account;
    assert!(!path.exists() && path.with_extension("json.broken").exists());
}
