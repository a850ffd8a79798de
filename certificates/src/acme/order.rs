//! One order, from the request to the certificate (RFC 8555 section 7.4), and the question when a certificate should be
//! renewed (RFC 9773). It knows the authority and the store of challenges, nothing of schedules.

use std::time::{Duration, SystemTime};

use instant_acme::{
    Account, AuthorizationStatus, CertificateIdentifier, ChallengeHandle, ChallengeType, Error, Identifier,
    NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair};
use tracing::{debug, info, warn};
use waf_shared::limits::ACME_ORDER_SECONDS;

use super::failure::{Failure, Why, printable};
use super::proof::{Posted, Proof};
use super::settings::Challenge;
use crate::disk::{Pair, Provenance};

/// Between two looks at an order, growing; the authority's own word goes first.
const POLL_FIRST: Duration = Duration::from_millis(250);
const POLL_GROWTH: f32 = 1.5;

/// For each of the two waits of an order, for the proof and for the certificate.
const POLL_LONGEST: Duration = Duration::from_secs(ACME_ORDER_SECONDS / 3);

/// Authorizations of an order for one name: one, says the RFC; a few would do no harm.
const AUTHORIZATIONS_MAX: usize = 4;

/// Orders a certificate for `host`.
pub(super) async fn order(
    account: &Account,
    host: &str,
    proof: &Proof,
    replaces: Option<CertificateIdentifier<'static>>,
) -> Result<Pair, Failure> {
    let limit = Duration::from_secs(ACME_ORDER_SECONDS);
    match tokio::time::timeout(limit, steps(account, host, proof, replaces)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::new(
            Why::Unreachable,
            format!("the order was not finished within {ACME_ORDER_SECONDS} s"),
        )),
    }
}

async fn steps(
    account: &Account,
    host: &str,
    proof: &Proof,
    replaces: Option<CertificateIdentifier<'static>>,
) -> Result<Pair, Failure> {
    let challenge = proof.challenge;
    let identifiers = [Identifier::Dns(host.to_owned())];
    let mut order = match replaces {
        Some(replaces) => account.new_order(&NewOrder::new(&identifiers).replaces(replaces)).await?,
        None => account.new_order(&NewOrder::new(&identifiers)).await?,
    };
    info!(host, %challenge, order = order.url(), "a certificate is ordered");
    if order.state().status == OrderStatus::Pending {
        prove(&mut order, host, proof).await?;
    }
    match order.state().status {
        OrderStatus::Ready => {}
        other => return Err(Failure::new(Why::Unproven, format!("the order is {other:?} and not ready"))),
    }
    let key = KeyPair::generate().map_err(|error| Failure::local(&error))?;
    let mut request =
        CertificateParams::new(vec![host.to_owned()]).map_err(|error| Failure::local(&error))?;
    request.distinguished_name = DistinguishedName::new();
    let request = request.serialize_request(&key).map_err(|error| Failure::local(&error))?;
    order.finalize_csr(request.der()).await?;
    let chain = order.poll_certificate(&patience()).await?;
    debug!(host, "the certificate has arrived");
    let pair = Pair::parse(chain.into_bytes(), key.serialize_pem().into_bytes(), Provenance::Acme)
        .map_err(|error| Failure::new(Why::Unreachable, format!("the authority's certificate: {error}")))?;
    if !pair.serves(host) {
        let names = pair.names.join(", ");
        return Err(Failure::new(Why::Unreachable, format!("the authority's certificate is for {names}")));
    }
    Ok(pair)
}

/// Answers the challenges of an order until the authority is satisfied.
async fn prove(order: &mut Order, host: &str, proof: &Proof) -> Result<(), Failure> {
    let challenge = proof.challenge;
    // They are taken down when this function ends, however it does.
    let mut notes = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        match authorization.status {
            // Proven a while ago, and still good.
            AuthorizationStatus::Valid => continue,
            AuthorizationStatus::Pending if notes.len() < AUTHORIZATIONS_MAX => {}
            other => {
                return Err(Failure::new(
                    Why::Unproven,
                    format!("the authority's authorization is {other:?}"),
                ));
            }
        }
        let kind = match challenge {
            Challenge::Http01 => ChallengeType::Http01,
            Challenge::TlsAlpn01 => ChallengeType::TlsAlpn01,
            Challenge::Dns01 => ChallengeType::Dns01,
        };
        let Some(mut handle) = authorization.challenge(kind) else {
            return Err(Failure::new(Why::Unproven, format!("the authority does not offer {challenge}")));
        };
        let note = post(&handle, host, proof).await?;
        if !note.answered().await {
            warn!(host, %challenge, "not every worker has said that it answers the challenge: the authority is asked all the same");
        }
        info!(host, %challenge, "the challenge is answered");
        handle.set_ready().await?;
        notes.push(note);
    }
    match order.poll_ready(&patience()).await {
        Ok(OrderStatus::Ready) => Ok(()),
        Ok(_) => Err(refusal(order, challenge).await),
        // An error about the question itself, such as a nonce that was rejected too often, says nothing about the
        // proof.
        Err(error) => match Failure::from(error) {
            Failure { why: Why::Unproven, .. } => Err(refusal(order, challenge).await),
            failure => Err(failure),
        },
    }
}

async fn post(handle: &ChallengeHandle<'_>, host: &str, proof: &Proof) -> Result<Posted, Failure> {
    let authorization = handle.key_authorization();
    let store = &proof.challenge_store;
    match proof.challenge {
        Challenge::Http01 => store.post_http(&handle.token, authorization.as_str()).await.map(Posted::Note),
        Challenge::Dns01 => {
            let hook = proof.dns_hook.as_ref();
            let hook = hook.ok_or_else(|| Failure::new(Why::Local, "no program for DNS-01 is named"))?;
            let record = hook.present(host, authorization.dns_value()).await?;
            Ok(Posted::Record { _record: record })
        }
        Challenge::TlsAlpn01 => {
            let key = KeyPair::generate().map_err(|error| Failure::local(&error))?;
            let mut params =
                CertificateParams::new(vec![host.to_owned()]).map_err(|error| Failure::local(&error))?;
            let digest = authorization.digest();
            params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest.as_ref())];
            let certificate = params.self_signed(&key).map_err(|error| Failure::local(&error))?;
            store.post_alpn(host, certificate.der().to_vec(), key.serialize_der()).await.map(Posted::Note)
        }
    }
}

/// The authority's reasons, quoted: they name what it tried to reach.
async fn refusal(order: &mut Order, challenge: Challenge) -> Failure {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { continue };
        let problem = state.challenges.iter().find_map(|challenge| challenge.error.clone());
        if let Some(problem) = problem {
            return Failure { why: Why::Unproven, ..Error::Api(problem).into() };
        }
    }
    let reported = order.state().error.as_ref().map(ToString::to_string).unwrap_or_default();
    Failure::new(
        Why::Unproven,
        printable(&format!("the authority is not satisfied by {challenge}: {reported}")),
    )
}

fn patience() -> RetryPolicy {
    RetryPolicy::new().initial_delay(POLL_FIRST).backoff(POLL_GROWTH).timeout(POLL_LONGEST)
}

/// The window in which the authority would like `pair` to be renewed, and when to ask again; no window when it does not
/// say such things.
pub(super) async fn suggestion(
    account: &Account,
    pair: &Pair,
) -> Result<(Option<(SystemTime, SystemTime)>, Duration), Failure> {
    let leaf = pair.leaf().ok_or_else(|| Failure::new(Why::Local, "the certificate cannot be read"))?;
    let Ok(identifier) = CertificateIdentifier::try_from(&leaf) else { return Ok((None, Duration::MAX)) };
    match account.renewal_info(&identifier).await {
        Ok((info, again)) => {
            let window = info.suggested_window;
            Ok((Some((window.start.into(), window.end.into())), again))
        }
        Err(Error::Unsupported(_)) => Ok((None, Duration::MAX)),
        Err(error) => Err(error.into()),
    }
}

/// Names a certificate to the authority; `None` for one that cannot be named.
pub(super) fn identifier(pair: &Pair) -> Option<CertificateIdentifier<'static>> {
    CertificateIdentifier::try_from(&pair.leaf()?).ok().map(CertificateIdentifier::into_owned)
}
