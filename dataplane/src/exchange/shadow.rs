//! The judging of one request by a second plan: the same head through the same stages under the other plan's route and
//! settings, and the same bytes of the body as they come. It never waits and changes nothing of the answer; a fault of
//! it is counted.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waf_detection::inspection::Inspection;
use waf_detection::verdict::Verdict;
use waf_shared::control::{Decision, ShadowResult};
use waf_shared::limits::SHADOW_RULES_MAX;
use waf_shared::metrics::RouteCounter;

use super::body::{Body, BodyFault};
use super::context::{Arrival, RequestContext};
use super::findings::{Effect, Findings};
use super::rejection::Rejection;
use super::{admit, contract, inspect};
use crate::audit::difference::{self, Decided, Difference};
use crate::head::RequestHead;
use crate::http1::reader::Piece;
use crate::proxy::Proxy;
use crate::refusal::{Refusal, RefusalKind};
use crate::shadow::{Compared, Shadow};

/// One request under the second plan.
#[derive(Debug)]
pub(super) struct Judgement {
    shadow: Arc<Shadow>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    context: RequestContext,
    findings: Findings,
    stage: Stage,
    in_force: InForce,
}

/// Progress of the judging.
#[derive(Debug)]
enum Stage {
    /// Nothing was judged yet.
    Head,
    /// The head was judged, and the body is as far as it came.
    Body(Box<Body>),
    /// The second plan refuses the request.
    Refused(Option<Box<Inspection>>),
    /// The second plan answers the request itself, such as a preflight.
    Answered,
    /// The judging failed.
    Failed,
}

/// Decision of the plan in force about the request.
#[derive(Debug, Default)]
struct InForce {
    refusal: Option<Refusal>,
    rules: Vec<&'static str>,
}

impl Judgement {
    /// The judging of the request that `context` describes, if it is one of the share.
    pub(super) fn begin(proxy: &Proxy, context: &RequestContext) -> Option<Judgement> {
        let shadow = proxy.shadow_of_next()?;
        let is_same = shadow.active_plan().digest() == context.active_plan.digest();
        if is_same || matches!(context.arrival(), Arrival::Redirect) {
            return None;
        }
        let state = State {
            context: context.under(Arc::clone(shadow.active_plan())),
            findings: Findings::default(),
            stage: Stage::Head,
            in_force: InForce::default(),
        };
        Some(Judgement { shadow, state: Mutex::new(state) })
    }

    /// Judges the head, once.
    pub(super) fn head(&self, head: &Arc<RequestHead>) {
        self.lock().head(head, &self.shadow);
    }

    /// Judges the next piece of the body.
    pub(super) fn piece(&self, piece: &Piece) {
        self.lock().piece(piece);
    }

    /// Takes note that the plan in force refuses the request.
    pub(super) fn refuse(&self, refusal: Refusal) {
        self.lock().in_force.refusal = Some(refusal);
    }

    /// Takes note of what the event of the plan in force names.
    pub(super) fn note(&self, findings: &Findings, verdict: Option<&Verdict>) {
        self.lock().in_force.rules = rules(findings, verdict);
    }

    /// Compares both decisions, once the exchange is over and was counted as `action`.
    pub(super) fn finish(&self, context: &RequestContext, findings: &Findings, action: Option<RouteCounter>) {
        let mut state = self.lock();
        let in_head = matches!(state.stage, Stage::Head);
        let decided = action.and_then(|action| state.in_force.decision(findings, action, in_head));
        if decided.is_some()
            && let Some(head) = context.head().filter(|_| in_head)
        {
            state.head(head, &self.shadow);
        }
        let judged = state.conclude();
        let counts = self.shadow.counts();
        match (decided, judged) {
            (_, Judged::Failed) => counts.count(ShadowResult::Error),
            (Some(in_force), Judged::Decided(shadow, rules)) => {
                self.compare(&state, context, in_force, shadow, &rules);
            }
            // What the plan in force saw of a body that it refuses, both saw.
            (Some(Decision::Blocked), Judged::SoFar(shadow, rules)) if !in_head => {
                self.compare(&state, context, Decision::Blocked, shadow, &rules);
            }
            (None, _) | (Some(_), Judged::SoFar(..)) => counts.count(ShadowResult::Unfinished),
        }
        if let Stage::Refused(Some(inspection)) = std::mem::replace(&mut state.stage, Stage::Answered) {
            self.shadow.inspections().put(inspection);
        }
    }

    fn compare(
        &self,
        state: &State,
        context: &RequestContext,
        in_force: Decision,
        shadow: Decision,
        rules: &[&'static str],
    ) {
        let rules = if shadow > in_force { rules } else { &state.in_force.rules };
        let compared = Compared { route: context.route_id(), in_force, shadow, rules };
        if !self.shadow.counts().compare(&compared) || !self.shadow.log().is_on() {
            return;
        }
        let Some(head) = context.head() else { return };
        self.shadow.log().send(difference::write(&Difference {
            time: context.time(),
            listener: context.local(),
            scheme: context.scheme(),
            method: head.method(),
            target: head.target(),
            host: head.fields.first("host"),
            request_id: context.request_id(),
            in_force: Decided {
                plan: context.active_plan.digest_text(),
                route: context.route_id(),
                decision: in_force,
            },
            shadow: Decided {
                plan: state.context.active_plan.digest_text(),
                route: state.context.route_id(),
                decision: shadow,
            },
            rules,
        }));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Conclusion of the second plan.
enum Judged {
    Decided(Decision, Vec<&'static str>),
    /// The body did not come to its end.
    SoFar(Decision, Vec<&'static str>),
    Failed,
}

impl State {
    fn head(&mut self, head: &Arc<RequestHead>, shadow: &Shadow) {
        if !matches!(self.stage, Stage::Head) {
            return;
        }
        let judged = guarded(|| judge_head(Arc::clone(head), shadow, &mut self.context, &mut self.findings));
        self.stage = match judged {
            Some(Ok(body)) => Stage::Body(Box::new(body)),
            Some(Err(rejection)) => of_rejection(rejection),
            None => Stage::Failed,
        };
    }

    fn piece(&mut self, piece: &Piece) {
        let Stage::Body(body) = &mut self.stage else { return };
        let observed = guarded(|| body.observe(piece));
        if matches!(observed, Some(Ok(()))) {
            return;
        }
        let Stage::Body(mut body) = std::mem::replace(&mut self.stage, Stage::Failed) else { return };
        if let Some(Err(fault)) = observed {
            body.report(&self.context, &mut self.findings);
            if let BodyFault::Malformed(why) = fault {
                self.findings.refuse(400, admit::leaf_of(why), "BODY", why.to_string());
            }
            self.stage = Stage::Refused(Some(body.into_inspection()));
        }
    }

    /// The decision, and the rules that made it.
    fn conclude(&mut self) -> Judged {
        match std::mem::replace(&mut self.stage, Stage::Answered) {
            Stage::Failed => Judged::Failed,
            Stage::Head => Judged::SoFar(Decision::Allowed, Vec::new()),
            Stage::Answered => Judged::Decided(Decision::Allowed, Vec::new()),
            Stage::Refused(inspection) => {
                let verdict = inspection.as_deref().map(Inspection::verdict);
                let rules = rules(&self.findings, verdict.filter(|verdict| verdict.blocks()));
                self.stage = Stage::Refused(inspection);
                Judged::Decided(Decision::Blocked, rules)
            }
            Stage::Body(mut body) => {
                body.report(&self.context, &mut self.findings);
                let rules = rules(&self.findings, body.verdict());
                let decision = if rules.is_empty() { Decision::Allowed } else { Decision::Detected };
                let has_come = body.has_come();
                // Kept for the next request.
                self.stage = Stage::Refused(Some(body.into_inspection()));
                if has_come { Judged::Decided(decision, rules) } else { Judged::SoFar(decision, rules) }
            }
        }
    }
}

impl InForce {
    /// The decision of the plan in force about the request, whatever became of its response. None where it refused the
    /// request for something that no plan judges: a rate limit, a full service, a client that is slow or does not keep
    /// to the framing of its body.
    fn decision(&self, findings: &Findings, action: RouteCounter, in_head: bool) -> Option<Decision> {
        let is_of_response = findings.response().is_some() || findings.blames(OF_RESPONSE);
        match (action, self.refusal) {
            (RouteCounter::Blocked, _) if is_of_response => {}
            (RouteCounter::Blocked, _) if findings.exceeded().is_some() => return None,
            (RouteCounter::Blocked, _) if findings.is_unforwardable() && !in_head => return None,
            (RouteCounter::Blocked, Some(refusal)) => {
                let kinds = [RefusalKind::Blocked, RefusalKind::NotFound, RefusalKind::Misdirected];
                return kinds.contains(&refusal.kind).then_some(Decision::Blocked);
            }
            (RouteCounter::Blocked, None) => return None,
            _ => {}
        }
        Some(if self.rules.is_empty() { Decision::Allowed } else { Decision::Detected })
    }
}

/// The protection whose violations are of responses.
const OF_RESPONSE: waf_shared::catalog::Leaf = waf_shared::catalog::Leaf::ResponseInspectionOpenapiValidation;

/// The stages up to the body, under the second plan.
fn judge_head(
    head: Arc<RequestHead>,
    shadow: &Shadow,
    context: &mut RequestContext,
    findings: &mut Findings,
) -> Result<Body, Rejection> {
    context.add_head(Arc::clone(&head));
    let arrived = admit::arrive(head, findings)?;
    let route = admit::route(&arrived, context, findings)?;
    context.add_route(route);
    let admitted = admit::admit(arrived, route, context, findings)?;
    let contracted = contract::head(admitted, context, findings)?;
    let inspected = inspect::head(contracted, shadow.inspections(), context, findings)?;
    let (_, body) = inspect::begin_body(inspected, context, findings)?;
    Ok(body)
}

fn of_rejection(rejection: Rejection) -> Stage {
    match rejection {
        Rejection::Refused(refusal) | Rejection::MethodNotAllowed(refusal, _) => match refusal.kind {
            RefusalKind::Preflight | RefusalKind::Redirect | RefusalKind::Challenge => Stage::Answered,
            _ => Stage::Refused(None),
        },
        Rejection::Found(_, inspection) => Stage::Refused(Some(inspection)),
        Rejection::Answered(..) => Stage::Answered,
        Rejection::Upstream(_) | Rejection::Gone | Rejection::Left(_) => Stage::Failed,
    }
}

/// Runs a part of the judging. A fault of it must not become one of the request.
fn guarded<T>(judge: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(judge)).ok()
}

/// Ids of the rules, and names of the protections without one, that violations of a request name.
fn rules(findings: &Findings, verdict: Option<&Verdict>) -> Vec<&'static str> {
    let (before, meanwhile) = findings.violations();
    let checks = before.iter().chain(meanwhile);
    let checks = checks.filter(|found| found.effect != Effect::Remark && found.leaf != OF_RESPONSE);
    let mut rules: Vec<&'static str> = checks.map(|found| found.leaf.name()).collect();
    rules.extend(verdict.iter().flat_map(|verdict| &verdict.matches).map(|found| found.rule.id));
    rules.extend(verdict.iter().flat_map(|verdict| &verdict.violations).map(|found| found.leaf.name()));
    rules.sort_unstable();
    rules.dedup();
    rules.truncate(SHADOW_RULES_MAX);
    rules
}

#[cfg(test)]
mod tests;
