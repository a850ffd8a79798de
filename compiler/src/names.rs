//! Texts that must be of a syntax: each type here can only hold what its syntax allows, in canonical form. It must not
//! know trees, fields or where a text stood.

mod excepted;
mod host;
mod protection;
pub(crate) mod suggestion;
mod text;
mod url;
mod word;

pub(crate) use excepted::{Day, PlaceText, PresetName, RuleId};
pub(crate) use host::{Hostname, HostnameOrWildcard, host_text};
pub(crate) use protection::{AddedHeader, OpenApiLeaf, Protection};
pub(crate) use text::{
    Credential, Directory, HeaderName, HeaderValue, MediaType, Method, OneOf, PathPrefix, PlainText,
    RouteName, Template, Version,
};
pub(crate) use url::{Origin, UpstreamUrl, without_credentials};
pub(crate) use word::{Mistake, Word, is_token};
