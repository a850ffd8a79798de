//! Conditions of exclusions: paths and methods.

/// The requests that an exclusion is for; `None` is any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) methods: Option<Vec<String>>,
    pub(super) paths: Option<Vec<String>>,
}

impl Condition {
    /// Adds the test of a rule: its variables and its operator. The error says why it has no counterpart.
    pub(super) fn add(&mut self, variables: &str, operator: &str) -> Result<(), String> {
        let no_counterpart = || format!("the condition on {variables} has no counterpart");
        let (name, argument) = match operator.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').unwrap_or((rest, "")),
            None => ("rx", operator),
        };
        let argument = argument.trim();
        match variables.to_ascii_uppercase().as_str() {
            "REQUEST_METHOD" if self.methods.is_none() => {
                self.methods = Some(methods(name, argument).ok_or_else(no_counterpart)?);
                Ok(())
            }
            "REQUEST_FILENAME" | "REQUEST_URI" | "REQUEST_URI_RAW" if self.paths.is_none() => {
                self.paths = Some(vec![path(name, argument).ok_or_else(no_counterpart)?]);
                Ok(())
            }
            _ => Err(no_counterpart()),
        }
    }
}

fn methods(operator: &str, argument: &str) -> Option<Vec<String>> {
    let listed: Vec<&str> = match operator {
        "streq" => vec![argument],
        "within" | "pm" => argument.split([' ', ',']).filter(|word| !word.is_empty()).collect(),
        "rx" => {
            let inner = argument.strip_prefix('^')?.strip_suffix('$')?;
            let inner = inner.strip_prefix("(?:").or_else(|| inner.strip_prefix('(')).unwrap_or(inner);
            inner.strip_suffix(')').unwrap_or(inner).split('|').collect()
        }
        _ => return None,
    };
    let is_method = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
    (!listed.is_empty() && listed.iter().all(is_method))
        .then(|| listed.iter().map(|word| (*word).to_owned()).collect())
}

/// A pattern that no path matches which the operator does not.
fn path(operator: &str, argument: &str) -> Option<String> {
    let (text, begins, ends) = match operator {
        "streq" => (argument.to_owned(), true, true),
        "beginsWith" => (argument.to_owned(), true, false),
        "endsWith" => (argument.to_owned(), false, true),
        "rx" => {
            let simple = simple_regex(argument)?;
            (simple.text, simple.begins, simple.ends)
        }
        _ => return None,
    };
    let is_path = text.starts_with('/')
        && !text.contains(['*', '?', '#', '%', ';', '\\', '"', '\''])
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let inner = text.trim_end_matches('/');
    match (is_path, begins, ends) {
        (true, true, true) => Some(text),
        (true, true, false) => Some(format!("{inner}/*")),
        (true, false, true) => Some(format!("/**{text}")),
        _ => None,
    }
}

/// A regular expression that is a plain text, perhaps at an end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) text: String,
    /// True if it stands at the beginning.
    pub(super) begins: bool,
    /// True if it stands at the end.
    pub(super) ends: bool,
}

/// The text of an expression without any choice in it.
pub(super) fn simple_regex(regex: &str) -> Option<Simple> {
    let (begins, regex) = regex.strip_prefix('^').map_or((false, regex), |rest| (true, rest));
    let (ends, regex) = regex.strip_suffix('$').map_or((false, regex), |rest| (true, rest));
    let mut text = String::new();
    let mut chars = regex.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().filter(|next| matches!(next, '.' | '-' | '/' | '_' | '[' | ']'))?),
            c if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '=') => text.push(c),
            _ => return None,
        }
    }
    (!text.is_empty()).then_some(Simple { text, begins, ends })
}
