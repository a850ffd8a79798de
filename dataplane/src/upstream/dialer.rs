//! Connections that no pool keeps.

use std::sync::Arc;
use std::time::Duration;

use waf_shared::limits;
use waf_shared::plan::{Scheme, Upstream};

use super::connect;
use super::error::UpstreamFailure;
use super::tls::{self, TlsSetupError};
use super::version::HttpVersionPreference;
use crate::stream::Stream;

/// A way to one host that keeps no connections.
#[derive(Debug, Clone)]
pub(crate) struct Dialer {
    upstream: Upstream,
    tls: Option<Arc<tls::Connector>>,
}

impl Dialer {
    /// To `upstream`; an `https` one needs the system's trust anchors.
    pub(crate) fn new(upstream: &Upstream) -> Result<Dialer, TlsSetupError> {
        let tls = match upstream.scheme {
            Scheme::Http => None,
            Scheme::Https => {
                Some(Arc::new(tls::Connector::new(&upstream.host, &mut tls::Anchors::default())?))
            }
        };
        Ok(Dialer { upstream: upstream.clone(), tls })
    }

    /// A new connection, within `timeout`.
    pub(crate) async fn dial(
        &self,
        want: HttpVersionPreference,
        timeout: Duration,
    ) -> Result<Stream, UpstreamFailure> {
        let limit = timeout.min(Duration::from_secs(limits::CONNECT_SECONDS));
        connect::to_any(&self.upstream, self.tls.as_deref(), want, limit).await
    }
}
