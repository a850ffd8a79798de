//! The sink over real socket pairs: whole lines, bounded waits, nothing torn.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeSet;
use std::os::unix::net::UnixStream as StdStream;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use super::*;

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_mins(1);

fn sink(wait: Duration) -> (Sink, UnixStream) {
    let (ours, theirs) = StdStream::pair().unwrap();
    (Sink::waiting(ours, wait).unwrap(), nonblocking(theirs).unwrap())
}

/// A line that says its own number and length, so that a torn one shows.
fn line(number: usize, length: usize) -> Vec<u8> {
    let mut line = format!("{number} {length} ").into_bytes();
    line.resize(line.len() + length, b'x');
    line.push(b'\n');
    line
}

/// The number of a line, if it is whole.
fn whole(line: &str) -> Option<usize> {
    let mut parts = line.trim_end().splitn(3, ' ');
    let number = parts.next()?.parse().ok()?;
    let length: usize = parts.next()?.parse().ok()?;
    (parts.next()?.len() == length && line.ends_with('\n')).then_some(number)
}

async fn read_to_end(stream: UnixStream) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(stream);
    loop {
        let mut text = String::new();
        if reader.read_line(&mut text).await.unwrap() == 0 {
            return lines;
        }
        lines.push(whole(&text).unwrap_or_else(|| panic!("torn: {} bytes", text.len())));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_senders_write_whole_lines() {
    const SENDERS: usize = 64;
    const LINES: usize = 50;
    let (sink, theirs) = sink(LONG);
    let reader = tokio::spawn(read_to_end(theirs));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let sink = sink.clone();
            tokio::spawn(async move {
                for index in 0..LINES {
                    let number = sender * LINES + index;
                    let length = if number.is_multiple_of(97) { 300_000 } else { number % 4_000 };
                    sink.send(line(number, length)).await.unwrap();
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    assert_eq!(sink.written(), (SENDERS * LINES) as u64);
    drop(sink);
    let read = reader.await.unwrap();
    assert_eq!(read.len(), SENDERS * LINES);
    assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), (0..SENDERS * LINES).collect());
}

#[tokio::test]
async fn what_was_sent_is_in_the_kernel() {
    let (sink, mut theirs) = sink(LONG);
    sink.send(line(7, 1_000)).await.unwrap();
    // Nothing that this process still does can be needed: what there is to read is read without waiting.
    theirs.readable().await.unwrap();
    let mut bytes = vec![0; 2_000];
    let read = theirs.try_read(&mut bytes).unwrap();
    assert_eq!(&bytes[..read], line(7, 1_000));
    drop(sink);
    assert_eq!(theirs.read(&mut bytes).await.unwrap(), 0);
}

#[tokio::test]
async fn a_stalled_reader_gets_whole_lines_and_no_late_ones() {
    let (sink, theirs) = sink(SHORT);
    let senders: Vec<_> = (0..3_000)
        .map(|number| {
            let sink = sink.clone();
            tokio::spawn(async move { (number, sink.send(line(number, 1_000)).await) })
        })
        .collect();
    let mut accepted = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for sender in senders {
        let (number, outcome) = sender.await.unwrap();
        match outcome {
            Ok(()) => accepted.insert(number),
            Err(AuditUnavailable) => refused.insert(number),
        };
    }
    assert!(!accepted.is_empty() && !refused.is_empty());
    let reader = tokio::spawn(read_to_end(theirs));
    // The stream has room again.
    sink.send(line(9_999, 10)).await.unwrap();
    drop(sink);
    let mut read: BTreeSet<usize> = reader.await.unwrap().into_iter().collect();
    assert!(read.remove(&9_999));
    assert!(accepted.is_subset(&read));
    // Only the line that had begun when its time was over may have followed.
    let late: Vec<_> = read.intersection(&refused).collect();
    assert!(late.len() <= 1, "{late:?}");
}

#[tokio::test]
async fn without_a_supervisor_nobody_waits() {
    let (sink, theirs) = sink(LONG);
    drop(theirs);
    for number in 0..30 {
        tokio::time::timeout(Duration::from_secs(10), sink.send(line(number, 100_000)))
            .await
            .unwrap()
            .unwrap();
    }
    assert_eq!((sink.written(), sink.lost(), sink.undelivered()), (0, 20, 30));
    let (ours, theirs) = StdStream::pair().unwrap();
    let reader = tokio::spawn(read_to_end(nonblocking(theirs).unwrap()));
    sink.reattach(ours).await.unwrap();
    sink.send(line(30, 1)).await.unwrap();
    assert_eq!(sink.undelivered(), 20);
    drop(sink);
    assert_eq!(reader.await.unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30]);
}

#[tokio::test]
async fn a_supervisor_that_dies_in_the_middle_of_a_line_frees_its_sender() {
    let (sink, theirs) = sink(LONG);
    let sender = tokio::spawn({
        let sink = sink.clone();
        async move { sink.send(line(1, 4 << 20)).await }
    });
    theirs.readable().await.unwrap();
    drop(theirs);
    tokio::time::timeout(Duration::from_secs(10), sender).await.unwrap().unwrap().unwrap();
    assert_eq!((sink.written(), sink.lost()), (0, 1));
}

#[tokio::test]
async fn a_question_that_outlives_the_line_before_it_costs_no_stream() {
    let (sink, mut theirs) = sink(SHORT);
    // Lines that the kernel takes as a whole or not at all, until it takes no more.
    let mut number = 0;
    while sink.send(line(number, 1_000)).await.is_ok() {
        number += 1;
    }
    let withdrawn = tokio::spawn({
        let sink = sink.clone();
        async move { sink.send(line(0, 1_000)).await }
    });
    tokio::time::sleep(SHORT / 2).await;
    let asking = tokio::spawn({
        let sink = sink.clone();
        async move { sink.room().await }
    });
    assert_eq!(withdrawn.await.unwrap(), Err(AuditUnavailable));
    let mut buffer = vec![0; 1 << 20];
    assert!(theirs.read(&mut buffer).await.unwrap() > 0);
    assert_eq!(asking.await.unwrap(), Ok(()));
    // The stream is there as before.
    let before = sink.written();
    assert_eq!(sink.send(line(number, 10)).await, Ok(()));
    assert_eq!((sink.undelivered(), sink.written()), (0, before + 1));
}

#[tokio::test]
async fn room_is_told_from_a_stall() {
    let (sink, mut theirs) = sink(SHORT);
    assert_eq!(sink.room().await, Ok(()));
    assert_eq!(sink.written(), 0);
    // More than the kernel takes.
    let long = tokio::spawn({
        let sink = sink.clone();
        async move { sink.send(line(0, 4_000_000)).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(sink.room().await, Err(AuditUnavailable));
    assert_eq!(long.await.unwrap(), Err(AuditUnavailable));
    let reader = tokio::spawn(async move {
        let mut all = vec![0; 4_000_100];
        let mut got = 0;
        while got < 4_000_000 {
            got += theirs.read(&mut all[got..]).await.unwrap();
        }
        theirs
    });
    let theirs = reader.await.unwrap();
    assert_eq!(sink.room().await, Ok(()));
    drop(theirs);
}
