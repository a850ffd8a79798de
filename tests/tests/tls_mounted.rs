//! Certificates in Secrets that Kubernetes mounts: picked up by the names that they have, replaced without a restart.

use std::path::PathBuf;
use std::process::Command;

use waf_tests::origin::{Authority, Origin};
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::tls::Client;
use waf_tests::{kubelet, polling, programs};

fn folder(waf: &Waf, secret: &str) -> PathBuf {
    let folder = waf.folder().join("data/certs").join(secret);
    std::fs::create_dir_all(&folder).expect("a folder in the test's folder");
    folder
}

/// Mounts or updates a Secret of type `kubernetes.io/tls`.
fn mount(waf: &Waf, secret: &str, (chain, key): &(String, String)) {
    kubelet::write_all(&folder(waf, secret), &[("tls.crt", chain), ("tls.key", key)]);
}

/// The line of `waf certificates` for a host, by words.
fn listed(waf: &Waf, host: &str) -> Vec<String> {
    let output = Command::new(programs::waf()).args(["certificates", "--config"]).arg(waf.config()).output();
    let text = String::from_utf8(output.expect("the program can be started").stdout).expect("text");
    let line = text.lines().find(|line| line.starts_with(host)).unwrap_or_else(|| panic!("{host}: {text}"));
    line.split_ascii_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_mounted_secret_serves_and_is_replaced_without_a_restart() {
    let (first, second, origin) = (Authority::new("a.example"), Authority::new("a.example"), Origin::start());
    let config = format!(
        "version: v1alpha1\nhost: [shop.example, www.shop.example, api.shops.example]\nhealth_port: {HEALTH}\n\
         data_dir: {FOLDER}/data\nroutes:\n  - upstream: {}\n",
        origin.url()
    );
    // The file in the folder makes it exist before the start, as a mount does.
    let waf = Start::new().tls().file("data/certs/shop-tls/.keep", "").run(&config);
    let missing = || {
        let ready = waf.ask("/readyz").expect("an answer");
        ready.field("x-waf-certificates-missing").map(str::to_owned)
    };
    assert_eq!(missing().as_deref(), Some("api.shops.example, shop.example, www.shop.example"));
    mount(&waf, "shop-tls", &first.issue(&["shop.example", "www.shop.example"]));
    mount(&waf, "", &first.issue(&["*.shops.example"]));
    polling::until_true("all certificates", || missing().is_none());
    let client = Client::new(&first, &["http/1.1"]);
    for host in ["shop.example", "www.shop.example", "api.shops.example"] {
        assert_eq!(client.ask(waf.port, host, "/").status, 200, "{host}");
    }
    assert_eq!(listed(&waf, "shop.example")[1], "data_dir/certs/shop-tls");
    assert_eq!(listed(&waf, "api.shops.example")[1], "data_dir/certs");
    let mut open = client.connect(waf.port, "shop.example").expect("a handshake");
    let workers = waf.workers();

    // Renewed: the link of the volume is swapped.
    mount(&waf, "shop-tls", &second.issue(&["shop.example", "www.shop.example"]));
    let renewed = Client::new(&second, &["http/1.1"]);
    polling::until("the new certificate", || renewed.connect(waf.port, "www.shop.example").ok());
    assert_eq!(client.ask(waf.port, "api.shops.example", "/").status, 200, "the others stay");

    // The key of another certificate, then half a certificate: what served before serves on.
    let (chain, key) = second.issue(&["shop.example"]);
    let (_, other) = first.issue(&["shop.example"]);
    for (chain, key, why) in [(&chain[..], &other, "does not belong"), (&chain[..200], &key, "tls.crt")] {
        mount(&waf, "shop-tls", &(chain.to_owned(), key.clone()));
        waf.wait_log(&["cannot be used", "shop-tls", why]);
        for host in ["shop.example", "www.shop.example"] {
            assert!(renewed.connect(waf.port, host).is_ok(), "{host}: {why}");
        }
    }
    // The next whole one serves, also for a name less.
    mount(&waf, "shop-tls", &first.issue(&["shop.example"]));
    polling::until("the whole certificate", || client.connect(waf.port, "shop.example").ok());
    polling::until_true("the end of the old name", || missing().as_deref() == Some("www.shop.example"));
    assert_eq!(open.exchange(&Request::get("/").host("shop.example")).expect("a response").status, 200);
    assert_eq!(waf.workers(), workers, "no worker was replaced");
}
