//! Recorded traffic judged by one or two plans, in this process: what each refuses, by rule, place and path, and in what
//! they differ. Threads take batches of the recordings in turn; nothing is kept but bounded counts.

mod har;
mod json_line;
mod judge;
mod log_line;
mod page;
mod request;
mod summary;
mod tally;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Compiled;
use crate::batches::{Batch, Batches, Cut};
use crate::check_request::head;
use crate::inspector::Inspector;
use crate::parallel::{self, Progress};
use judge::Judge;
use request::{Line, Request};
pub use summary::Replay;
use summary::Summary;
use tally::Seen;

/// Format of recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum InputFormat {
    /// By the content of each file and line.
    Auto,
    /// HTTP archives of browsers.
    Har,
    /// A request a file, as it was on the wire.
    Http,
    /// JSON lines: recorded requests, access logs.
    Json,
    /// Access logs: common, combined, Envoy.
    Log,
}

/// Settings of a replay.
#[derive(Debug)]
pub struct Options<'a> {
    /// Files and folders; `-` is standard input.
    pub inputs: &'a [PathBuf],
    /// Their format.
    pub format: InputFormat,
    /// Host of requests whose recording names none.
    pub host: Option<&'a str>,
    /// Threads that judge.
    pub threads: usize,
}

impl Compiled {
    /// Replays recordings, also against the plan of `old`; `report` gets the progress after each batch.
    pub fn replay(
        &self,
        old: Option<&Compiled>,
        options: &Options<'_>,
        report: &(dyn Fn(Progress) + Sync),
    ) -> io::Result<Replay> {
        let format = options.format;
        let batches = Batches::new(options.inputs, move |beginning| cut_of(format, beginning))?;
        let engine = Arc::new(waf_detection::rules::engine());
        let new_inspector = Inspector::with(&self.plan, Arc::clone(&engine));
        let old_inspector = old.map(|old| Inspector::with(&old.plan, engine));
        let default_host = options.host.map_or_else(|| judge::default_host(&self.plan), str::to_owned);
        let work = |next: &mut dyn FnMut() -> Option<Batch>| {
            let mut replayer = Replayer {
                new: Judge::new(&self.plan, &new_inspector),
                old: old.zip(old_inspector.as_ref()).map(|(old, own)| Judge::new(&old.plan, own)),
                default_host: &default_host,
                format,
                summary: Summary::default(),
            };
            while let Some(batch) = next() {
                replayer.batch(&batch);
            }
            replayer.summary
        };
        let mut sum = Summary::default();
        parallel::run(batches, options.threads, report, work, |part| sum.merge(part));
        let routes = |compiled: &Compiled| {
            compiled.plan.routes.iter().map(|route| route.id.0.clone()).collect::<Vec<_>>()
        };
        Ok(Replay { summary: sum, routes: routes(self), old_routes: old.map(routes) })
    }
}

/// Way in which an input is cut, by its first bytes.
fn cut_of(format: InputFormat, beginning: &[u8]) -> Cut {
    match format {
        InputFormat::Har | InputFormat::Http => Cut::Whole,
        InputFormat::Auto if har::is_archive(beginning) || is_message(beginning) => Cut::Whole,
        InputFormat::Auto | InputFormat::Json | InputFormat::Log => Cut::Lines,
    }
}

/// True for a request line; a line of a log has quotes.
fn is_message(beginning: &[u8]) -> bool {
    let first = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    !first.contains(&b'"') && head::is_request(beginning).is_ok()
}

/// One thread's plans and counts.
struct Replayer<'a> {
    new: Judge<'a>,
    old: Option<Judge<'a>>,
    default_host: &'a str,
    format: InputFormat,
    summary: Summary,
}

impl Replayer<'_> {
    fn batch(&mut self, batch: &Batch) {
        match batch.cut {
            Cut::Whole => self.document(batch),
            Cut::Lines => {
                for (number, line) in (batch.line..).zip(batch.bytes.split(|byte| *byte == b'\n')) {
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    if !line.trim_ascii().is_empty() {
                        self.line(&batch.input, number, read_line(self.format, line, self.default_host));
                    }
                }
            }
        }
        if let Some((line, fault)) = &batch.fault {
            self.summary.unreadable(&batch.input, *line, fault);
        }
    }

    fn document(&mut self, batch: &Batch) {
        if batch.bytes.is_empty() {
            return;
        }
        let is_archive = self.format == InputFormat::Har
            || self.format == InputFormat::Auto && har::is_archive(&batch.bytes);
        if !is_archive {
            let request = match head::is_request(&batch.bytes) {
                Ok(()) => Line::Request(Request::of_message(&batch.bytes)),
                Err(_) => Line::Unreadable,
            };
            return self.line(&batch.input, 1, request);
        }
        match har::read(&batch.bytes) {
            Some(entries) => {
                for (number, entry) in (1..).zip(entries) {
                    self.line(&batch.input, number, entry);
                }
            }
            None => self.summary.unreadable(&batch.input, 1, "is not a HTTP archive"),
        }
    }

    fn line(&mut self, input: &Arc<str>, number: u64, line: Line<'_>) {
        let mut request = match line {
            Line::Request(request) => request,
            Line::NotHttp => return self.summary.not_http += 1,
            Line::Unreadable => return self.summary.unreadable(input, number, "is of no known format"),
        };
        let status = request.status;
        let recorded = request.recorded();
        let seen = Seen {
            input,
            line: number,
            method: recorded.method,
            target: recorded.target,
            path: recorded.path(),
            status,
        };
        let new = self.new.judge(&recorded);
        let old = self.old.as_mut().map(|old| old.judge(&recorded));
        self.summary.add(&seen, &new, old.as_ref());
    }
}

fn read_line<'a>(format: InputFormat, line: &'a [u8], default_host: &'a str) -> Line<'a> {
    let is_json = match format {
        InputFormat::Json => true,
        InputFormat::Log => false,
        _ => line.trim_ascii_start().starts_with(b"{"),
    };
    if is_json { json_line::read(line, default_host) } else { log_line::read(line, default_host) }
}
