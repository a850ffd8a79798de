//! Rules of this family: directory listings, scripts sent as source, ASP.NET exceptions, answers of a failed server.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response_pattern::{Kind, MatchContext, shape_length};
use crate::response_pattern::{checked, leads, raw};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&DIRECTORY_LISTING, &CGI_SOURCE, &ASPNET_EXCEPTION, &SERVER_ERROR]], detectors: &[] };

static DIRECTORY_LISTING: Rule = Rule {
    id: "server-data-leakage-directory-listing/page",
    leaf: Leaf::ServerDataLeakageDirectoryListing,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        raw("<title>Index of ", "~</title>~<h1>Index of "),
        raw("<TITLE>Index of ", "~</TITLE>~<H1>Index of "),
        raw("<title>Index of ", "~</title>~<h2>Index of "),
        raw("<title>Directory listing for ", "~</title>~<h1>Directory listing for "),
        raw("<title>Directory Listing For ", "~</title>"),
        raw("<title>Directory: ", "~</title>~<h1"),
        raw("<title>listing directory ", "~</title>"),
        raw(">[To Parent Directory]</", "@>"),
        leads("Volume in drive ", "@ "),
    ]),
    summary: "The response is a directory listing as a web server makes it.",
    attacks: &[
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html>\n <head>\n  <title>Index of /backup</title>\n </head>\n <body>\n<h1>Index of /backup</h1>\n",
        "<html>\r\n<head><title>Index of /files/</title></head>\r\n<body>\r\n<h1>Index of /files/</h1><hr><pre><a href=\"../\">../</a>",
        "<title>Directory listing for /</title>\n</head>\n<body>\n<h1>Directory listing for /</h1>",
        "<H1>shop.example - /files/</H1><hr>\n<pre><A HREF=\"/\">[To Parent Directory]</A><br><br>",
        "<head><TITLE>Index of /x</TITLE></head><body><H1>Index of /x</H1>",
    ],
    benign: &[
        "<title>Index of plants | Garden</title><h1>Plants from A to Z</h1>",
        "<title>Stock index of the week</title>",
        "<p>The page says <b>Index of /</b> when no index file exists.</p>",
        "<title>Directory of members</title><h1>Members</h1>",
    ],
};

static CGI_SOURCE: Rule = Rule {
    id: "server-data-leakage-cgi-source/interpreter-line",
    leaf: Leaf::ServerDataLeakageCgiSource,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[checked("#!/", "@", is_script), checked("#! /", "@", is_script)]),
    summary: "The response is the source of a script, from its interpreter line on.",
    attacks: &[
        "#!/usr/bin/perl\nuse CGI;\nprint header;",
        "#! /usr/bin/env python3\nimport cgi",
        "#!/bin/sh\necho \"Content-Type: text/html\"",
        "GET /cgi-bin/test.sh HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n#!/bin/bash\necho",
    ],
    benign: &[
        "<pre>#!/bin/sh\necho hello</pre>",
        "Begin your script with #!/bin/sh and make it executable.",
        "GET /install.sh HTTP/1.1\r\nHost: get.example\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n#!/bin/sh\nset -e\n",
    ],
};

/// A script at the beginning of the body that was not asked for as a script: `curl …/install.sh | sh` is everyday.
fn is_script(context: &MatchContext<'_>) -> bool {
    let path = context.path();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let asked_for =
        [&b".sh"[..], b".bash", b".py", b".pl", b".rb", b".txt"].iter().any(|end| name.ends_with(end))
            || name.starts_with(b"install");
    let is_cgi = memchr::memmem::find(path, b"/cgi-bin/").is_some();
    context.opens() && !matches!(context.kind(), Kind::Json | Kind::Script) && (is_cgi || !asked_for)
}

static ASPNET_EXCEPTION: Rule = Rule {
    id: "server-data-leakage-aspnet-errors/exception",
    leaf: Leaf::ServerDataLeakageAspnetErrors,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("ViewStateException", "", is_thrown),
        checked("HttpParseException", "", is_thrown),
        checked("HttpCompileException", "", is_thrown),
        checked("HttpUnhandledException", "", is_thrown),
        checked("HttpRequestValidationException", "", is_thrown),
        checked("HttpException", "", is_thrown),
        checked("HttpAntiForgeryException", "", is_thrown),
        checked("System.Web.", "", is_thrown),
        checked("System.Data.", "", is_thrown),
        checked("System.IO.", "", is_thrown),
        checked("System.Net.", "", is_thrown),
        checked("System.Xml.", "", is_thrown),
        checked("System.Security.", "", is_thrown),
        checked("System.Configuration.", "", is_thrown),
        checked("System.Null", "", is_thrown),
        checked("System.Argument", "", is_thrown),
        checked("System.Invalid", "", is_thrown),
        checked("System.Format", "", is_thrown),
        checked("System.IndexOut", "", is_thrown),
        checked("System.Unauthorized", "", is_thrown),
        checked("System.NotSupported", "", is_thrown),
        checked("System.Collections.", "", is_thrown),
        checked("System.Exception", "", is_thrown),
        checked("Microsoft.AspNetCore.", "", is_thrown),
        checked("Microsoft.EntityFrameworkCore.", "", is_thrown),
        leads("[HttpException (0x8", ""),
        leads("[NullReferenceException", ""),
        leads("Validation of viewstate MAC failed", ""),
        leads("A potentially dangerous Request.", "@"),
        checked(" in ", "@:\\~.cs:line #", |context| context.is_spoken() && context.before().ends_with(b")")),
        checked("Exception: ", "", opens_with_class),
    ]),
    summary: "The response reports an exception of ASP.NET.",
    attacks: &[
        "ViewStateException: Invalid viewstate detected.",
        "HttpParseException: Error parsing the HTTP request.",
        "System.NullReferenceException: Object reference not set to an instance of an object.\r\n   at Shop.Cart.Pay() in C:\\src\\Cart.cs:line 12",
        "{\"Message\":\"An error has occurred.\",\"ExceptionType\":\"System.InvalidOperationException\"}",
        "<html><body><h2><i>x</i></h2><pre>[HttpException (0x80004005): Invalid postback.]</pre></body></html>",
    ],
    benign: &[
        "{\"$type\":\"System.Collections.Generic.List\",\"$values\":[]}",
        "<p>HttpException is the base of the errors that ASP.NET raises.</p>",
        "<article><pre><code>System.NullReferenceException: Object reference not set</code></pre></article>",
        "{\"title\":\"System.InvalidOperationException in EF Core\"}",
        "using System.Collections.Generic;",
    ],
};

/// A body that is nothing but an exception: its class, its message.
fn opens_with_class(context: &MatchContext<'_>) -> bool {
    let before = context.before();
    let name = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
    let class = before.get(before.len() - name..).unwrap_or_default();
    name > 3 && class.first().is_some_and(u8::is_ascii_alphabetic) && context.back(name).opens()
}

/// Whether an exception class is what the server reports.
fn is_thrown(context: &MatchContext<'_>) -> bool {
    let Some(length) = shape_length(context.after(), "@") else { return false };
    let name = context.after().get(..length).unwrap_or_default();
    let name = name.strip_suffix(b".").unwrap_or(name);
    let rest = context.after().get(length..).unwrap_or_default();
    let line = rest.split(|byte| matches!(byte, b'\n' | b'<' | 0x1e)).next().unwrap_or_default();
    let ends = line.trim_ascii().is_empty() || line.starts_with(b":") || line.starts_with(b" (0x");
    let apart = !context.before().last().is_some_and(|b| b.is_ascii_alphanumeric() || b"_.".contains(b));
    let qualified = context.before().ends_with(b".");
    name.ends_with(b"Exception") && ends && (apart && context.leads() || qualified && context.opens())
}

/// Reported by the head's judging: see [`crate::response`].
pub(crate) static SERVER_ERROR: Rule = Rule {
    id: "server-data-leakage-5xx-bodies/status",
    leaf: Leaf::ServerDataLeakage5xxBodies,
    weight: STRONG,
    places: Places::of(&[Place::ResponseHeader]),
    matcher: RuleMatcher::Response(&[]),
    summary: "The upstream answers with a status that says it failed.",
    attacks: &[
        "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\noops",
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\n\r\n<h1>Later</h1>",
        "HTTP/1.1 599 Odd\r\n\r\n",
    ],
    benign: &[
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nfine",
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno",
        "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n",
    ],
};
