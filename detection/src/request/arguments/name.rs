//! Names of parameters: decoded on the stack, grouped as frameworks group them, and recognised as those of session cookies.

use waf_shared::limits;

/// Longer names are no session's.
pub(super) const NAME_BYTES_MAX: usize = 64;

/// Certainty that a name is a session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Session {
    /// The cookie of a known server or framework; no application invents that name.
    Cookie,
    /// A name that says "session identifier"; interfaces for programs use such names too.
    Generic,
}

/// Names of session cookies, in lower case, without `-`, `_`, `.` and the prefixes of secure cookies, sorted.
const COOKIES: &[&str] = &[
    "authjssessiontoken",
    "beakersessionid",
    "bottlesession",
    "cakephp",
    "cfid",
    "cfsid",
    "cftoken",
    "cisession",
    "connectsid",
    "expresssid",
    "flasksession",
    "hapisid",
    "jservsession",
    "jwsession",
    "koasess",
    "koasid",
    "laravelsession",
    "meteorlogintoken",
    "nextauthsessiontoken",
    "nodesid",
    "phpsession",
    "phxsession",
    "playsession",
    "pyramidsession",
    "racksession",
    "railssession",
    "sailssid",
    "shinytoken",
    "sinatrasession",
    "symfonysession",
    "weblogicsession",
    "yiisession",
];

/// Reads `name`, coded as in a query.
pub(super) fn session_kind(name: &[u8]) -> Option<Session> {
    if name.len() < 4 || name.len() > 3 * NAME_BYTES_MAX {
        return None;
    }
    let (mut decoded, mut buffer) = ([0; NAME_BYTES_MAX], [0; NAME_BYTES_MAX]);
    let decoded = decode(name, &mut decoded)?;
    let decoded = ["__host-", "__secure-"]
        .iter()
        .find_map(|prefix| {
            let front = decoded.get(..prefix.len())?;
            front.eq_ignore_ascii_case(prefix.as_bytes()).then(|| decoded.get(prefix.len()..)).flatten()
        })
        .unwrap_or(decoded);
    let mut length = 0;
    for byte in decoded.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b'.')) {
        *buffer.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    let plain = buffer.get(..length)?;
    let ends = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end.as_bytes()));
    if COOKIES.binary_search_by(|known| known.as_bytes().cmp(plain)).is_ok()
        || plain.starts_with(b"aspsessionid")
        || ["phpsess", "jsess", "aspnetsess"].iter().any(|start| plain.starts_with(start.as_bytes()))
    {
        Some(Session::Cookie)
    } else if ends(&["sessionid", "sessid", "sessiontoken", "sessionkey"]) {
        Some(Session::Generic)
    } else {
        None
    }
}

/// The number that array syntax gives an argument, if any: 3 in `a[3]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Index(Option<u32>);

/// Appends the name by which frameworks group arguments to `out`: decoded, in small letters, without the `[]` or `[0]` of an
/// array. `None`, and nothing appended, when the name is too long.
pub(crate) fn plain_name(coded: &[u8], out: &mut Vec<u8>) -> Option<Index> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if coded.len() <= limits::ARGUMENT_NAME_BYTES_MAX && coded.iter().all(is_plain) {
        out.extend(coded.iter().map(u8::to_ascii_lowercase));
        return Some(Index(None));
    }
    decoded_name(coded, out)
}

fn decoded_name(coded: &[u8], out: &mut Vec<u8>) -> Option<Index> {
    let mut buffer = [0; limits::ARGUMENT_NAME_BYTES_MAX];
    let mut name = decode(coded, &mut buffer)?;
    let mut index = None;
    while let Some(inner) = name.strip_suffix(b"]") {
        let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (front, number) = inner.split_at_checked(inner.len() - digits).unwrap_or_default();
        let Some(front) = front.strip_suffix(b"[") else { break };
        index = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).or(index);
        name = front;
    }
    out.extend(name.iter().map(u8::to_ascii_lowercase));
    Some(Index(index))
}

/// Takes percent coding off; `None` when the result does not fit.
pub(crate) fn decode<'b>(coded: &[u8], buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let mut length = 0;
    let mut rest = coded;
    while let Some((&byte, after)) = rest.split_first() {
        let escape = match after {
            [high, low, ..] if byte == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        let (byte, after) = match (escape, byte) {
            (Some((high, low)), _) => (high << 4 | low, after.get(2..).unwrap_or_default()),
            (None, b'+') => (b' ', after),
            (None, byte) => (byte, after),
        };
        *buffer.get_mut(length)? = byte;
        length += 1;
        rest = after;
    }
    buffer.get(..length)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_cookies_are_known_in_any_spelling() {
        assert!(COOKIES.is_sorted());
        for name in [
            "PHPSESSID",
            "phpsession",
            "JSESSIONID",
            "ASPSESSIONIDQQRT",
            "ASP.NET_SessionId",
            "connect.sid",
            "cftoken",
            "__Secure-next-auth.session-token",
            "_flask_session",
            "PHPSESSI%44",
        ] {
            assert_eq!(session_kind(name.as_bytes()), Some(Session::Cookie), "{name}");
        }
        for name in ["session_id", "session-id", "sessionId", "_session_id", "user_sessid"] {
            assert_eq!(session_kind(name.as_bytes()), Some(Session::Generic), "{name}");
        }
        for name in
            ["session", "sid", "id", "assessment", "obsession", "token", "session_name", "csrf_token", ""]
        {
            assert_eq!(session_kind(name.as_bytes()), None, "{name}");
        }
    }
}
