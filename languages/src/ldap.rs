//! LDAP search filters (RFC 4515) inside values: whole filters, and what closes the filter of an application to open
//! another component. It knows bytes alone, neither places nor rules.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// A thing that a value would do to a directory's filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LdapSign {
    /// A filter of several components, or a pair of components.
    Filter,
    /// A parenthesis closes what the value did not open, and a component follows.
    BreakOut,
    /// A component with a matching rule: `attribute:2.5.13.18:=value`.
    MatchingRule,
}

/// Longest description of an attribute.
const ATTRIBUTE_BYTES_MAX: usize = 64;
/// White space and parentheses between two parts that belong together.
const GAP_BYTES_MAX: usize = 8;

/// Attributes that directories are asked for: two components that stand side by side without an operator need one.
const ATTRIBUTES: &[&[u8]] = &[
    b"c",
    b"cn",
    b"dc",
    b"department",
    b"dn",
    b"employeeid",
    b"gid",
    b"gidnumber",
    b"givenname",
    b"homedirectory",
    b"l",
    b"mail",
    b"member",
    b"memberof",
    b"name",
    b"o",
    b"objectcategory",
    b"objectclass",
    b"objectguid",
    b"objectsid",
    b"ou",
    b"pass",
    b"password",
    b"samaccountname",
    b"sn",
    b"st",
    b"telephonenumber",
    b"title",
    b"uid",
    b"uidnumber",
    b"unicodepwd",
    b"useraccountcontrol",
    b"userid",
    b"username",
    b"userpassword",
    b"userprincipalname",
];

/// Search filters of directories.
#[derive(Debug)]
pub struct Ldap;

impl Language for Ldap {
    type Sign = LdapSign;
    const NAME: &'static str = "ldap";
    const TRIGGERS: &'static [&'static str] =
        &[")(", "(&", "(|", "(!", "( &", "( |", "( !", ")!(", ") (", ":="];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, LdapSign>) {
        let bytes = input.bytes;
        let mut prose = None;
        let mut tell = |sign, offset: usize, length| {
            let prose = *prose.get_or_insert_with(|| prose::has_sentences(bytes, &[]));
            findings.add(sign, Context::of_text(prose), offset, length);
        };
        let mut depth = 0_usize;
        for at in memchr::memchr2_iter(b'(', b')', bytes) {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            if bytes.get(at) == Some(&b'(') {
                depth += 1;
                // Behind a name these are arguments: `if(!(a=b))`, `f(&(x))`.
                let free = at
                    .checked_sub(1)
                    .and_then(|before| bytes.get(before))
                    .is_none_or(|byte| !byte.is_ascii_alphanumeric());
                if free && (combined(rest) || paired(rest)) {
                    tell(LdapSign::Filter, at, rest.len().min(ATTRIBUTE_BYTES_MAX) + 1);
                }
            } else if depth == 0 {
                if reopened(rest) {
                    tell(LdapSign::BreakOut, at, rest.len().min(ATTRIBUTE_BYTES_MAX) + 1);
                }
            } else {
                depth -= 1;
            }
        }
        for at in memchr::memmem::find_iter(bytes, b":=") {
            if let Some(start) = matching_rule(bytes.get(..at).unwrap_or_default()) {
                tell(LdapSign::MatchingRule, start, at + 2 - start);
            }
        }
    }
}

/// Behind an opening parenthesis: an operator, and components that it combines.
fn combined(rest: &[u8]) -> bool {
    let Some((operator, rest)) = operator(rest) else { return false };
    let mut rest = gap(rest);
    let mut negated = operator == b'!';
    // `(&(!(a=b)`: operators may nest; a few levels tell enough.
    for _ in 0..GAP_BYTES_MAX {
        let Some(inside) = rest.strip_prefix(b"(") else { return false };
        if let Some(value) = component(inside) {
            // `(!(a=b))` alone is an expression of many languages.
            return !negated || attribute_is_known(inside) || value.starts_with(b"*");
        }
        let Some((inner, after)) = self::operator(inside) else { return false };
        negated &= inner == b'!';
        rest = gap(after);
    }
    false
}

/// Behind an opening parenthesis: a component of a directory, and another one beside it.
fn paired(rest: &[u8]) -> bool {
    let Some(value) = component(rest) else { return false };
    let Some(end) = memchr::memchr2(b'(', b')', value) else { return false };
    let after = value.get(end..).unwrap_or_default();
    attribute_is_known(rest)
        && after.strip_prefix(b")(").is_some_and(|next| component(next).is_some() || combined(next))
}

/// Behind a closing parenthesis that nothing opened: more of those, then the start of a component or an operator.
fn reopened(rest: &[u8]) -> bool {
    let closed = rest.iter().take(GAP_BYTES_MAX).take_while(|byte| **byte == b')').count();
    let rest = rest.get(closed..).unwrap_or_default();
    let spaced = gap(rest);
    let tight = spaced.len() == rest.len();
    if tight && let Some(next) = rest.strip_prefix(b"!(") {
        return component(next).is_some();
    }
    let opened = spaced.iter().take(GAP_BYTES_MAX).take_while(|byte| **byte == b'(').count();
    if opened == 0 {
        return false;
    }
    let inside = spaced.get(opened..).unwrap_or_default();
    if let Some((_, after)) = operator(inside) {
        let after = gap(after);
        return after.is_empty() || matches!(after.first(), Some(b'(' | b')')) || component(after).is_some();
    }
    tight && component(inside).is_some()
}

/// One of `&`, `|`, `!`, and what follows it.
fn operator(rest: &[u8]) -> Option<(u8, &[u8])> {
    let (&byte, after) = gap(rest).split_first()?;
    matches!(byte, b'&' | b'|' | b'!').then_some((byte, after))
}

/// The value of the component whose attribute `rest` begins with: `attribute=value`, also `>=`, `<=`, `~=`, `:=`.
fn component(rest: &[u8]) -> Option<&[u8]> {
    let length = attribute(rest)?;
    let after = rest.get(length..)?;
    match after {
        [b'=', b'=' | b'>', ..] => None,
        [b'=', value @ ..] | [b'>' | b'<' | b'~' | b':', b'=', value @ ..] => Some(value),
        _ => None,
    }
}

/// Length of the attribute's description at the beginning.
fn attribute(rest: &[u8]) -> Option<usize> {
    let letter = rest.first()?.is_ascii_alphanumeric();
    let byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b';' | b'_');
    let length = rest.iter().take(ATTRIBUTE_BYTES_MAX).take_while(|at| byte(at)).count();
    letter.then_some(length)
}

fn attribute_is_known(rest: &[u8]) -> bool {
    let length = attribute(rest).unwrap_or(0);
    let name = rest.get(..length).unwrap_or_default();
    let name = name.split(|byte| *byte == b';').next().unwrap_or_default();
    ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Where the attribute begins whose matching rule ends `head`.
fn matching_rule(head: &[u8]) -> Option<usize> {
    let window = head.get(head.len().saturating_sub(2 * ATTRIBUTE_BYTES_MAX)..)?;
    let colon = memchr::memrchr(b':', window)?;
    let rule = window.get(colon + 1..)?;
    let numeric = rule.contains(&b'.') && rule.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let named = rule.len() > 8 && rule.ends_with(b"Match") && rule.iter().all(u8::is_ascii_alphanumeric);
    if !(numeric || named || rule.eq_ignore_ascii_case(b"dn")) {
        return None;
    }
    let attribute = window.get(..colon)?;
    let length = attribute
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b';'))
        .count();
    (length > 0).then(|| head.len() - window.len() + colon - length)
}

fn gap(rest: &[u8]) -> &[u8] {
    let spaces = rest.iter().take(GAP_BYTES_MAX).take_while(|byte| byte.is_ascii_whitespace()).count();
    rest.get(spaces..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str) -> Vec<LdapSign> {
        crate::language::signs::<Ldap>(value)
    }

    #[test]
    fn filters_are_read() {
        for (value, sign) in [
            ("(&(uid=root)(!(&(1=0)(mail=x))))", LdapSign::Filter),
            ("*(|(objectclass=*))", LdapSign::Filter),
            ("(uid=a)(cn=*)", LdapSign::Filter),
            ("bar)(&)", LdapSign::BreakOut),
            ("*)!(sn=*", LdapSign::BreakOut),
            ("*)(uid=*))(|(uid=*", LdapSign::BreakOut),
            ("aaa*aaa)(cn>=bob)", LdapSign::BreakOut),
            ("test) ( & ", LdapSign::BreakOut),
            ("admin*)((|userPassword=*)", LdapSign::BreakOut),
            ("userPassword:2.5.13.18:=40", LdapSign::MatchingRule),
            ("cn:caseExactMatch:=Fred", LdapSign::MatchingRule),
        ] {
            assert!(found(value).contains(&sign), "{value}: {:?}", found(value));
        }
    }

    #[test]
    fn everyday_parentheses_are_none() {
        for value in [
            "if(!(a=b)) return",
            "hello(&(*m)[..])",
            "(a+b)(c+d)",
            "1) first (x = 1) 2) second (y = 2)",
            "f(a)(b=1)",
            "x := 5; a:=b",
            ":) (see below)",
            "time 12:30:=",
        ] {
            assert!(found(value).is_empty(), "{value}: {:?}", found(value));
        }
    }

    #[test]
    fn hostile_values_take_linear_time() {
        for piece in ["(", ")", "(&", ")(", ":=", "a:1.1:=", "(a=b)"] {
            found(&piece.repeat(60_000));
        }
    }
}
