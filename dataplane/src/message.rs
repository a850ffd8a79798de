//! Messages on their way, whatever version of HTTP carries them: the place that a body comes from and the one that a
//! message goes to. No policy, no route and no plan is known here.

mod sink;

mod source;

pub(crate) use sink::Sink;
pub(crate) use source::Source;

/// A client: one request comes, one answer goes.
#[derive(Debug)]
pub(crate) struct Client<'c> {
    /// The place that the request's body comes from.
    pub(crate) reader: Source<'c>,
    /// The place that the answer goes to.
    pub(crate) writer: Sink<'c>,
}
