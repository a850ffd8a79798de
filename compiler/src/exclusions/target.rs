//! Targets of rules, such as `ARGS:content` and `REQUEST_COOKIES:/__utm/`, as places.

use waf_detection::exceptions::parse;

use super::condition::simple_regex;

/// The targets of a list; a comma or a bar inside a regular expression divides nothing.
pub(super) fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut in_regex, mut before) = (0, false, ' ');
    for (at, c) in list.char_indices() {
        match c {
            '/' if in_regex => in_regex = before == '\\',
            '/' => in_regex = matches!(before, ':' | '\''),
            ',' | '|' if !in_regex => {
                parts.push(list.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(list.get(start..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The places of a target; the error says why there are none.
pub(super) fn places(text: &str) -> Result<Vec<String>, String> {
    let (collection, name) = match text.split_once(':') {
        Some((collection, name)) => (collection, Some(name.trim_matches('\''))),
        None => (text, None),
    };
    let name = name.map(pattern).transpose()?;
    let upper = collection.to_ascii_uppercase();
    let found = match (upper.as_str(), name.as_deref()) {
        ("ARGS" | "ARGS_GET" | "ARGS_POST", Some(name)) => arguments(name),
        ("ARGS" | "ARGS_GET" | "ARGS_POST", None) => vec!["ARGS".to_owned(), "ARGS:*".to_owned()],
        ("ARGS_NAMES" | "ARGS_GET_NAMES" | "ARGS_POST_NAMES", None) => vec!["ARGS_NAMES".to_owned()],
        ("REQUEST_COOKIES", name) => vec![format!("COOKIES:{}", name.unwrap_or("*"))],
        ("REQUEST_COOKIES_NAMES", None) => vec!["COOKIE_NAMES".to_owned()],
        ("REQUEST_HEADERS", name) => vec![format!("HEADERS:{}", name.unwrap_or("*"))],
        ("FILES", name) => vec![format!("FILES:{}", name.unwrap_or("*"))],
        ("REQUEST_BODY", None) => vec!["BODY".to_owned()],
        ("REQUEST_FILENAME" | "REQUEST_URI" | "REQUEST_URI_RAW" | "REQUEST_BASENAME", None) => {
            vec!["PATH".to_owned(), "PATH_SEGMENT".to_owned()]
        }
        ("XML", Some(_)) => {
            return Err("an XPath has no counterpart: name the elements, `XML:note/text`".to_owned());
        }
        ("ARGS_NAMES" | "ARGS_GET_NAMES" | "ARGS_POST_NAMES" | "REQUEST_COOKIES_NAMES", Some(_)) => {
            return Err("single names have no place of their own".to_owned());
        }
        _ => return Err("no place holds the same values".to_owned()),
    };
    match found.iter().find(|place| parse(place).is_err()) {
        Some(_) => Err("the name cannot be written as a place".to_owned()),
        None => Ok(found),
    }
}

/// An argument; `json.a.0.b` is how values of JSON are named there.
fn arguments(name: &str) -> Vec<String> {
    let mut places = vec![format!("ARGS:{name}")];
    if let Some(path) = name.strip_prefix("json.") {
        let is_key = |part: &&str| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit());
        let keys: Vec<&str> = path.split('.').filter(is_key).collect();
        places.push(format!("JSON:{}", keys.join(".")));
    }
    places
}

/// A name, or a regular expression of a name that wildcards can say. A star or a percent sign of the name itself is coded.
fn pattern(name: &str) -> Result<String, String> {
    let Some(regex) = name.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        return Ok(name.replace('%', "%25").replace('*', "%2A"));
    };
    let simple = simple_regex(regex).ok_or("the regular expression is more than wildcards can say")?;
    let front = if simple.begins { "" } else { "*" };
    let back = if simple.ends { "" } else { "*" };
    Ok(format!("{front}{}{back}", simple.text))
}
