//! Policy tests: requests with the verdict that a configuration has to give them. A file of tests is read like a
//! configuration; its faults and the tests that fail are findings with their lines.

mod document;
mod outcome;
mod report;

use std::path::Path;

pub use report::{Report, Tested};

use waf_detection::recorded::Recorded;

use crate::diagnostic::Sink;
use crate::field::FieldKind;
use crate::inspector::Inspector;
use crate::read::{FromNode as _, Reader};
use crate::resolve::entries;
use crate::{Compiled, Diagnostic, code, source, tree};
use document::Document;
use outcome::Outcome;

impl Compiled {
    /// Runs the tests of every file.
    pub fn policy_tests(&self, files: &[impl AsRef<Path>]) -> Report {
        let inspector = Inspector::new(&self.plan);
        let mut report = Report::default();
        for file in files {
            let file = file.as_ref();
            let name = file.display().to_string();
            match source::read_text(file) {
                Ok(text) => self.policy_text(&inspector, &name, &text, &mut report),
                Err(error) => report.fault(Diagnostic {
                    code: code::UNREADABLE,
                    severity: crate::Severity::Error,
                    file: name,
                    line: 1,
                    column: None,
                    message: format!("the policy tests {error}"),
                    help: None,
                }),
            }
        }
        report
    }

    /// Runs the tests of a text, under the name of its file.
    pub fn policy_tests_of(&self, name: &str, text: &str) -> Report {
        let mut report = Report::default();
        self.policy_text(&Inspector::new(&self.plan), name, text, &mut report);
        report
    }

    fn policy_text(&self, inspector: &Inspector<'_>, name: &str, text: &str, report: &mut Report) {
        let mut sink = Sink::of(name, text);
        let document = tree::read(text, &mut sink).and_then(|tree| {
            let kind = FieldKind::Section(Document::FIELDS);
            Document::from_node(&mut Reader::new(&mut sink, &[]), &tree, &kind)
        });
        let tests = document.as_ref().map_or(&[][..], |document| entries(document.tests.as_ref()));
        for at in tests {
            at.value.check(at.line, &mut sink);
        }
        if sink.errors() > 0 {
            sink.finish().into_iter().for_each(|fault| report.fault(fault));
            return;
        }
        for at in tests {
            let raw = at.value.raw_request();
            let outcome = Outcome::of(&self.plan, inspector, &Recorded::parse(&raw));
            report.add(name, at.line, &at.value.title(), at.value.differences(&outcome), &outcome);
        }
    }
}
