//! Default bodies of our own answers: JSON for programs, a page for people. Neither says more than the other.

use crate::refusal::RefusalKind;

/// The JSON of an answer. A request id is made of `[A-Za-z0-9._-]`, so that it stands as it is.
pub(super) fn json(kind: RefusalKind, request_id: &str) -> String {
    format!("{{\"error\":\"{}\",\"request_id\":\"{request_id}\"}}\n", kind.as_str())
}

/// The page of an answer. It loads nothing and has no style or script: it is shown under any content security policy.
pub(super) fn html(kind: RefusalKind, title: &str, request_id: &str) -> String {
    let sentence = sentence(kind);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n</head>\n\
         <body>\n<h1>{title}</h1>\n<p>{sentence}</p>\n<p>Request id: <code>{request_id}</code></p>\n</body>\n</html>\n"
    )
}

/// The answer in one sentence. A refused client learns no reason.
fn sentence(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Blocked => "The request was refused.",
        RefusalKind::NotFound => "There is no such page.",
        RefusalKind::BadGateway => "The server did not answer as it should. Try again later.",
        RefusalKind::GatewayTimeout => "The server did not answer in time. Try again later.",
        RefusalKind::Unavailable => "The server cannot answer at the moment. Try again later.",
        RefusalKind::Timeout => "The request did not arrive in time.",
        RefusalKind::Misdirected => "This server does not answer for this host here.",
        RefusalKind::Preflight | RefusalKind::Redirect | RefusalKind::Challenge => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_sentence_and_the_request_id() {
        for kind in [
            RefusalKind::Blocked,
            RefusalKind::NotFound,
            RefusalKind::BadGateway,
            RefusalKind::GatewayTimeout,
            RefusalKind::Unavailable,
            RefusalKind::Timeout,
            RefusalKind::Misdirected,
        ] {
            let page = html(kind, "Title", "id-1");
            assert!(page.contains("<h1>Title</h1>") && page.contains("<code>id-1</code>"), "{page}");
            assert!(
                page.contains(&format!("<p>{}</p>", sentence(kind))) && !sentence(kind).is_empty(),
                "{page}"
            );
            assert!(json(kind, "id-1").ends_with(",\"request_id\":\"id-1\"}\n"));
        }
    }
}
