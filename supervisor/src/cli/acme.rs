//! Options of the command line about the certificate authority and the account there.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use clap::{Args, ValueEnum};

use waf_certificates::acme::{AcmeSettings, Binding, Challenge, DEFAULT_DIRECTORY};

/// Which authority issues certificates in modes 1 and 2, and to whom.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Certificates (modes 1 and 2)")]
pub struct Acme {
    /// Directory URL of the certificate authority; using one means to agree to its terms
    #[arg(long, value_name = "URL", env = "WAF_ACME_DIRECTORY", default_value = DEFAULT_DIRECTORY, value_parser = directory)]
    pub acme_directory: String,
    /// Contacts of the account there, e-mail addresses mostly
    #[arg(long, value_name = "ADDRESS,ADDRESS", env = "WAF_ACME_CONTACT", value_delimiter = ',', value_parser = contact)]
    pub acme_contact: Vec<Option<String>>,
    /// Key identifier for authorities that ask for an external account binding
    #[arg(long, value_name = "ID", env = "WAF_ACME_EAB_KID", requires = "acme_eab_key")]
    pub acme_eab_kid: Option<String>,
    /// Its MAC key in base64url; better given by the variable
    #[arg(long, value_name = "KEY", env = "WAF_ACME_EAB_KEY", hide_env_values = true, requires = "acme_eab_kid", value_parser = mac_key)]
    pub acme_eab_key: Option<MacKey>,
    /// Trust this root in PEM, and no other, when talking to the authority
    #[arg(long, value_name = "FILE", env = "WAF_ACME_ROOT")]
    pub acme_root: Option<PathBuf>,
    /// Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]
    #[arg(
        long,
        value_name = "TYPE,TYPE",
        env = "WAF_ACME_CHALLENGES",
        value_delimiter = ',',
        requires_if("dns-01", "acme_dns_hook")
    )]
    pub acme_challenges: Vec<Way>,
    /// Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered
    #[arg(long, value_name = "PROGRAM", env = "WAF_ACME_DNS_HOOK", value_parser = program)]
    pub acme_dns_hook: Option<PathBuf>,
}

/// A challenge type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// On port 80.
    #[value(name = "http-01")]
    Http01,
    /// On port 443.
    #[value(name = "tls-alpn-01")]
    TlsAlpn01,
    /// In the zone.
    #[value(name = "dns-01")]
    Dns01,
}

impl Way {
    fn challenge(self) -> Challenge {
        match self {
            Way::Http01 => Challenge::Http01,
            Way::TlsAlpn01 => Challenge::TlsAlpn01,
            Way::Dns01 => Challenge::Dns01,
        }
    }
}

/// A key that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct MacKey(Vec<u8>);

impl std::fmt::Debug for MacKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MacKey({} bytes)", self.0.len())
    }
}

impl Acme {
    /// As the rest of the program knows it.
    pub fn settings(&self) -> AcmeSettings {
        let binding = match (&self.acme_eab_kid, &self.acme_eab_key) {
            // Variables that are set and empty say nothing.
            (Some(key_id), Some(key)) if !key_id.is_empty() && !key.0.is_empty() => {
                Some(Binding { key_id: key_id.clone(), key: key.0.clone() })
            }
            _ => None,
        };
        AcmeSettings {
            directory: self.acme_directory.clone(),
            contacts: self.acme_contact.iter().flatten().cloned().collect(),
            binding,
            root: self.acme_root.clone().filter(|path| !path.as_os_str().is_empty()),
            challenges: self.challenges(),
            dns_hook: self.hook().cloned(),
        }
    }

    fn hook(&self) -> Option<&PathBuf> {
        self.acme_dns_hook.as_ref().filter(|path| !path.as_os_str().is_empty())
    }

    fn challenges(&self) -> Vec<Challenge> {
        match (self.acme_challenges.as_slice(), self.hook()) {
            ([], Some(_)) => vec![Challenge::Dns01],
            ([], None) => AcmeSettings::default().challenges,
            (ways, _) => ways.iter().map(|way| way.challenge()).collect(),
        }
    }
}

fn directory(text: &str) -> Result<String, String> {
    let text = text.trim();
    let rest = text.strip_prefix("https://").unwrap_or_default();
    if rest.is_empty() || rest.starts_with('/') || text.contains(char::is_whitespace) {
        return Err("it has to begin with `https://` and name a host".to_owned());
    }
    Ok(text.to_owned())
}

/// Nothing between commas, and an empty variable, is `None`.
fn contact(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    match text {
        "" => Ok(None),
        _ if text.contains(|c: char| c.is_whitespace() || c.is_control()) => {
            Err("a contact has no white space".to_owned())
        }
        _ if text.contains(':') => Ok(Some(text.to_owned())),
        _ if text.contains('@') => Ok(Some(format!("mailto:{text}"))),
        _ => Err(format!("`{text}` is neither an e-mail address nor a URL")),
    }
}

/// The program runs in the root folder.
fn program(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_absolute() || text.is_empty() {
        Ok(path)
    } else {
        Err("it has to be an absolute path".to_owned())
    }
}

fn mac_key(text: &str) -> Result<MacKey, String> {
    let text = text.trim();
    let decoded = URL_SAFE_NO_PAD.decode(text).or_else(|_| URL_SAFE.decode(text));
    decoded.map(MacKey).map_err(|_| "it is not base64url".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        acme: Acme,
    }

    fn parse(arguments: &[&str]) -> Result<Acme, clap::Error> {
        Cli::try_parse_from(["waf"].iter().chain(arguments)).map(|cli| cli.acme)
    }

    #[test]
    fn lets_encrypt_by_both_challenges_unless_told_otherwise() {
        let settings = parse(&[]).unwrap().settings();
        assert_eq!(settings.directory, "https://acme-v02.api.letsencrypt.org/directory");
        assert_eq!(settings.challenges, [Challenge::Http01, Challenge::TlsAlpn01]);
        assert!(settings.contacts.is_empty() && settings.binding.is_none() && settings.root.is_none());
    }

    #[test]
    fn words_become_settings_and_the_key_is_never_shown() {
        let acme = parse(&[
            "--acme-directory=https://ca.example/dir",
            "--acme-contact=ops@a.example,mailto:b@a.example,",
            "--acme-eab-kid=kid-1",
            "--acme-eab-key=c2VjcmV0",
            "--acme-challenges=tls-alpn-01",
        ])
        .unwrap();
        assert!(!format!("{acme:?}").contains("secret") && !format!("{acme:?}").contains("115, 101"));
        let settings = acme.settings();
        assert_eq!(settings.contacts, ["mailto:ops@a.example", "mailto:b@a.example"]);
        let binding = settings.binding.unwrap();
        assert_eq!((binding.key_id.as_str(), binding.key.as_slice()), ("kid-1", &b"secret"[..]));
        assert_eq!(settings.challenges, [Challenge::TlsAlpn01]);
        assert!(parse(&["--acme-eab-kid=", "--acme-eab-key="]).unwrap().settings().binding.is_none());
    }

    #[test]
    fn a_hook_brings_dns_01_and_wildcards() {
        use Challenge::{Dns01, Http01, TlsAlpn01};

        let of = |arguments: &[&str]| {
            let settings = parse(arguments).unwrap().settings();
            (settings.challenges.clone(), settings.proves_wildcards(), settings.challenge("*.a.example", 0))
        };
        let hook = "--acme-dns-hook=/usr/local/bin/hook";
        assert_eq!(of(&[hook]), (vec![Dns01], true, Dns01));
        assert_eq!(of(&[hook, "--acme-challenges=http-01"]), (vec![Http01], true, Dns01));
        assert_eq!(of(&[hook, "--acme-challenges=http-01,dns-01"]), (vec![Http01, Dns01], true, Dns01));
        assert_eq!(of(&["--acme-challenges=tls-alpn-01"]).0, [TlsAlpn01]);
        assert!(!of(&[]).1);
    }

    #[test]
    fn what_makes_no_sense_is_wrong_usage() {
        for arguments in [
            &["--acme-directory=http://ca.example/dir"][..],
            &["--acme-directory=https://"],
            &["--acme-contact=somebody"],
            &["--acme-eab-kid=kid-1"],
            &["--acme-eab-key=c2VjcmV0"],
            &["--acme-eab-kid=k", "--acme-eab-key=***"],
            &["--acme-challenges=dns-01"],
            &["--acme-challenges=http-01,dns-01"],
            &["--acme-challenges=dns-02"],
            &["--acme-dns-hook=hook"],
        ] {
            assert_eq!(parse(arguments).unwrap_err().exit_code(), 2, "{arguments:?}");
        }
    }
}
