//! The services under test: one speaks plain HTTP, the other TLS.

use std::net::SocketAddr;

use waf_tests::origin::Authority;
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, METRICS, PORT, Start, Waf};

use super::upstream::Upstream;

/// The name that the TLS service serves.
pub(super) const HOST: &str = "shop.example";

pub(super) struct Services {
    pub(super) plain: Waf,
    pub(super) tls: Waf,
    pub(super) authority: Authority,
    upstream: Upstream,
}

impl Services {
    pub(super) fn start(upstream: Upstream) -> Services {
        let authority = Authority::new("unused.example");
        let plain = Start::new().consumed_by(|_| {}).run(&plain(&upstream, 0));
        let tls = Start::new()
            .tls()
            .certificate(HOST, &authority.issue(&[HOST]))
            .consumed_by(|_| {})
            .run(&encrypted(&upstream, 0));
        Services { plain, tls, authority, upstream }
    }

    /// Both get a new plan; every third file is broken first, and changes nothing.
    pub(super) fn reload(&self, number: usize) {
        for (waf, config) in
            [(&self.plain, plain(&self.upstream, number)), (&self.tls, encrypted(&self.upstream, number))]
        {
            let before = waf.plan();
            if number.is_multiple_of(3) {
                waf.reconfigure(&config.replace("routes:", &format!("unknown_{number}:")));
                waf.wait_log(&[&format!("unknown_{number}")]);
                assert_eq!(waf.plan(), before, "the old plan serves on");
            }
            waf.reconfigure(&config);
            waf.until_replaced(&before);
        }
    }

    /// The worker that was started last, of one service after the other; the other worker lives as long as the soak.
    pub(super) fn youngest_worker(&self, number: usize) -> i32 {
        let waf = if number.is_multiple_of(2) { &self.plain } else { &self.tls };
        polling::until("two workers", || {
            let workers = waf.workers();
            (workers.len() == 2).then(|| workers.last().copied())?
        })
    }

    /// Bytes of metrics that each service shows.
    pub(super) fn scrape(&self) -> usize {
        let lengths = [&self.plain, &self.tls].map(|waf| {
            let page = Request::get("/metrics").to(waf.metrics);
            assert_eq!(page.status, 200, "metrics are there");
            page.body.len()
        });
        lengths.iter().sum()
    }
}

fn common(upstream: SocketAddr, number: usize) -> String {
    format!(
        "health_port: {HEALTH}\nmetrics_port: {METRICS}\ndata_dir: {FOLDER}/data\nglobal:\n  response_headers:\n    \
         inject:\n      response-headers-add-referrer-policy: plan-{number}\nroutes:\n  - upstream: http://{upstream}\n"
    )
}

fn plain(upstream: &Upstream, number: usize) -> String {
    let sockets = upstream.sockets;
    format!(
        "version: v1alpha1\nport: {PORT}\n{}  - match: {{ paths: [/live] }}\n    upstream: http://{sockets}\n",
        common(upstream.pages, number)
    )
}

fn encrypted(upstream: &Upstream, number: usize) -> String {
    format!("version: v1alpha1\nhost: {HOST}\n{}", common(upstream.pages, number))
}
