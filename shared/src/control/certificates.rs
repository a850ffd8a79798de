//! State that workers need to speak TLS: certificates with their keys, ticket keys, and answers to an authority's
//! challenges. Each message is a whole state that replaces the one before. Keys never show in [`std::fmt::Debug`].

use std::fmt;

use bincode::{Decode, Encode};

use crate::limits::{
    CERTIFICATES_MAX, CHAIN_BYTES_MAX, CHALLENGE_BYTES_MAX, CHALLENGES_MAX, PRIVATE_KEY_BYTES_MAX,
    TICKET_KEYS_MAX,
};

/// Bytes that are never shown.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Secret(pub Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.0.len())
    }
}

/// Every certificate that is to be served, by server name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Certificates {
    /// At most [`CERTIFICATES_MAX`]; a later one takes a name from an earlier one.
    pub pairs: Vec<CertificatePair>,
}

/// A certificate chain and its key.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct CertificatePair {
    /// Server names that it serves: lower case, without a final dot, `*.domain` for one label below a domain.
    pub names: Vec<String>,
    /// PEM, the server's own certificate first.
    pub chain_pem: Vec<u8>,
    /// PEM of a PKCS#8, PKCS#1 or SEC 1 private key.
    pub key_pem: Secret,
}

/// Keys of session tickets, the same in all workers, so that each resumes what another began.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Tickets {
    /// The first one makes tickets, all open them; at most [`TICKET_KEYS_MAX`].
    pub keys: Vec<TicketKey>,
}

/// A key of session tickets.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct TicketKey {
    /// Prefix of every ticket that the key made.
    pub name: [u8; 16],
    /// 32 bytes for AES-256-GCM.
    pub secret: Secret,
}

/// Answers to the challenges of a certificate authority that are open now (RFC 8555 section 8).
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Challenges {
    /// Grows with every change. A worker says when it answers these: an authority asks at once.
    pub revision: u64,
    /// For port 80.
    pub http: Vec<HttpChallenge>,
    /// For port 443.
    pub alpn: Vec<AlpnChallenge>,
}

/// HTTP-01 (RFC 8555 section 8.3).
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct HttpChallenge {
    /// Last segment of the path.
    pub token: String,
    /// Body of the answer.
    pub key_authorization: String,
}

/// TLS-ALPN-01 (RFC 8737).
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct AlpnChallenge {
    /// Server name, lower case.
    pub host: String,
    /// The self-signed certificate that carries the authorization's digest.
    pub certificate_der: Vec<u8>,
    /// Its key, PKCS#8.
    pub key_der: Secret,
}

/// A state beyond its bound, which can be neither sent nor taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Over [`CERTIFICATES_MAX`].
    #[error("{0} certificates, more than {CERTIFICATES_MAX}")]
    Certificates(usize),
    /// A chain over [`CHAIN_BYTES_MAX`] or a key over [`PRIVATE_KEY_BYTES_MAX`].
    #[error(
        "the certificate of {0} takes more than {CHAIN_BYTES_MAX} bytes, or its key more than {PRIVATE_KEY_BYTES_MAX}"
    )]
    Pair(String),
    /// Over [`CHALLENGES_MAX`] or [`CHALLENGE_BYTES_MAX`].
    #[error("more than {CHALLENGES_MAX} challenges, or one of more than {CHALLENGE_BYTES_MAX} bytes")]
    Challenges,
    /// None, or over [`TICKET_KEYS_MAX`].
    #[error("{0} ticket keys, not 1 to {TICKET_KEYS_MAX}")]
    Tickets(usize),
}

impl Certificates {
    /// Checks its bounds.
    pub fn bounded(&self) -> Result<(), Excess> {
        if self.pairs.len() > CERTIFICATES_MAX {
            return Err(Excess::Certificates(self.pairs.len()));
        }
        let is_large = |pair: &&CertificatePair| {
            pair.chain_pem.len() > CHAIN_BYTES_MAX || pair.key_pem.0.len() > PRIVATE_KEY_BYTES_MAX
        };
        match self.pairs.iter().find(is_large) {
            Some(pair) => Err(Excess::Pair(pair.names.first().cloned().unwrap_or_default())),
            None => Ok(()),
        }
    }
}

impl Tickets {
    /// Checks its bounds.
    pub fn bounded(&self) -> Result<(), Excess> {
        match self.keys.len() {
            1..=TICKET_KEYS_MAX => Ok(()),
            other => Err(Excess::Tickets(other)),
        }
    }
}

impl Challenges {
    /// Checks its bounds.
    pub fn bounded(&self) -> Result<(), Excess> {
        let is_small = |bytes: usize| bytes <= CHALLENGE_BYTES_MAX;
        let fits = self.http.len() <= CHALLENGES_MAX
            && self.alpn.len() <= CHALLENGES_MAX
            && self.http.iter().all(|one| is_small(one.token.len() + one.key_authorization.len()))
            && self.alpn.iter().all(|one| is_small(one.certificate_der.len() + one.key_der.0.len()));
        if fits { Ok(()) } else { Err(Excess::Challenges) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(chain_bytes: usize, key_bytes: usize) -> CertificatePair {
        CertificatePair {
            names: vec!["a.example".to_owned()],
            chain_pem: vec![b'c'; chain_bytes],
            key_pem: Secret(vec![b'k'; key_bytes]),
        }
    }

    #[test]
    fn keys_are_never_shown() {
        let text = format!("{:?}", Certificates { pairs: vec![pair(1, 3)] });
        assert!(text.contains("Secret(3 bytes)") && !text.contains("107"), "{text}");
    }

    #[test]
    fn states_are_bounded() {
        let certificates = |pair: CertificatePair, count| Certificates { pairs: vec![pair; count] };
        assert_eq!(certificates(pair(CHAIN_BYTES_MAX, PRIVATE_KEY_BYTES_MAX), 2).bounded(), Ok(()));
        let too_large = Err(Excess::Pair("a.example".to_owned()));
        assert_eq!(certificates(pair(CHAIN_BYTES_MAX + 1, 1), 1).bounded(), too_large);
        assert_eq!(certificates(pair(1, PRIVATE_KEY_BYTES_MAX + 1), 1).bounded(), too_large);
        let too_many = CERTIFICATES_MAX + 1;
        assert_eq!(certificates(pair(1, 1), too_many).bounded(), Err(Excess::Certificates(too_many)));

        let key = TicketKey { name: [0; 16], secret: Secret(vec![0; 32]) };
        for (count, fits) in [(0, false), (1, true), (TICKET_KEYS_MAX, true), (TICKET_KEYS_MAX + 1, false)] {
            assert_eq!(Tickets { keys: vec![key.clone(); count] }.bounded().is_ok(), fits, "{count}");
        }

        let http = |count, bytes| Challenges {
            http: vec![HttpChallenge { token: "t".repeat(bytes), key_authorization: String::new() }; count],
            ..Challenges::default()
        };
        assert_eq!(http(CHALLENGES_MAX, CHALLENGE_BYTES_MAX).bounded(), Ok(()));
        assert_eq!(http(CHALLENGES_MAX + 1, 1).bounded(), Err(Excess::Challenges));
        assert_eq!(http(1, CHALLENGE_BYTES_MAX + 1).bounded(), Err(Excess::Challenges));
    }
}
