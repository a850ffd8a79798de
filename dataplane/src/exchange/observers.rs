//! Those who see a request beside the stages that decide about it: a second plan that judges it, and a recording. None of
//! them waits or changes an answer.

use std::sync::Arc;

use waf_detection::verdict::Verdict;
use waf_shared::metrics::RouteCounter;

use super::context::RequestContext;
use super::findings::Findings;
use super::record::Capture;
use super::shadow::Judgement;
use crate::head::RequestHead;
use crate::http1::reader::Piece;
use crate::proxy::Proxy;
use crate::refusal::Refusal;

/// The observers of one request.
#[derive(Debug)]
pub(crate) struct Observers {
    shadow: Option<Judgement>,
    record: Option<Capture>,
}

impl Observers {
    /// The observers of the request that `context` describes; none for most requests.
    pub(super) fn begin(proxy: &Proxy, context: &RequestContext) -> Option<Arc<Observers>> {
        let (shadow, record) = (Judgement::begin(proxy, context), Capture::begin(proxy, context));
        (shadow.is_some() || record.is_some()).then(|| Arc::new(Observers { shadow, record }))
    }

    /// The head has passed the stages before the body.
    pub(super) fn head(&self, head: &Arc<RequestHead>) {
        if let Some(shadow) = &self.shadow {
            shadow.head(head);
        }
    }

    /// A piece of the body came.
    pub(super) fn piece(&self, piece: &Piece) {
        if let Some(shadow) = &self.shadow {
            shadow.piece(piece);
        }
        if let Some(record) = &self.record {
            record.piece(piece);
        }
    }

    /// The request is refused.
    pub(super) fn refuse(&self, refusal: Refusal) {
        if let Some(shadow) = &self.shadow {
            shadow.refuse(refusal);
        }
    }

    /// The request has an event that names this.
    pub(super) fn note(&self, findings: &Findings, verdict: Option<&Verdict>) {
        if let Some(shadow) = &self.shadow {
            shadow.note(findings, verdict);
        }
    }

    /// The exchange is over and was counted as `action`.
    pub(super) fn finish(&self, context: &RequestContext, findings: &Findings, action: Option<RouteCounter>) {
        if let Some(shadow) = &self.shadow {
            shadow.finish(context, findings, action);
        }
        if let Some(record) = &self.record {
            record.finish(context, action);
        }
    }
}
