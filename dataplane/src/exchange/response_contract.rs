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
