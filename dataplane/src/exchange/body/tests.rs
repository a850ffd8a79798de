//! Bodies on their way, by tables: what `setup.rs` takes from head and route, what `reading.rs` inspects, and the faults
//! of `faults.rs`.

use std::io::Write as _;

use waf_shared::plan::Route;

use super::super::inspect;
use super::super::testing::{contracted, exchange, head, with_client};
use super::*;
use crate::http1::framing::Framing;
use crate::inspection_pool::InspectionPool;
use crate::message::Client;

/// A body that was read: the bytes that go on, those that were not inspected, and the leaves that were found.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    forwarded: Vec<u8>,
    rest: u64,
    leaves: Vec<Leaf>,
}

/// Reads the body `bytes` of a request with these fields, or returns the status of its refusal.
async fn read(fields: &str, bytes: &[u8], change: impl FnOnce(&mut Route)) -> Result<Read, u16> {
    let lines = format!("POST / HTTP/1.1\nHost: a\nContent-Length: {}\n{fields}", bytes.len());
    let mut exchange = exchange(|_, route| change(route));
    let contracted = contracted(head(&lines), &mut exchange);
    let super::super::Exchange { context, findings, .. } = &mut exchange;
    let (read, ..) = with_client(bytes, async |client: &mut Client<'_>| {
        client.reader.delimit(Framing::Length(bytes.len() as u64));
        let inspected = inspect::head(contracted, &InspectionPool::default(), context, findings)?;
        let mut cleared = inspect::body(inspected, client, context, findings).await?;
        let mut forwarded = Vec::new();
        loop {
            match cleared.body.next(&mut client.reader).await {
                Ok(Next::Data(data)) => forwarded.extend_from_slice(&data),
                Ok(Next::End) => break,
                Err(fault) => return Err(body_refusal(&fault, findings)),
            }
        }
        cleared.body.report(context, findings);
        Ok(forwarded)
    })
    .await;
    let forwarded = read.map_err(|rejection| rejection.status())?;
    let leaves = findings.leaves().iter().collect();
    Ok(Read { forwarded, rest: findings.not_inspected().rest, leaves })
}

fn detects(route: &mut Route) {
    route.settings.mode = Mode::DetectOnly;
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

const TEXT: &str = "Content-Type: text/plain";
const CODED: &str = "Content-Type: text/plain\nContent-Encoding: gzip";

#[tokio::test]
async fn bodies_within_their_limits_go_on_as_they_came() {
    let coded = gzip(b"a cup of tea");
    for (fields, body) in [
        (TEXT, &b"a cup of tea"[..]),
        ("Content-Type: application/json", br#"{"a":[1,2]}"#),
        ("Content-Type: application/x-www-form-urlencoded", b"a=1&b=2"),
        ("Content-Type: application/octet-stream", b"\x00\x01\xff"),
        (CODED, &coded),
    ] {
        let read = read(fields, body, |_| {}).await;
        assert_eq!(read, Ok(Read { forwarded: body.to_vec(), rest: 0, leaves: Vec::new() }), "{fields:?}");
    }
}

#[tokio::test]
async fn faults_refuse_or_are_reported() {
    let mut cut = gzip(b"a cup of tea");
    cut.truncate(cut.len() - 1);
    let bomb = gzip(&b" ".repeat(512 << 10));
    for (fields, body, leaf) in [
        (CODED, &b"a cup of tea"[..], Leaf::HttpComplianceMalformedBody),
        (CODED, &cut, Leaf::HttpComplianceMalformedBody),
        (CODED, &bomb, Leaf::ResourceLimitsDecompressionRatio),
        (
            "Content-Type: text/plain\nContent-Encoding: deflate",
            b"\xff\xff",
            Leaf::HttpComplianceMalformedBody,
        ),
        ("Content-Type: text/plain\nContent-Encoding: zstd", b"a cup", Leaf::HttpComplianceMalformedBody),
    ] {
        assert_eq!(read(fields, body, |_| {}).await, Err(leaf.row().status), "{fields:?} {leaf:?}");
        let found = read(fields, body, detects).await.expect("it goes on");
        assert!(found.forwarded == body && found.leaves.contains(&leaf), "{fields:?}: {:?}", found.leaves);
        let off = |route: &mut Route| route.settings.leaves.remove(leaf);
        let read = read(fields, body, off).await;
        assert!(read.is_ok_and(|read| !read.leaves.contains(&leaf)), "{fields:?} {leaf:?}");
    }
}

#[tokio::test]
async fn beyond_the_bound_on_inspection_bytes_go_on_and_are_counted() {
    let bound = |route: &mut Route| {
        detects(route);
        route.settings.inspection.max_inspect_size = 16;
        route.settings.leaves.insert(Leaf::ResourceLimitsMaxInspectionSize);
    };
    for length in [17_usize, 64, 4_096] {
        let body = vec![b'a'; length];
        let read = read(TEXT, &body, bound).await.expect("it goes on");
        assert_eq!((read.forwarded.len(), read.rest), (length, length as u64 - 16), "{length}");
        assert_eq!(read.leaves, [Leaf::ResourceLimitsMaxInspectionSize], "{length}");
    }
}
