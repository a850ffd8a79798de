//! Messages on their way, whatever version of HTTP carries them: where a body comes from and where a message goes. The
//! exchange composes and reads heads as HTTP/1.1 text; what that becomes on the wire is decided here. No policy, no route
//! and no plan is known here.

mod sink;

mod source;

pub(crate) use sink::{Delimited, Sink};
pub(crate) use source::Source;
