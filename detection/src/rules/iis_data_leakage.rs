//! Rules of this bucket: what IIS and ASP.NET tell of themselves in error pages.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response_pattern::{Kind, MatchContext};
use crate::response_pattern::{checked, leads, raw, spoken};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&INSTALL_PATH, &AVAILABILITY, &ERROR_PAGE]], detectors: &[] };

static INSTALL_PATH: Rule = Rule {
    id: "iis-data-leakage-install-paths/path",
    leaf: Leaf::IisDataLeakageInstallPaths,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("inetpub", "", is_path),
        checked("Inetpub", "", is_path),
        checked("INETPUB", "", is_path),
        checked("InetPub", "", is_path),
    ]),
    summary: "The response names a path in the folder that IIS serves from.",
    attacks: &[
        "C:\\inetpub ",
        "Could not find file 'D:\\Inetpub\\wwwroot\\shop\\prices.xml'.",
        "   at Shop.Cart.Pay() in c:\\inetpub\\wwwroot\\shop\\Cart.cs:line 12",
        "<b> Source File: </b> c:\\inetpub\\wwwroot\\shop\\default.aspx<b> &nbsp;&nbsp; Line: </b> 14",
        "{\"ExceptionMessage\":\"Access to the path 'C:\\\\inetpub\\\\wwwroot\\\\app\\\\log.txt' is denied.\"}",
        "\\inetpub ",
    ],
    benign: &[
        "<p>By default the site lives in <code>C:\\inetpub\\wwwroot</code>.</p>",
        "Copy the files to the folder C:\\inetpub\\wwwroot and restart the service.",
        "The inetpub folder is made by the installer.",
        "{\"title\":\"C:\\\\inetpub\\\\wwwroot is empty\"}",
    ],
};

/// A path, where an error names it: at the beginning of what is said, in quotes after an error's words, as a source line.
fn is_path(context: &MatchContext<'_>) -> bool {
    let before = context.before();
    let Some(rest) = before.strip_suffix(b"\\").or_else(|| before.strip_suffix(b"/")) else { return false };
    let rest = rest.strip_suffix(b"\\").unwrap_or(rest);
    let drive = match rest {
        [.., letter, b':'] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    };
    let lead = rest.get(..rest.len() - drive).unwrap_or_default();
    if lead.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\\' | b'/' | b'.')) {
        return false;
    }
    let path =
        context.after().split(|byte| matches!(byte, b'\n' | b'<' | b'\'' | b'"')).next().unwrap_or_default();
    let is_source_line = memchr::memmem::find(path, b":line ").is_some() && lead.ends_with(b" in ");
    let is_file_error =
        lead.strip_suffix(b"'").or_else(|| lead.strip_suffix(b"&#39;")).is_some_and(|words| {
            [&b"file "[..], b"path ", b"directory ", b"assembly "].iter().any(|word| words.ends_with(word))
        });
    let is_page_fact = [&b"Source File: </b> "[..], b"Physical Path</th><td>", b"Source File:</b> "]
        .iter()
        .any(|label| lead.ends_with(label));
    let back = context.back(before.len() - lead.len());
    // A sentence that begins with the path goes on in words.
    let tail = path.split(u8::is_ascii_whitespace).nth(1).unwrap_or_default();
    is_page_fact
        || context.is_spoken() && (is_source_line || is_file_error)
        || tail.is_empty() && back.leads()
}

static AVAILABILITY: Rule = Rule {
    id: "iis-data-leakage-availability-errors/message",
    leaf: Leaf::IisDataLeakageAvailabilityErrors,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        spoken("Microsoft OLE DB Provider for ", "~error '8"),
        spoken("Microsoft OLE DB Provider for ", "~(0x8"),
        spoken("Provider error '8", "@'"),
        raw("<title>Server Application Unavailable</title>", ""),
        raw("<title>Server Application Error</title>", ""),
        checked("Server Application Unavailable", "", is_failure),
        raw("<h2>part of the server has crashed or it has a configuration error", ""),
        raw("<h2>Part of the server has crashed or it has a configuration error", ""),
        leads("cannot connect to the server: timed out", ""),
        leads("Cannot connect to the server: timed out", ""),
        leads("Active Server Pages", " error '"),
        leads("Microsoft VBScript ", "@ error '8"),
        leads("Microsoft VBScript ", "@ error &"),
    ]),
    summary: "The response reports that IIS or what it runs is down, in the server's own words.",
    attacks: &[
        "<font face=\"Arial\" size=2>Microsoft OLE DB Provider for SQL Server</font> <font face=\"Arial\" size=2>error '80004005'</font><p>Timeout expired",
        "<html><head><title>Server Application Unavailable</title></head></html>",
        "<h1>Internal Server Error</h1><h2>Part of the server has crashed or it has a configuration error.</h2>",
        "Cannot connect to the server: timed out",
        "<p>Microsoft VBScript runtime error '800a000d'</p><p>Type mismatch</p>",
    ],
    benign: &[
        "The shop is down for maintenance until noon.",
        "<p>How to choose a Microsoft OLE DB Provider for your database</p>",
        "<code>Cannot connect to the server: timed out</code>",
    ],
};

/// A server that fails says so with its status.
fn is_failure(context: &MatchContext<'_>) -> bool {
    context.is_failure()
}

static ERROR_PAGE: Rule = Rule {
    id: "iis-data-leakage-version-headers/error-page",
    leaf: Leaf::IisDataLeakageVersionHeaders,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("<title>", "", is_error_title),
        checked("<TITLE>", "", is_error_title),
        checked("Server Error in ", "'~' Application", is_application_error),
        checked("Server Error in ", "&#39;~&#39; Application", is_application_error),
        spoken("Version Information:", "~Microsoft .NET Framework Version:"),
        spoken("Microsoft .NET Framework Version:", "~ASP.NET Version:#"),
        checked("HTTP Error ", "###.", is_detailed_status),
        leads("Server Error in Application \"", ""),
    ]),
    summary: "The response is a detailed error page of IIS or ASP.NET.",
    attacks: &[
        "<title>404.14 - URL too long.</title>",
        "<title>IIS 10.0 Detailed Error - 404.0 - Not Found</title>",
        "<title>Runtime Error</title><body><H1>Server Error in '/' Application.<hr width=100%></H1>",
        "<b>Version Information:</b>&nbsp;Microsoft .NET Framework Version:4.0.30319; ASP.NET Version:4.8.4494.0",
        "<title>500 - Internal server error.</title>",
        "<h2>HTTP Error 404.2 - Not Found</h2>",
        "Server Error in '/' Application. Runtime Error",
    ],
    benign: &[
        "<title>404 - Page not found | Shop</title>",
        "<title>500 - the best recipes</title>",
        "<title>12.5 - inch laptops</title>",
        "<p>An HTTP Error 404.2 - whatever its cause - is easy to mend.</p>",
        "<h2>What is a Server Error in '/' Application?</h2>",
        "<title>Server Error in '/' Application - Questions</title>",
    ],
};

/// `404.14 - URL too long.`, `500 - Internal server error.`, `IIS 10.0 Detailed Error`: the titles that IIS gives.
fn is_error_title(context: &MatchContext<'_>) -> bool {
    let title = context.after().get("<title>".len()..).unwrap_or_default();
    let title = title.split(|byte| *byte == b'<').next().unwrap_or_default().trim_ascii();
    if title.starts_with(b"IIS ") {
        return memchr::memmem::find(title, b"Detailed Error - ").is_some();
    }
    let status = title.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = title.get(status..).unwrap_or_default();
    let detail = match rest.split_first() {
        Some((b'.', digits)) => digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let is_status = status == 3 && matches!(title.first(), Some(b'4' | b'5'));
    let own =
        [&b"Internal server error."[..], b"File or directory not found.", b"Forbidden: Access is denied."];
    is_status
        && match detail {
            0 => rest.strip_prefix(b" - ").is_some_and(|text| own.contains(&text)),
            _ => rest.get(detail + 1..).is_some_and(|rest| rest.starts_with(b" - ")),
        }
}

/// `HTTP Error 404.14 - URL too long`: a status with a part that only IIS gives.
fn is_detailed_status(context: &MatchContext<'_>) -> bool {
    let status = context.after().get("HTTP Error ".len()..).unwrap_or_default();
    let detail = status.iter().skip(4).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = status.get(4 + detail..).unwrap_or_default();
    let heading =
        [&b"<h1>"[..], b"<h2>", b"<h3>", b"<H1>", b"<H2>"].iter().any(|tag| context.before().ends_with(tag));
    (1..=2).contains(&detail)
        && rest.starts_with(b" - ")
        && !context.is_discussed()
        && (heading || context.leads())
}

/// The heading of ASP.NET's error page; a 404 of it tells nothing.
fn is_application_error(context: &MatchContext<'_>) -> bool {
    let heading = [&b"<H1>"[..], b"<h1>", b"<h1><span>"].iter().any(|tag| context.before().ends_with(tag));
    let ends = memchr::memmem::find(context.after(), b"Application.").is_some_and(|at| at < 120);
    let said = heading || context.kind() == Kind::Text && context.leads();
    said && ends && !context.is_discussed() && context.status() != 404
}
