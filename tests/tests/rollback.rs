//! A plan under which workers die is replaced by the one before it, once, without an operator.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_tests::load::Load;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{Start, Waf, kill, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};

const RELOADS: &str = "waf_config_reload_total";
const ATTACK: &str = "/?q=1'+union+select+password+from+users--";

fn config(origin: &Origin, more: &str) -> String {
    with_metrics(&with_routes(&format!("  - id: shop\n    upstream: {}\n{more}", origin.url())))
}

/// Kills both workers and waits until others serve in their place.
fn kill_all(waf: &Waf) {
    let before = waf.workers();
    for pid in &before {
        kill(*pid, Signal::SIGKILL);
    }
    polling::until_true("two new workers", || {
        let now = waf.workers();
        now.len() == 2 && now.iter().all(|pid| !before.contains(pid))
    });
}

fn reloads(waf: &Waf, result: &str) -> u64 {
    Scrape::of(waf).count(RELOADS, &[("result", result)])
}

#[test]
fn a_plan_under_which_workers_die_is_rolled_back_once() {
    let origin = Origin::start();
    let (good, bad) = (config(&origin, ""), config(&origin, "    disable: [sql]\n"));
    let waf = Start::new().run(&good);
    let attack = || Request::get(ATTACK).to(waf.port).status;
    let load = Load::start(waf.port, 4, &Request::get("/"), |response| {
        if response.status == 200 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    load.wait_for(20);
    let first = waf.plan();
    waf.reconfigure(&bad);
    let second = waf.until_replaced(&first);
    assert_eq!((attack(), reloads(&waf, "success")), (200, 1));

    let began = Instant::now();
    kill_all(&waf);
    waf.wait_log(&["workers die or fail under the new plan", &second]);
    polling::until_true("the plan before it", || waf.plan() == first);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    polling::until_true("every worker", || waf.ask("/readyz").is_ok_and(|answer| answer.status == 200));
    for _ in 0..8 {
        assert_eq!(attack(), 403, "no worker serves the plan that was rolled back");
    }
    let ready = waf.ask("/readyz").expect("health is answered");
    assert_eq!(ready.all("X-Waf-Plan-Rolled-Back").collect::<Vec<_>>(), [second.as_str()]);
    let counted = |scrape: &Scrape| scrape.count(RELOADS, &[("result", "rollback")]) == 1;
    scrape::until(&waf, "the rollback", counted);
    assert_eq!(Scrape::of(&waf).count("waf_degraded", &[("what", "configuration")]), 1);
    assert!(load.stop().failures.len() <= 8, "only requests in flight in the killed workers fail");

    // The same file does not come back by itself, and what an operator forces stays.
    waf.reconfigure(&format!("{good}# The same plan.\n"));
    scrape::until(&waf, "the file without the change", |scrape| {
        scrape.count(RELOADS, &[("result", "success")]) == 2
    });
    waf.reconfigure(&bad);
    waf.wait_log(&["this configuration was rolled back: only SIGHUP applies it again"]);
    assert_eq!(waf.plan(), first);
    waf.signal(Signal::SIGHUP);
    assert_eq!(waf.until_replaced(&first), second);
    kill_all(&waf);
    polling::until_true("the forced plan", || waf.ask("/readyz").is_ok_and(|answer| answer.status == 200));
    assert_eq!((waf.plan(), attack(), reloads(&waf, "rollback")), (second, 200, 1));
}

#[test]
fn one_death_and_deaths_with_the_option_off_change_nothing() {
    let origin = Origin::start();
    let waf = Start::new().argument("--rollback").argument("off").run(&config(&origin, ""));
    let first = waf.plan();
    waf.reconfigure(&config(&origin, "    disable: [sql]\n"));
    let second = waf.until_replaced(&first);
    kill_all(&waf);
    assert_eq!((waf.plan(), reloads(&waf, "rollback")), (second, 0));

    let waf = Start::new().run(&config(&origin, ""));
    let first = waf.plan();
    waf.reconfigure(&config(&origin, "    disable: [sql]\n"));
    let second = waf.until_replaced(&first);
    let before = waf.workers();
    kill(before[0], Signal::SIGKILL);
    polling::until_true("a new worker", || {
        let now = waf.workers();
        now.len() == 2 && !now.contains(&before[0])
    });
    assert_eq!((waf.plan(), reloads(&waf, "rollback")), (second, 0));
}
