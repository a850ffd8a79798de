//! Audit events as one page of HTML without a network: a timeline, protections, routes, sources, likely false alarms, parts
//! that were not inspected, and single events. Events are read as a stream in bounded memory; their texts are attackers'.

mod chart;
mod counts;
mod gathered;
mod markup;
mod page;
mod sample;
mod timeline;
mod top;

use std::io;
use std::path::PathBuf;

use crate::batches::{Batch, Batches, Cut};
use crate::parallel::{self, Progress};
use gathered::Gathered;

/// Events, gathered.
#[derive(Debug)]
pub struct EventReport(Gathered);

impl EventReport {
    /// Reads files and folders of events; `-` is standard input. `report` gets the progress.
    pub fn read(
        inputs: &[PathBuf],
        threads: usize,
        report: &(dyn Fn(Progress) + Sync),
    ) -> io::Result<EventReport> {
        let batches = Batches::new(inputs, |_| Cut::Lines)?;
        let work = |next: &mut dyn FnMut() -> Option<Batch>| {
            let mut gathered = Gathered::default();
            while let Some(batch) = next() {
                batch.bytes.split(|byte| *byte == b'\n').for_each(|line| gathered.line(line));
                if let Some((line, fault)) = batch.fault {
                    gathered.fault(format!("{}:{line}: {fault}", batch.input));
                }
            }
            gathered
        };
        let mut sum = Gathered::default();
        parallel::run(batches, threads, report, work, |part| sum.merge(part));
        Ok(EventReport(sum))
    }

    /// Events that were read.
    pub fn events(&self) -> u64 {
        self.0.all.all()
    }

    /// The page.
    pub fn html(&self) -> String {
        page::page(&self.0)
    }
}
