//! `data_dir` is writable, or can be made. A service without TLS that does not name one needs none: its default is then tried
//! and missed with a warning.

use std::path::Path;

use super::sections::uses_tls;
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::raw::Document;
use crate::resolve;
use crate::source;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    check_with(document, resolve::data_dir(document), sink);
}

fn check_with(document: &Document, directory: &str, sink: &mut Sink) {
    let line = match (&document.data_dir, document.key("data_dir")) {
        (Some(at), _) => Some(at.line),
        (None, None) => None,
        // It was at fault already.
        (None, Some(_)) => return,
    };
    let Err(why) = source::check_writable(Path::new(directory)) else { return };
    let directory = quoted(directory);
    if line.is_some() || uses_tls(document) {
        let message = format!("data_dir must be writable: {directory}: {why}");
        sink.error(code::UNUSABLE_PATH, line.unwrap_or(1), message);
    } else {
        let message = format!(
            "data_dir is not set, and its default {directory} cannot be used: {why}. Bodies that do not fit into memory \
             wait in unnamed files of the system's folder for temporary files; set data_dir to choose another place"
        );
        sink.warning(code::UNUSABLE_PATH, 1, message);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;
    use crate::read::{FromNode as _, Reader};
    use crate::{Severity, raw, tree};

    /// The findings about `directory` as the default of `text`.
    fn findings(text: &str, directory: &Path) -> Vec<(Severity, String)> {
        let mut sink = Sink::new("t", 9);
        let node = tree::read(text, &mut sink).unwrap();
        let kind = crate::field::FieldKind::Section(raw::document());
        let document = Document::from_node(&mut Reader::new(&mut sink, &["r".into()]), &node, &kind).unwrap();
        check_with(&document, directory.to_str().unwrap(), &mut sink);
        sink.finish().into_iter().map(|found| (found.severity, found.to_string())).collect()
    }

    const PLAIN: &str = "version: v1alpha1\nroutes: [{upstream: 'http://a'}]\n";

    #[test]
    fn a_default_that_nothing_needs_is_missed_with_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for text in
            [PLAIN, "version: v1alpha1\nport: 8080\nhealth_port: 9090\nroutes: [{upstream: 'http://a'}]\n"]
        {
            let found = findings(text, &file.join("waf"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, Severity::Warning);
            for piece in ["data_dir is not set", "Not a directory", "folder for temporary files"] {
                assert!(found[0].1.contains(piece), "{piece}: {found:?}");
            }
            assert!(findings(text, &folder.path().join("new")).is_empty(), "it can be made");
        }
    }

    #[test]
    fn a_directory_that_is_named_or_needed_has_to_be_writable() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for text in [
            "version: v1alpha1\ndata_dir: /named\nroutes: [{upstream: 'http://a'}]\n",
            "version: v1alpha1\nhost: shop.example\nroutes: [{upstream: 'http://a'}]\n",
            "version: v1alpha1\nhost: [shop.example, '*.shop.example']\nroutes: [{upstream: 'http://a'}]\n",
            "version: v1alpha1\nroutes: [{match: {hosts: [a.example]}, upstream: 'http://a'}]\n",
            "version: v1alpha1\nroutes: [{match: {hosts: ['*.a.example'], paths: [/x]}, upstream: 'http://a'}]\n",
        ] {
            let found = findings(text, &file.join("waf"));
            let fits = |(severity, text): &(Severity, String)| {
                *severity == Severity::Error && text.contains("data_dir must be writable: ")
            };
            assert!(found.iter().any(fits), "{text}: {found:?}");
        }
    }
}
