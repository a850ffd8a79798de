//! The upstream's answer held to the contract, where the route wants that: status, headers and media type at once, the
//! body up to the bound on inspection when that or its end is reached.

use std::time::Duration;

use waf_shared::catalog::Leaf;

use super::context::RequestContext;
use super::contract::{Contracted, ContractedOperation};
use crate::head::ResponseHead;
use crate::metrics::watch;

/// An answer under contract.
#[derive(Debug)]
pub(super) struct ResponseContract {
    operation: ContractedOperation,
    /// The declared body that it is held to, until that was judged.
    content: Option<(usize, usize)>,
    content_type: Vec<u8>,
    bytes: Vec<u8>,
    bytes_max: usize,
    /// True if a breach is refused.
    refuses: bool,
    breach: Option<String>,
    /// Time that comparing took.
    time: Duration,
}

impl ResponseContract {
    /// Judges the head; `None` where no contract looks at answers, or this one answers what a browser has already.
    pub(super) fn of(
        response: &ResponseHead,
        has_body: bool,
        contracted: &Contracted,
        context: &RequestContext,
    ) -> Option<ResponseContract> {
        let settings = context.settings();
        let operation = contracted.operation.as_ref()?;
        if !settings.leaves.contains(Leaf::ResponseInspectionOpenapiValidation) || response.status == 304 {
            return None;
        }
        let fields = |name: &str| response.fields.all(name).map(<[u8]>::to_vec).collect();
        let (contract, id) = (&operation.contract, operation.operation);
        let began = watch();
        let judged = contract.response(id, response.status, &fields, has_body);
        let (content, breach) = match judged {
            // A part of a body is no document.
            Ok(content) => (content.filter(|_| response.status != 206), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        Some(ResponseContract {
            operation: operation.clone(),
            content,
            content_type: response.fields.first("content-type").unwrap_or_default().to_vec(),
            bytes: Vec::new(),
            bytes_max: usize::try_from(settings.inspection.max_inspect_size).unwrap_or(usize::MAX),
            refuses: context.refuses_breaches(),
            breach,
            time: watch().saturating_sub(began),
        })
    }

    /// Reports whether the answer is held back until it is judged.
    pub(super) fn refuses(&self) -> bool {
        self.refuses
    }

    /// Reports whether it is to be refused.
    pub(super) fn is_refused(&self) -> bool {
        self.refuses && self.breach.is_some()
    }

    /// Reports whether nothing that may follow is judged.
    pub(super) fn is_over(&self) -> bool {
        self.content.is_none()
    }

    /// Takes more of the body, without its content codings.
    pub(super) fn take(&mut self, data: &[u8]) {
        if self.is_over() {
            return;
        }
        let room = self.bytes_max.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(data.get(..room).unwrap_or(data));
        if data.len() > room {
            self.judge(false);
        }
    }

    /// The rest cannot be read: what came is judged.
    pub(super) fn give_up(&mut self) {
        self.judge(false);
    }

    /// The body has ended.
    pub(super) fn finish(&mut self) {
        self.judge(true);
    }

    /// Time that comparing took so far.
    pub(super) fn time(&self) -> Duration {
        self.time
    }

    /// The breach of the contract.
    pub(super) fn into_breach(self) -> Option<String> {
        self.breach
    }

    fn judge(&mut self, is_whole: bool) {
        let Some(content) = self.content.take() else { return };
        let ContractedOperation { contract, operation, .. } = &self.operation;
        let began = watch();
        let judged = contract.response_body(*operation, content, &self.content_type, &self.bytes, is_whole);
        self.time = self.time.saturating_add(watch().saturating_sub(began));
        self.breach = judged.err().map(|fault| fault.to_string());
        self.bytes = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::{Mode, Route};

    use super::super::testing::{add_contract, contracted, exchange, head, response};
    use super::*;

    /// Judges a response that comes in `pieces`: whether it is refused and why it breaks the contract; `None` where
    /// nothing looks at it.
    fn judge(
        lines: &str,
        pieces: &[&str],
        change: impl FnOnce(&mut Route),
    ) -> Option<(bool, Option<String>)> {
        let mut exchange = exchange(|plan, route| {
            add_contract(plan, route);
            change(route);
        });
        let contracted = contracted(head("GET /orders/7 HTTP/1.1\nHost: a"), &mut exchange);
        let response = response(&format!("HTTP/1.1 {lines}"));
        let has_body = !pieces.is_empty();
        let mut judged = ResponseContract::of(&response, has_body, &contracted, &exchange.context)?;
        for piece in pieces {
            judged.take(piece.as_bytes());
        }
        judged.finish();
        assert!(judged.is_over());
        Some((judged.is_refused(), judged.into_breach()))
    }

    const JSON: &str = "200 OK\nContent-Type: application/json";

    #[test]
    fn responses_that_keep_the_contract_pass() {
        for (lines, pieces) in [
            (JSON, &[r#"{"id":1}"#][..]),
            (JSON, &[r#"{"i"#, r#"d":1,"#, r#""more":null}"#]),
            ("200 OK\nContent-Type: application/json; charset=utf-8", &[r#"{"id":1}"#]),
            // A part of a body is no document.
            ("206 Partial Content\nContent-Type: application/json", &[r#""id":1}"#]),
        ] {
            let judged = judge(lines, pieces, |_| {});
            assert_eq!(judged, Some((false, None)), "{lines:?} {pieces:?}");
        }
    }

    #[test]
    fn breaches_are_refused_or_reported() {
        for (lines, pieces) in [
            (JSON, &[r#"{"name":1}"#][..]),
            (JSON, &["[", "]"]),
            (JSON, &[r#"{"id":"#]),
            ("200 OK\nContent-Type: text/html", &["<p>"]),
            ("404 Not Found\nContent-Type: application/json", &[r#"{"id":1}"#]),
        ] {
            let (is_refused, breach) = judge(lines, pieces, |_| {}).expect("it is looked at");
            assert!(is_refused && breach.is_some(), "{lines:?} {pieces:?}");
            let detects = |route: &mut Route| route.settings.mode = Mode::DetectOnly;
            let (is_refused, breach) = judge(lines, pieces, detects).expect("it is looked at");
            assert!(!is_refused && breach.is_some(), "{lines:?} {pieces:?}");
        }
    }

    #[test]
    fn beyond_the_bound_the_prefix_is_judged() {
        let bound = |route: &mut Route| route.settings.inspection.max_inspect_size = 12;
        for (pieces, is_kept) in [
            (&[r#"{"id":1,"a":""#, "b\"}"][..], true),
            (&[r#"{"a":"bcdefghijk"#, "\"}"], true),
            (&[r#"["a","b","c","d"]"#], false),
        ] {
            let (_, breach) = judge(JSON, pieces, bound).expect("it is looked at");
            assert_eq!(breach.is_none(), is_kept, "{pieces:?}: {breach:?}");
        }
    }

    #[test]
    fn a_leaf_that_is_off_and_a_copy_that_is_known_are_not_looked_at() {
        assert_eq!(judge("304 Not Modified", &[], |_| {}), None);
        let off = |route: &mut Route| route.settings.leaves.remove(Leaf::ResponseInspectionOpenapiValidation);
        assert_eq!(judge(JSON, &["[]"], off), None);
    }
}
