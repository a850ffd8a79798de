//! Output of `waf certificates`: host, certificate, issuer, expiry and renewal of each. It changes nothing.

use std::fmt::Write as _;
use std::time::SystemTime;

use crate::acme::demand::wildcard_over;
use crate::acme::rfc3339;
use crate::acme::schedule::renewal;
use crate::disk::{Pair, Provenance, Snapshot, is_wildcard, wildcard_of};

const HEADER: [&str; 5] = ["HOST", "FROM", "ISSUER", "EXPIRES", "NEXT RENEWAL"];

/// One line for each host, and for each name below a wildcard that has a certificate; then what is wrong with files.
pub fn text(hosts: &[String], snapshot: &Snapshot, now: SystemTime) -> String {
    let below = snapshot.pairs.keys().filter(|name| wildcard_over(name, hosts).is_some());
    let rows = hosts.iter().chain(below).map(|name| row(name, snapshot, now));
    let rows: Vec<[String; 5]> = std::iter::once(HEADER.map(str::to_owned)).chain(rows).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
            let _ = write!(line, "{cell:<width$}  ", width = width.unwrap_or_default());
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for fault in &snapshot.faults {
        let _ = writeln!(text, "{} cannot be used: {}", fault.path.display(), fault.why);
    }
    text
}

fn row(name: &str, snapshot: &Snapshot, now: SystemTime) -> [String; 5] {
    let cells = |from: &str, pair: Option<&Pair>, renewal: String| {
        let issuer = pair.map_or_else(|| "-".to_owned(), |pair| pair.issuer.clone());
        let expires = pair.map_or_else(|| "-".to_owned(), |pair| rfc3339(pair.not_after));
        [name.to_owned(), from.to_owned(), issuer, expires, renewal]
    };
    match snapshot.of(name) {
        None if is_wildcard(name) => cells("names on demand", None, "-".to_owned()),
        None => cells("missing", None, "now".to_owned()),
        Some(pair) if pair.provenance == Provenance::Own => {
            cells(&folder(name, snapshot), Some(pair), "by the operator".to_owned())
        }
        Some(pair) => {
            let at = renewal(pair);
            cells("ACME", Some(pair), if at <= now { "now".to_owned() } else { rfc3339(at) })
        }
    }
}

/// The operator's folder that the certificate of `name` lies in.
fn folder(name: &str, snapshot: &Snapshot) -> String {
    let served = [Some(name.to_owned()), wildcard_of(name)].into_iter().flatten();
    let served = served.filter(|name| snapshot.pairs.contains_key(name)).take(1).collect::<String>();
    let folder = snapshot.mounted.get(&served).and_then(|folder| folder.file_name()?.to_str());
    match folder {
        None | Some("certs") => "data_dir/certs".to_owned(),
        Some(folder) => format!("data_dir/certs/{folder}"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn every_host_has_a_line() {
        let at = |days: u64| UNIX_EPOCH + Duration::from_hours(days * 24);
        let pair = |provenance, issuer: &str| {
            Arc::new(Pair {
                names: Vec::new(),
                chain_pem: Vec::new(),
                key_pem: Vec::new(),
                not_before: at(20_000),
                not_after: at(20_090),
                issuer: issuer.into(),
                provenance,
            })
        };
        let mut snapshot = Snapshot::default();
        snapshot.pairs.insert("a.example".into(), pair(Provenance::Acme, "R10"));
        snapshot.pairs.insert("own.example".into(), pair(Provenance::Own, "Our CA"));
        snapshot.pairs.insert("x.shop.example".into(), pair(Provenance::Acme, "R10"));
        for (name, folder) in [("*.wild.example", "certs"), ("mounted.example", "shop-tls")] {
            snapshot.pairs.insert(name.into(), pair(Provenance::Own, "Our CA"));
            snapshot.mounted.insert(name.into(), format!("/data/certs/{folder}").into());
        }
        let hosts =
            ["a.example", "b.example", "own.example", "*.shop.example", "mounted.example", "x.wild.example"];
        let hosts = hosts.map(str::to_owned);
        let text = text(&hosts, &snapshot, at(20_001));
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect())
            .collect();
        assert_eq!(lines[0], HEADER);
        assert_eq!(lines[1][..4], ["a.example", "ACME", "R10", "2025-01-02T00:00:00Z"], "{text}");
        assert!(lines[1][4].starts_with("2024-12-0"), "two thirds of ninety days: {text}");
        assert_eq!(lines[2], ["b.example", "missing", "-", "-", "now"]);
        assert_eq!(lines[3][1..3], ["data_dir/certs", "Our CA"]);
        assert_eq!(lines[4][..2], ["*.shop.example", "names on demand"]);
        assert_eq!(lines[5][..2], ["mounted.example", "data_dir/certs/shop-tls"]);
        assert_eq!(lines[6][..2], ["x.wild.example", "data_dir/certs"]);
        assert_eq!(lines[7][..2], ["x.shop.example", "ACME"]);
        assert_eq!(lines.len(), 8);
    }
}
